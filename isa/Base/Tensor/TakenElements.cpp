#include "isa/Base/Tensor/TakenElements.h"

#include "isa/Base/Tensor/StridedCopy.h"

namespace tilerig {

void takeByStrides(Tensor &to, const Tensor &from, int64_t base, std::span<const int64_t> strides) {
  if (to.elementCount() == 0)
    return;
  const auto bytes = static_cast<int64_t>(sizeBytes(from.dtype()));
  const std::vector<int64_t> own = to.strides();
  std::vector<StridedCopy::Dim> dims;
  for (size_t i = 0; i < own.size(); ++i)
    dims.push_back({static_cast<uint64_t>(to.shape()[i]), static_cast<uint64_t>(own[i] * bytes),
                    static_cast<uint64_t>(strides[i] * bytes)});
  StridedCopy(to.mutableBytes().data(), from.bytes().data() + base * bytes, static_cast<unsigned>(bytes),
              std::move(dims))
      .run();
}

Tensor takenByStrides(const Tensor &from, std::span<const int64_t> shape, int64_t base,
                      std::span<const int64_t> strides) {
  Tensor result(from.dtype(), Shape(shape.begin(), shape.end()));
  takeByStrides(result, from, base, strides);
  return result;
}

Tensor transposed(const Tensor &from, std::span<const int64_t> perm) {
  const std::vector<int64_t> own = from.strides();
  Shape shape;
  std::vector<int64_t> strides;
  for (const int64_t axis : perm) {
    shape.push_back(from.shape()[static_cast<size_t>(axis)]);
    strides.push_back(own[static_cast<size_t>(axis)]);
  }
  return takenByStrides(from, shape, 0, strides);
}

} // namespace tilerig
