// Checks that stored bool values are 0 or 1, for a part of a tensor (checkBools of Tensor.h checks a whole
// one). Other values are refused, because reading them as bool is undefined behaviour in C++.
#pragma once

#include "isa/Base/Support/Error.h"

#include <cstddef>
#include <span>

namespace tilerig {

// Checks a part of a bool tensor. `first` is the index in the tensor of the first element in `bytes`; only
// the error message uses it.
Status checkBoolBytes(std::span<const std::byte> bytes, size_t first, const std::string &place);

} // namespace tilerig
