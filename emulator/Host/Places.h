// Reads axes and indices that operators of the host receive as attributes or inputs.
#pragma once

#include "emulator/Host/Kernels.h"

namespace tilerig::emulator {

// The axis that an attribute states (`fallback` if the attribute is absent), counted from the front.
Result<int64_t> axisOf(const HostCall &call, const std::string &attribute, int64_t fallback, size_t rank);
// The elements of an input that has 32-bit or 64-bit integers.
Result<std::vector<int64_t>> indicesOf(const HostCall &call, size_t input);
// Converts an index into an axis of `size` elements, which counts from the end if it is negative, to an index
// from the front. Returns an error if it is out of range.
Result<int64_t> placeOf(const HostCall &call, int64_t index, int64_t size);

} // namespace tilerig::emulator
