#include "emulator/Tools/RunInputs.h"

#include "emulator/Memory/Inputs.h"
#include "emulator/Tools/RunLoop.h"
#include "isa/Base/Tensor/SeededTensor.h"
#include "isa/Base/Tensor/TensorFiles.h"
#include "isa/Numerics/Convert.h"

#include <algorithm>

namespace tilerig::emulator {

namespace {

template <class Half, class Stored>
Tensor narrowedTo(const Tensor &tensor) {
  std::vector<Half> halves(tensor.elementCount());
  fromFloat(tensor.as<float>(), halves);
  Tensor result(dtypeOf<Stored>, tensor.shape());
  std::ranges::transform(halves, result.mutableAs<Stored>().begin(),
                         [](Half half) { return Stored{half.bits}; });
  return result;
}

std::vector<std::string> inputsOfBf16(const Program &program) {
  std::vector<std::string> names;
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (tensor.role() == proto::INPUT && tensor.dtype() == nameOf(DType::bf16))
      names.push_back(tensor.name());
  return names;
}

// The shape of an input; empty if the program has no input of this name.
Shape shapeOfInput(const Program &program, const std::string &name) {
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (tensor.role() == proto::INPUT && tensor.name() == name)
      return Shape(tensor.shape().begin(), tensor.shape().end());
  return {};
}

} // namespace

Result<TensorMap> seededInputs(const Program &program, uint64_t seed) {
  TensorMap inputs;
  for (const proto::Tensor &tensor : program.metadata.tensors()) {
    if (tensor.role() != proto::INPUT)
      continue;
    const DType type = *dtypeNamed(tensor.dtype());
    const Shape shape(tensor.shape().begin(), tensor.shape().end());
    TILERIG_TRY(Tensor values, seededTensor(type, shape, seed, tensor.name()));
    if (type == DType::f16)
      values = narrowedTo<Fp16, Float16>(values);
    if (type == DType::bf16)
      values = narrowedTo<Bf16, BFloat16>(values);
    TILERIG_CHECK_OK(inputs.add(tensor.name(), std::move(values)));
  }
  return inputs;
}

Result<TensorMap> readInputs(const Program &program, const std::string &path, unsigned steps) {
  const std::vector<std::string> halves = inputsOfBf16(program);
  TILERIG_TRY(TensorMap inputs, readTensors(path, [&](const TensorHead &head) -> Result<bool> {
                const bool isBits = head.dtype == DType::u16 && std::ranges::count(halves, head.name);
                const bool isOfSteps = steps > 0 && head.shape.size() > 0 &&
                                       isPerStep(head.shape, shapeOfInput(program, head.name), steps);
                TILERIG_CHECK_OK(checkInput(program, head.name, isBits ? DType::bf16 : head.dtype,
                                            isOfSteps ? shapeOfInput(program, head.name) : head.shape));
                return true;
              }));
  for (const proto::Tensor &tensor : program.metadata.tensors()) {
    Tensor *input = tensor.role() == proto::INPUT ? inputs.find(tensor.name()) : nullptr;
    if (input && input->dtype() == DType::u16 && tensor.dtype() == nameOf(DType::bf16)) {
      TILERIG_TRY(*input, input->reinterpreted(DType::bf16));
    }
  }
  return inputs;
}

} // namespace tilerig::emulator
