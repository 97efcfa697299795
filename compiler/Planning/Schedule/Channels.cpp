#include "compiler/Planning/Schedule/Channels.h"

#include <algorithm>
#include <tuple>

namespace tilerig::compiler {

bool Channels::fit(unsigned semaphores) const {
  for (unsigned to = 0; to < tiles; ++to) {
    unsigned producers = 0;
    for (EngineId from = 0; from < tiles * enginesPerTile; ++from)
      producers += uses[at(from, to)] > 0;
    if (producers > semaphores)
      return false;
  }
  return true;
}

void Channels::limitTo(unsigned semaphores) {
  open.assign(uses.size(), false);
  relays.clear();
  for (unsigned tile = 0; tile < tiles; ++tile)
    for (unsigned to = 0; to < tiles; ++to)
      relays.push_back(bestRelay(tile, to));
  for (unsigned to = 0; to < tiles; ++to)
    limitTile(to, semaphores);
}

EngineId Channels::bestRelay(unsigned tile, unsigned to) const {
  const EngineId first = tile * enginesPerTile;
  const auto cost = [&](EngineId engine) {
    const int64_t signals = uses[at(engine, to)];
    return std::tuple(signals == 0, delays[at(engine, to)], -signals);
  };
  EngineId best = first;
  for (EngineId engine = first + 1; engine < first + enginesPerTile; ++engine)
    if (cost(engine) < cost(best))
      best = engine;
  return best;
}

void Channels::limitTile(unsigned to, unsigned semaphores) {
  std::vector<EngineId> wanted;
  for (EngineId from = 0; from < tiles * enginesPerTile; ++from)
    if (uses[at(from, to)] > 0)
      wanted.push_back(from);
  // Order in which engines get semaphores of the tile `to`. The relay of each other tile comes first, then all
  // other engines of those tiles. The engines of the tile itself come last, because they can
  // do without a semaphore.
  const auto rank = [&](EngineId from) {
    const unsigned tile = tileOfEngine(from);
    return tile == to ? 2 : relayOf(tile, to) == from ? 0 : 1;
  };
  std::ranges::stable_sort(wanted, [&](EngineId a, EngineId b) {
    return std::pair(rank(a), uses[at(b, to)]) < std::pair(rank(b), uses[at(a, to)]);
  });
  wanted.resize(std::min<size_t>(wanted.size(), semaphores));
  for (const EngineId from : wanted)
    open[at(from, to)] = true;
}

EngineId Channels::signallerFor(EngineId from, unsigned to) const {
  if (open.empty() || open[at(from, to)])
    return from;
  const unsigned tile = tileOfEngine(from);
  const EngineId relay = relayOf(tile, to);
  return tile != to && open[at(relay, to)] ? relay : noEngine;
}

} // namespace tilerig::compiler
