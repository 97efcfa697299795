#include "isa/Base/Support/Nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace tilerig {

// Words longer than this are not compared: they cannot be misspellings of a name, because all names are much
// shorter.
static constexpr size_t longestWord = 80;

// The edit distance with insertion, deletion, replacement and swap of neighbours (optimal string alignment):
// swapped letters are the most frequent typing error.
static size_t editDistance(std::string_view from, std::string_view to) {
  std::vector<size_t> before(to.size() + 1), row(to.size() + 1), next(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < from.size(); ++i) {
    next[0] = i + 1;
    for (size_t j = 0; j < to.size(); ++j) {
      next[j + 1] = std::min({row[j] + (from[i] != to[j]), row[j + 1] + 1, next[j] + 1});
      if (i > 0 && j > 0 && from[i] == to[j - 1] && from[i - 1] == to[j])
        next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
    }
    std::swap(before, row);
    std::swap(row, next);
  }
  return row.back();
}

std::string_view nearestName(std::string_view wrong, std::span<const std::string_view> names) {
  if (wrong.size() > longestWord || names.empty())
    return {};
  auto distance = [&](std::string_view name) { return editDistance(wrong, name); };
  std::string_view nearest = *std::ranges::min_element(names, {}, distance);
  return distance(nearest) <= (1 + nearest.size()) / 3 ? nearest : std::string_view();
}

std::string listed(std::span<const std::string_view> names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    text += names[i];
    if (i + 1 < names.size())
      text += i + 2 == names.size() ? " or " : ", ";
  }
  return text;
}

std::string suggestion(std::string_view wrong, std::span<const std::string_view> names) {
  if (std::string_view nearest = nearestName(wrong, names); !nearest.empty())
    return "did you mean '" + std::string(nearest) + "'?";
  return "expected " + listed(names);
}

} // namespace tilerig
