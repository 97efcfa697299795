// The name that somebody probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tilerig {

// The one of `names` that is nearest to `wrong`, or empty where none is near.
std::string_view nearestName(std::string_view wrong, std::span<const std::string_view> names);
// "a, b or c"
std::string listed(std::span<const std::string_view> names);
// "did you mean 'stride_h'?", or else "expected a, b or c".
std::string suggestion(std::string_view wrong, std::span<const std::string_view> names);

} // namespace tilerig
