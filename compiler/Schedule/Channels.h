// Which engines signal which tiles.
//
// A semaphore of a tile has one producing engine in a stage, and a tile has a limited number of them. As long
// as they suffice every engine signals for itself. Where more engines have something for a tile than it has
// semaphores, one engine of each tile, the one that has most for it, signals for the others (a relay); what
// is left over goes to those who have most. And where even the tiles are more than the semaphores, the rest
// has to meet at barriers.
#pragma once

#include "compiler/Schedule/Task.h"

namespace tilerig {

class Channels {
public:
  explicit Channels(unsigned tiles) : tiles(tiles), uses(size_t{tiles} * enginesPerTile * tiles) {}

  // The engine has something for a tile.
  void use(EngineId from, unsigned to) { ++uses[at(from, to)]; }
  // Whether every tile has as many semaphores as there are engines that have something for it.
  bool fit(unsigned semaphores) const;
  // From now on no tile is signalled by more engines than that.
  void limitTo(unsigned semaphores);

  // Who signals the tile for that engine: the engine itself, another one of its tile, or noEngine. An engine
  // that signals its own tile has no other to do it.
  EngineId signallerFor(EngineId from, unsigned to) const;

private:
  size_t at(EngineId from, unsigned to) const { return size_t{from} * tiles + to; }
  EngineId busiestOf(unsigned tile, unsigned to) const;
  void limitTile(unsigned to, unsigned semaphores);

  unsigned tiles;
  std::vector<uint32_t> uses;
  std::vector<bool> open; // empty: all
};

} // namespace tilerig
