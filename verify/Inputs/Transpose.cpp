#include "verify/Inputs/Transpose.h"

#include <cstring>
#include <fmt/core.h>

namespace tilerig::verify {

Result<Tensor> transpose(const Tensor &tensor, const std::vector<size_t> &axes) {
  if (axes.size() != tensor.rank())
    return invalidInput("", fmt::format("{} axes are named for a tensor of {}", axes.size(), tensor.rank()),
                        "'transpose' has to name every axis of the target");
  const std::vector<int64_t> strides = tensor.strides();
  Shape shape;
  std::vector<int64_t> steps;
  for (size_t axis : axes) {
    shape.push_back(tensor.shape()[axis]);
    steps.push_back(strides[axis]);
  }
  TRY(Tensor result, Tensor::makeUninitialised(tensor.dtype(), shape));
  const size_t size = sizeBytes(tensor.dtype());
  std::byte *out = result.mutableBytes().data();
  std::vector<int64_t> index(shape.size());
  int64_t from = 0;
  for (size_t i = 0; i < tensor.elementCount(); ++i) {
    std::memcpy(out + i * size, tensor.bytes().data() + static_cast<size_t>(from) * size, size);
    for (size_t axis = shape.size(); axis-- > 0;) {
      from += steps[axis];
      if (++index[axis] < shape[axis])
        break;
      from -= steps[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return result;
}

} // namespace tilerig::verify
