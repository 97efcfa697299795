// What the greedy algorithms share: an order, and bodies placed in it.
#pragma once

#include "compiler/Memory/Placement.h"

#include <algorithm>

namespace tilerig {

// Bodies that nobody has fixed, by descending key; equal ones as they begin, then large ones first, then as
// they are listed.
template <class Key>
std::vector<size_t> byDescending(const Bodies &bodies, Key key) {
  std::vector<size_t> order;
  for (size_t i = 0; i < bodies.bodies.size(); ++i)
    if (!bodies.bodies[i].at)
      order.push_back(i);
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    const Body &one = bodies.bodies[a], &other = bodies.bodies[b];
    if (const auto keyOfOne = key(one), keyOfOther = key(other); keyOfOne != keyOfOther)
      return keyOfOne > keyOfOther;
    return one.from != other.from ? one.from < other.from : one.size > other.size;
  });
  return order;
}

inline Placement placeLowest(const Bodies &bodies, std::span<const size_t> order) {
  Placement placement(bodies);
  for (const size_t body : order)
    placement.put(body, placement.lowestFit(body));
  return placement;
}

} // namespace tilerig
