// Reads axes and indices that operators of the host receive as attributes or inputs.
#pragma once

#include "emulator/Host/Kernels.h"

namespace tilerig::emulator {

// The axis given by an attribute, counted from the front.
Result<int64_t> axisOf(const HostCall &call, const std::string &attribute, int64_t fallback, size_t rank);
// An input of 32-bit or 64-bit integers.
Result<std::vector<int64_t>> indicesOf(const HostCall &call, size_t input);
// Converts an index into an axis of `size` to one counted from the front; an error if it is out of range.
Result<int64_t> placeOf(const HostCall &call, int64_t index, int64_t size);

} // namespace tilerig::emulator
