// Keeps large tensors on disk instead of in memory.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

namespace tilerig {

// The default smallest size of a tensor that spilled() moves to a file.
inline constexpr size_t spillFromBytes = size_t{64} << 20;

// The same tensor as a view of a temporary file, which has no name and is freed with the last view, so that
// releasePages() can give its memory back. Returns the tensor itself if it has fewer bytes than `fromBytes`, if it is a
// view already, or if the folder for temporary files cannot hold it.
Tensor spilled(const Tensor &tensor, size_t fromBytes = spillFromBytes);

// Keeps many tensors: the first of them in memory, up to a limit in bytes, and the large ones after it on disk.
class LimitedMemory {
public:
  explicit LimitedMemory(size_t limit = size_t{1} << 30) : left(limit) {}

  // The tensor to keep in place of `tensor`: itself or a view of a file.
  Tensor keep(const Tensor &tensor);

private:
  size_t left; // bytes that may still be kept in memory
};

} // namespace tilerig
