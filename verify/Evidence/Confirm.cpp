#include "verify/Evidence/Confirm.h"

#include <algorithm>
#include <map>

namespace tilerig::verify {

namespace {

// Least share of the wrong elements of a group (a channel, a block of channels, a row, a column or a tile)
// that a hypothesis must explain. Groups with fewer wrong elements than `fewestOfGroup` are ignored.
constexpr double leastShareOfGroup = 0.6;
constexpr size_t fewestOfGroup = 4;

// For each wrong element the index of the group that it belongs to, such as its channel.
using Grouping = std::vector<size_t>;

// Index of the tile's part of the tensor that contains the element at the given coordinates; the number of
// parts if no part does.
size_t tileOf(const std::vector<int64_t> &at, const std::vector<TilePart> &parts) {
  const auto isIn = [&](const TilePart &part) {
    for (size_t axis = 0; axis < at.size(); ++axis)
      if (at[axis] < part.begin[axis] || at[axis] >= part.begin[axis] + part.extent[axis])
        return false;
    return true;
  };
  return static_cast<size_t>(std::ranges::find_if(parts, isIn) - parts.begin());
}

Grouping byTiles(const WrongElements &wrong, const std::vector<TilePart> &parts) {
  Grouping groups;
  std::vector<int64_t> at(wrong.shape.size());
  for (const WrongElement &element : wrong.elements) {
    size_t rest = element.index;
    for (size_t axis = at.size(); axis-- > 0;) {
      const auto size = static_cast<size_t>(wrong.shape[axis]);
      at[axis] = static_cast<int64_t>(rest % size);
      rest /= size;
    }
    groups.push_back(tileOf(at, parts));
  }
  return groups;
}

std::vector<Grouping> groupingsOf(const WrongElements &wrong, const Place &place,
                                  const Circumstances &known) {
  constexpr size_t block = 16; // number of channels that the POD (matrix engine) computes together
  std::vector<Grouping> all(4);
  for (const WrongElement &element : wrong.elements) {
    const Place::Of at = place.of(element.index);
    all[0].push_back(at.channel);
    all[1].push_back(at.channel / block);
    all[2].push_back(at.row);
    all[3].push_back(at.column);
  }
  if (known.parts)
    all.push_back(byTiles(wrong, *known.parts));
  return all;
}

// Whether a hypothesis explains most wrong elements of a group (such as a channel); tooFew if the group has
// too few wrong elements to tell.
enum class Support : uint8_t { tooFew, no, yes };
std::vector<Support> supportIn(const Grouping &groups, const std::vector<Fit> &fits, size_t least) {
  struct Counts {
    size_t all = 0, explained = 0;
    Support support(size_t least) const {
      if (all < least)
        return Support::tooFew;
      return static_cast<double>(explained) >= leastShareOfGroup * static_cast<double>(all) ? Support::yes
                                                                                            : Support::no;
    }
  };
  std::map<size_t, Counts> counts;
  for (size_t i = 0; i < groups.size(); ++i) {
    Counts &of = counts[groups[i]];
    ++of.all;
    of.explained += fits[i] != Fit::none;
  }
  std::vector<Support> support;
  for (const size_t group : groups)
    support.push_back(counts[group].support(least));
  return support;
}

// Removes matches that may be chance. An exact match of an element is kept if the hypothesis explains most
// wrong elements of any group, such as a channel or tile, that contains the element. A near match is kept
// only if the hypothesis explains most of the element's channel. If the channel has too few wrong elements,
// any other group will do.
void confirmFits(const std::vector<Grouping> &groupings, size_t least, std::vector<Fit> &fits) {
  std::vector<bool> byChannel(fits.size()), byAny(fits.size()), isSmall(fits.size());
  for (size_t grouping = 0; grouping < groupings.size(); ++grouping) {
    const std::vector<Support> support = supportIn(groupings[grouping], fits, least);
    for (size_t i = 0; i < fits.size(); ++i) {
      byAny[i] = byAny[i] || support[i] == Support::yes;
      if (grouping == 0)
        byChannel[i] = support[i] == Support::yes, isSmall[i] = support[i] == Support::tooFew;
    }
  }
  for (size_t i = 0; i < fits.size(); ++i)
    if (!(fits[i] == Fit::exact || isSmall[i] ? byAny[i] : byChannel[i]))
      fits[i] = Fit::none;
}

} // namespace

void confirm(std::vector<Explanation> &explanations, const WrongElements &wrong, const Place &place,
             const Circumstances &known) {
  const std::vector<Grouping> groupings = groupingsOf(wrong, place, known);
  const size_t least = std::min(fewestOfGroup, wrong.elements.size());
  for (Explanation &explanation : explanations)
    confirmFits(groupings, least, explanation.fits);
}

} // namespace tilerig::verify
