// Enumeration of the precisions in which a layer can be computed.
#pragma once

#include "isa/Base/Support/Error.h"

#include <string_view>

namespace tilerig::compiler {

// int8 and uint8 differ in the storage type of activations; weights are int8 in both.
enum class Precision { fp32, fp16, bf16, int8, uint8 };

std::string_view nameOf(Precision precision);
// The precision with this name. If there is none, the error does not say in which file or option the name was
// found: the caller has to add it.
Result<Precision> parsePrecision(std::string_view text);

inline bool isQuantised(Precision precision) {
  return precision == Precision::int8 || precision == Precision::uint8;
}

} // namespace tilerig::compiler
