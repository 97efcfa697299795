// Aligns the ranges of tensors that must share a scale because an operation copies integers between them.
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
// ranges. Groups with a common tensor are merged. Names without a range are ignored: those tensors stay
// float.
void alignRanges(RangesByName &ranges, std::span<const SharingGroup> groups);

// Aligned ranges for operands, for example of an addition, that may share a scale but need not. An operand
// gets the union of all ranges if its own range is at least half as wide as the union, which costs it at most
// one bit. Operands with narrower ranges keep them.
std::vector<ValueRange> alignCheaply(std::span<const ValueRange> operands);

} // namespace tilerig::compiler
