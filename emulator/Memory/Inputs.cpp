#include "emulator/Memory/Inputs.h"

#include "emulator/Memory/Placement.h"

#include <fmt/core.h>

namespace tilerig::emulator {

static const proto::Tensor *findInput(const Program &program, const std::string &name) {
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (tensor.role() == proto::INPUT && tensor.name() == name)
      return &tensor;
  return nullptr;
}

static Error noSuchInput(const std::string &name) {
  return invalidInput(fmt::format("input '{}'", name), "the program has no input of this name");
}

Status checkInput(const Program &program, const std::string &name, DType dtype, const Shape &shape) {
  const proto::Tensor *input = findInput(program, name);
  return input ? checkTensor(*input, dtype, shape) : noSuchInput(name);
}

Status placeInputs(const Program &program, const TensorMap &inputs, Memories &memories) {
  size_t placed = 0;
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (tensor.role() == proto::INPUT) {
      TILERIG_TRY(const Tensor *input, inputs.get(tensor.name()));
      TILERIG_CHECK_OK(placeTensor(tensor, *input, memories));
      ++placed;
    }
  if (placed == inputs.size())
    return success();
  for (const NamedTensor &input : inputs)
    if (!findInput(program, input.name))
      return noSuchInput(input.name);
  return success();
}

} // namespace tilerig::emulator
