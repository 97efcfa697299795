#include "compiler/Import/TakenElements.h"

#include <cstring>
#include <llvm/ADT/SmallVector.h>

namespace tilerig {

Tensor takenByStrides(const Tensor &from, llvm::ArrayRef<int64_t> shape, int64_t base,
                      llvm::ArrayRef<int64_t> strides) {
  Tensor result(from.dtype(), Shape(shape.begin(), shape.end()));
  const size_t bytes = sizeBytes(from.dtype());
  const std::byte *source = from.bytes().data();
  std::byte *to = result.mutableBytes().data();
  llvm::SmallVector<int64_t> at(shape.size(), 0);
  for (size_t i = 0, count = result.elementCount(); i < count; ++i, to += bytes) {
    std::memcpy(to, source + base * static_cast<int64_t>(bytes), bytes);
    for (size_t d = shape.size(); d-- > 0;) {
      base += strides[d];
      if (++at[d] < shape[d])
        break;
      base -= at[d] * strides[d];
      at[d] = 0;
    }
  }
  return result;
}

Tensor transposed(const Tensor &from, llvm::ArrayRef<int64_t> perm) {
  const std::vector<int64_t> own = from.strides();
  llvm::SmallVector<int64_t> shape, strides;
  for (const int64_t axis : perm) {
    shape.push_back(from.shape()[static_cast<size_t>(axis)]);
    strides.push_back(own[static_cast<size_t>(axis)]);
  }
  return takenByStrides(from, shape, 0, strides);
}

} // namespace tilerig
