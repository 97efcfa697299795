#include "emulator/Memory/Inputs.h"

#include "emulator/Memory/Placement.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig {

Status placeInputs(const Program &program, const TensorMap &inputs, Memories &memories) {
  size_t placed = 0;
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (tensor.role() == proto::INPUT) {
      TRY(const Tensor *given, inputs.get(tensor.name()));
      CHECK_OK(placeTensor(tensor, *given, memories));
      ++placed;
    }
  if (placed == inputs.size())
    return success();
  for (const NamedTensor &given : inputs)
    if (std::ranges::none_of(program.metadata.tensors(), [&](const proto::Tensor &tensor) {
          return tensor.role() == proto::INPUT && tensor.name() == given.name;
        }))
      return invalidInput(fmt::format("input '{}'", given.name), "the program has no such input");
  return success();
}

} // namespace tilerig
