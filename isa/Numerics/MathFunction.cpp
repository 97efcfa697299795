#include "isa/Numerics/MathFunction.h"

#include <algorithm>

namespace tilerig {

std::optional<MathFunction> mathFunctionNamed(std::string_view name) {
  const auto found = std::ranges::find(mathFunctionNames, name);
  if (found == mathFunctionNames.end())
    return std::nullopt;
  return static_cast<MathFunction>(found - mathFunctionNames.begin());
}

} // namespace tilerig
