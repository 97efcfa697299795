#include "compiler/Planning/Quantisation/Precision.h"

#include "isa/Base/Support/Nearest.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>

namespace tilerig::compiler {

// The names of the precisions, in the order of the enumeration Precision.
static constexpr std::array<std::string_view, 5> precisionNames = {"fp32", "fp16", "bf16", "int8", "uint8"};

std::string_view nameOf(Precision precision) { return precisionNames[static_cast<size_t>(precision)]; }

Result<Precision> parsePrecision(std::string_view text) {
  const auto match = std::ranges::find(precisionNames, text);
  if (match == precisionNames.end())
    return invalidInput("", fmt::format("there is no precision '{}'", text),
                        suggestion(text, precisionNames));
  return static_cast<Precision>(match - precisionNames.begin());
}

} // namespace tilerig::compiler
