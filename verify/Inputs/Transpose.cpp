#include "verify/Inputs/Transpose.h"

#include "isa/Base/Tensor/TakenElements.h"

#include <fmt/core.h>

namespace tilerig::verify {

Result<Tensor> transpose(const Tensor &tensor, const std::vector<size_t> &axes) {
  if (axes.size() != tensor.rank())
    return invalidInput(
        "", fmt::format("'transpose' lists {} axes, but the tensor has {}", axes.size(), tensor.rank()),
        "list every axis of the target tensor");
  const std::vector<int64_t> strides = tensor.strides();
  Shape shape;
  std::vector<int64_t> steps;
  for (size_t axis : axes) {
    shape.push_back(tensor.shape()[axis]);
    steps.push_back(strides[axis]);
  }
  TILERIG_TRY(Tensor result, Tensor::makeUninitialised(tensor.dtype(), shape));
  takeByStrides(result, tensor, 0, steps);
  return result;
}

} // namespace tilerig::verify
