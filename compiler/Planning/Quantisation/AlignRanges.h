// Gives the same value range to tensors that must share a quantisation scale, because an operation copies
// integers from one to the other.
#pragma once

#include "compiler/Planning/Quantisation/ValueRange.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace tilerig::compiler {

using RangesByName = std::map<std::string, ValueRange, std::less<>>;
using SharingGroup = std::vector<std::string>;

// Gives all tensors of a group, such as the inputs and the output of a concatenation, the union of their
// ranges. Groups with a common tensor are merged. Tensors without a range are ignored, because they stay
// float.
void alignRanges(RangesByName &ranges, std::span<const SharingGroup> groups);

// Returns ranges for operands that may share a scale but need not, for example those of an addition. An
// operand gets the union of all ranges if its own range is at least half as wide as the union, which costs it
// at most one bit. Operands with narrower ranges keep their own.
std::vector<ValueRange> alignCheaply(std::span<const ValueRange> operands);

} // namespace tilerig::compiler
