// Keeps large tensors on disk instead of in memory.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

namespace tilerig {

// Tensors of at least this many bytes are worth a file.
inline constexpr size_t spillFromBytes = size_t{64} << 20;

// The same tensor as a view of a temporary file, which has no name and is freed with the last view, so that
// releasePages() can give its memory back. Returns the tensor itself if it is smaller than spillFromBytes, if it is a
// view already, or if the folder for temporary files cannot hold it.
Tensor spilled(const Tensor &tensor);

} // namespace tilerig
