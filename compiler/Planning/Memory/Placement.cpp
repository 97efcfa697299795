#include "compiler/Planning/Memory/Placement.h"

#include "compiler/Planning/Memory/Relations.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tilerig::compiler {

Placement::Placement(const Bodies &bodies)
    : all(&bodies), addresses(bodies.bodies.size()), top(bodies.problem.base) {
  for (size_t i = 0; i < bodies.bodies.size(); ++i)
    if (bodies.bodies[i].at)
      put(i, *bodies.bodies[i].at);
}

void Placement::put(size_t body, uint64_t address) {
  addresses[body] = address;
  for (const auto [index, offset] : all->bodies[body].members) {
    const Buffer &buffer = all->problem.buffers[index];
    Occupied entry{address + offset, address + offset + buffer.size, buffer.from, buffer.to, index, none};
    size_t lifespan = 0;
    while (buffer.to - buffer.from > mostSteps(lifespan))
      ++lifespan;
    auto &[buffers, beginning] = lifespans[lifespan];
    if (beginning.empty())
      beginning.resize(all->numStarts, none);
    uint32_t &last = beginning[all->windows[index].own];
    entry.next = std::exchange(last, static_cast<uint32_t>(buffers.size()));
    buffers.push_back(entry);
  }
  top = std::max(top, endOf(body));
}

void Placement::meet(const BodyMember &member, const Occupied &other) {
  ++numComparisons;
  const Buffer &buffer = all->problem.buffers[member.buffer];
  if (other.from > buffer.to || buffer.from > other.to)
    return;
  const auto below = static_cast<int64_t>(member.offset + buffer.size),
             inside = static_cast<int64_t>(member.offset), begin = static_cast<int64_t>(other.begin),
             end = static_cast<int64_t>(other.end);
  const bool touches = other.from == buffer.to || buffer.from == other.to;
  const bool replaces = touches && mayShareAddress(all->problem, member.buffer, other.buffer);
  obstacles.push_back({begin - below, end - inside, replaces ? begin - inside : -1});
}

void Placement::findObstacles(size_t body) {
  obstacles.clear();
  for (const BodyMember &member : all->bodies[body].members) {
    for (size_t i = 0; i < numLifespans; ++i)
      if (!lifespans[i].buffers.empty())
        meetAll(member, i);
  }
  std::ranges::sort(obstacles, {}, &Obstacle::after);
}

// Compares `member`, a buffer of the body that is being placed, with the placed buffers of a lifetime class.
// In a class with many buffers, only those are compared that begin at a step at which a buffer may live at
// the same time as `member`.
void Placement::meetAll(const BodyMember &member, size_t lifespan) {
  const Lifespan &those = lifespans[lifespan];
  const Window &window = all->windows[member.buffer];
  const uint32_t first = window.first[lifespan];
  if (window.end - first >= those.buffers.size()) {
    for (const Occupied &other : those.buffers)
      meet(member, other);
    return;
  }
  numComparisons += (window.end - first) / startsPerComparison;
  for (uint32_t start = first; start < window.end; ++start)
    for (uint32_t at = those.beginning[start]; at != none; at = those.buffers[at].next)
      meet(member, those.buffers[at]);
}

int64_t Placement::alignedUp(size_t body, int64_t address) const {
  const auto alignment = static_cast<int64_t>(all->bodies[body].alignment);
  return (address + alignment - 1) / alignment * alignment;
}

template <class Visit>
void Placement::visitGaps(size_t body, Visit visit) const {
  int64_t candidate = alignedUp(body, static_cast<int64_t>(all->problem.base));
  for (const Obstacle &obstacle : obstacles) {
    if (obstacle.before <= candidate)
      continue;
    if (obstacle.after >= candidate && !visit(candidate, obstacle.after - candidate))
      return;
    candidate = alignedUp(body, obstacle.before);
  }
  visit(candidate, std::numeric_limits<int64_t>::max());
}

int64_t Placement::replacingFit(size_t body) const {
  int64_t lowest = -1;
  for (const Obstacle &replaced : obstacles) {
    const int64_t address = replaced.except;
    if (address < static_cast<int64_t>(all->problem.base) || address != alignedUp(body, address) ||
        (lowest >= 0 && address >= lowest))
      continue;
    const bool isFree = std::ranges::none_of(obstacles, [&](const Obstacle &obstacle) {
      return obstacle.after < address && address < obstacle.before && obstacle.except != address;
    });
    if (isFree)
      lowest = address;
  }
  return lowest;
}

uint64_t Placement::lowestFit(size_t body) {
  findObstacles(body);
  int64_t best = 0;
  visitGaps(body, [&](int64_t address, int64_t) {
    best = address;
    return false;
  });
  const int64_t replacing = replacingFit(body);
  return static_cast<uint64_t>(replacing >= 0 ? std::min(best, replacing) : best);
}

uint64_t Placement::tightestFit(size_t body) {
  findObstacles(body);
  if (const int64_t replacing = replacingFit(body); replacing >= 0)
    return static_cast<uint64_t>(replacing); // the body fills this gap completely, so no later gap is better
  int64_t best = 0, least = -1;
  visitGaps(body, [&](int64_t address, int64_t left) {
    if (least < 0 || left < least) {
      best = address;
      least = left;
    }
    return true;
  });
  return static_cast<uint64_t>(best);
}

MemoryPlan Placement::plan(std::string algorithm) const {
  MemoryPlan result{std::vector<uint64_t>(all->problem.buffers.size()), peak(), std::move(algorithm)};
  for (size_t i = 0; i < addresses.size(); ++i)
    for (const auto [buffer, offset] : all->bodies[i].members)
      result.addresses[buffer] = addresses[i] + offset;
  return result;
}

} // namespace tilerig::compiler
