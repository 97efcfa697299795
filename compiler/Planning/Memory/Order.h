// Helpers of the greedy placement algorithms: sort bodies (buffers with all their parts), and place them in a
// given order.
#pragma once

#include "compiler/Planning/Memory/Placement.h"

#include <algorithm>

namespace tilerig::compiler {

// Indices of the bodies (buffers with all their parts) without a fixed address, by descending key. Of bodies
// with equal keys, those that begin earlier come first, then larger ones, then those with a lower index.
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

} // namespace tilerig::compiler
