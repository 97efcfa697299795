// Values of bool are 0 and 1; anything else in a file is refused before C++ gets to see it (checkBools of
// Tensor.h). Here of a part of a tensor.
#pragma once

#include "isa/Support/Error.h"

#include <cstddef>
#include <span>

namespace tilerig {

// `bytes` begin with element `first`.
Status checkBoolBytes(std::span<const std::byte> bytes, size_t first, const std::string &place);

} // namespace tilerig
