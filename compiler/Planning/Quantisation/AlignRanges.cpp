#include "compiler/Planning/Quantisation/AlignRanges.h"

#include <set>

namespace tilerig::compiler {

// The groups of tensors that share one range, as sets of names. Groups that have a tensor in common are
// merged into one set.
static std::vector<std::set<std::string>> joined(std::span<const SharingGroup> groups) {
  std::vector<std::set<std::string>> sets;
  for (const SharingGroup &group : groups) {
    std::set<std::string> merged(group.begin(), group.end());
    std::erase_if(sets, [&](std::set<std::string> &other) {
      const bool meets = std::ranges::any_of(group, [&](const auto &name) { return other.contains(name); });
      if (meets)
        merged.merge(other);
      return meets;
    });
    sets.push_back(std::move(merged));
  }
  return sets;
}

void alignRanges(RangesByName &ranges, std::span<const SharingGroup> groups) {
  for (const std::set<std::string> &names : joined(groups)) {
    std::vector<ValueRange> members;
    for (const std::string &name : names)
      if (const auto entry = ranges.find(name); entry != ranges.end())
        members.push_back(entry->second);
    for (const std::string &name : names)
      if (const auto entry = ranges.find(name); entry != ranges.end())
        entry->second = unionOf(members);
  }
}

static double extentOf(ValueRange range) { return static_cast<double>(range.high) - range.low; }

std::vector<ValueRange> alignCheaply(std::span<const ValueRange> operands) {
  const ValueRange all = unionOf(operands);
  std::vector<ValueRange> aligned(operands.begin(), operands.end());
  for (ValueRange &range : aligned)
    if (2 * extentOf(range) >= extentOf(all))
      range = all;
  return aligned;
}

} // namespace tilerig::compiler
