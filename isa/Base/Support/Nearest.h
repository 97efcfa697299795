// Suggestions for misspelled names ("did you mean ...?").
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tilerig {

// The name nearest to `wrong` by edit distance, or empty if none is near.
std::string_view nearestName(std::string_view wrong, std::span<const std::string_view> names);
// Joins the names: "a, b or c".
std::string listed(std::span<const std::string_view> names);
// Returns "did you mean 'stride_h'?", or "expected a, b or c" if no name is near.
std::string suggestion(std::string_view wrong, std::span<const std::string_view> names);

} // namespace tilerig
