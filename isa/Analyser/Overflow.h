// Bounds the accumulators of integer instructions of the POD (matrix engine): can they overflow 32 bits?
//
// In any order of the products, every partial sum is bounded by |start value| + the sum over k of |w| * |a|.
// Activations are bounded by their type and zero point. Weights are bounded likewise or, if that bound is too
// large and the weights are copies of constants, by their values. The start value is bounded by the constants
// of the bias, or by the known bounds of the partial sums that it is loaded from.
#pragma once

#include "isa/Analyser/Values.h"

namespace tilerig {

// A bound on the magnitude of all accumulators including their partial sums; nullopt if no bound below 2^31
// is known. For instructions with integer operands only.
std::optional<int64_t> accumulatorBound(const Matmul &instruction, unsigned tile, Values &values);
std::optional<int64_t> accumulatorBound(const Conv &instruction, unsigned tile, Values &values);

// Whether the accumulators of a product are integers.
template <ProductInstruction T>
bool isInteger(const T &product) {
  return !isFloat(product.multipliedType());
}

} // namespace tilerig
