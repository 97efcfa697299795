#include "isa/Base/Tensor/Bools.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig {

Status checkBoolBytes(std::span<const std::byte> bytes, size_t first, const std::string &place) {
  const auto wrong = std::ranges::find_if(bytes, [](std::byte byte) { return byte > std::byte{1}; });
  if (wrong == bytes.end())
    return success();
  return invalidInput(place, fmt::format("element {} of a bool tensor is {}, expected 0 or 1",
                                         first + static_cast<size_t>(wrong - bytes.begin()),
                                         static_cast<int>(*wrong)));
}

} // namespace tilerig
