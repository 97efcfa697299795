// Places that operators of the host are given as values.
#pragma once

#include "emulator/Host/Kernels.h"

namespace tilerig {

// The axis, counted from the front.
Result<int64_t> axisOf(const HostCall &call, const std::string &attribute, int64_t fallback, size_t rank);
// Integers of 32 or 64 bits.
Result<std::vector<int64_t>> indicesOf(const HostCall &call, size_t input);
// An index into an axis, counted from the front; the host refuses those that are outside.
Result<int64_t> placeOf(const HostCall &call, int64_t index, int64_t size);

} // namespace tilerig
