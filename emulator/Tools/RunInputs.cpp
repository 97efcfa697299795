#include "emulator/Tools/RunInputs.h"

#include "emulator/Memory/Inputs.h"
#include "isa/Tensor/TensorFiles.h"

#include <algorithm>

namespace tilerig {

namespace {

// Draws the elements of a tensor by the generator SplitMix64.
Tensor seededTensor(const proto::Tensor &tensor, uint64_t &state) {
  Tensor result(*dtypeNamed(tensor.dtype()), Shape(tensor.shape().begin(), tensor.shape().end()));
  const auto next = [&] {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
  };
  dispatch(result.dtype(), [&]<class T>() {
    for (T &element : result.mutableAs<T>()) {
      const uint64_t random = next();
      if constexpr (std::is_floating_point_v<T>)
        element = static_cast<T>(static_cast<double>(random >> 40) * 0x1p-23 - 1);
      else if constexpr (std::is_same_v<T, bool>)
        element = random & 1;
      else if constexpr (std::is_integral_v<T>)
        element = sizeof(T) == 1
                      ? static_cast<T>(random)
                      : static_cast<T>(random % 201) - static_cast<T>(std::is_signed_v<T> ? 100 : 0);
    }
  });
  return result;
}

std::vector<std::string> inputsOfBf16(const Program &program) {
  std::vector<std::string> names;
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (tensor.role() == proto::INPUT && tensor.dtype() == nameOf(DType::bf16))
      names.push_back(tensor.name());
  return names;
}

} // namespace

Result<TensorMap> seededInputs(const Program &program, uint64_t seed) {
  TensorMap inputs;
  uint64_t state = seed;
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (tensor.role() == proto::INPUT)
      CHECK_OK(inputs.add(tensor.name(), seededTensor(tensor, state)));
  return inputs;
}

Result<TensorMap> readInputs(const Program &program, const std::string &path) {
  const std::vector<std::string> halves = inputsOfBf16(program);
  TRY(TensorMap inputs, readTensors(path, [&](const TensorHead &head) -> Result<bool> {
        const bool isBits = head.dtype == DType::u16 && std::ranges::count(halves, head.name);
        CHECK_OK(checkInput(program, head.name, isBits ? DType::bf16 : head.dtype, head.shape));
        return true;
      }));
  for (const proto::Tensor &tensor : program.metadata.tensors()) {
    Tensor *given = tensor.role() == proto::INPUT ? inputs.find(tensor.name()) : nullptr;
    if (given && given->dtype() == DType::u16 && tensor.dtype() == nameOf(DType::bf16)) {
      TRY(*given, given->reinterpreted(DType::bf16));
    }
  }
  return inputs;
}

} // namespace tilerig
