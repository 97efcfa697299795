#include "isa/Numerics/MathFunction.h"

#include <algorithm>

namespace tilerig {

std::optional<MathFunction> mathFunctionNamed(std::string_view name) {
  const auto match = std::ranges::find(mathFunctionNames, name);
  if (match == mathFunctionNames.end())
    return std::nullopt;
  return static_cast<MathFunction>(match - mathFunctionNames.begin());
}

} // namespace tilerig
