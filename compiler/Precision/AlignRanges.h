// Tensors that share a scale, because an operation copies integers from one to the other.
#pragma once

#include "compiler/Precision/ValueRange.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace tilerig {

using RangesByName = std::map<std::string, ValueRange, std::less<>>;
using SharingGroup = std::vector<std::string>;

// Gives all tensors of a group, such as the inputs and the output of a concatenation, the union of their
// ranges. Groups with a tensor in common become one. Names without a range are left out: they stay float.
void alignRanges(RangesByName &ranges, std::span<const SharingGroup> groups);

// Those of the operands, of an addition for instance, that may take the union of all their ranges: it costs
// them at most one bit, as their own range is at least half as wide. The others keep what they have.
std::vector<ValueRange> alignCheaply(std::span<const ValueRange> operands);

} // namespace tilerig
