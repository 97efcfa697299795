// Suggestions for misspelled names ("did you mean ...?").
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tilerig {

// The one of `names` that is nearest to the misspelt name `wrong` by edit distance; empty if none is near.
std::string_view nearestName(std::string_view wrong, std::span<const std::string_view> names);
// Joins names to a text such as "a, b or c".
std::string listed(std::span<const std::string_view> names);
// Returns "did you mean 'stride_h'?", or "expected a, b or c" if none of `names` is near to `wrong`.
std::string suggestion(std::string_view wrong, std::span<const std::string_view> names);

} // namespace tilerig
