// The precisions that a layer can be computed in.
#pragma once

#include "isa/Support/Error.h"

#include <string_view>

namespace tilerig {

// Of 8 bits there are two: they differ in how activations are stored. Weights are int8 in both.
enum class Precision { fp32, fp16, bf16, int8, uint8 };

std::string_view nameOf(Precision precision);
// The error has no place: the caller knows where the text stood.
Result<Precision> parsePrecision(std::string_view text);

inline bool isQuantised(Precision precision) {
  return precision == Precision::int8 || precision == Precision::uint8;
}

} // namespace tilerig
