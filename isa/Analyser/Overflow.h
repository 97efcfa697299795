// Whether the 32-bit accumulators of an integer POD instruction can overflow.
//
// Whatever the order of the products, every partial sum stays within the start value plus the sum of |w| *
// |a| over k. Activations are bounded by their type and zero point; weights too, or, where that is not enough
// and they are copies of constants, by their values; the start value by the constants or the partial sums
// that it is.
#pragma once

#include "isa/Analyser/Values.h"

namespace tilerig {

// A bound of the magnitude of all accumulators and all their partial sums, if one below 2^31 can be proved.
// For instructions with integer operands.
std::optional<int64_t> accumulatorBound(const Matmul &instruction, unsigned tile, Values &values);
std::optional<int64_t> accumulatorBound(const Conv &instruction, unsigned tile, Values &values);

inline bool isInteger(const Matmul &it) { return !isFloat(it.a.type); }
inline bool isInteger(const Conv &it) { return !isFloat(it.input.type); }

} // namespace tilerig
