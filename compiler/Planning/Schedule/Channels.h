// Allocation of semaphores: decides which engine signals which tile.
//
// In a stage, only one engine may signal a semaphore of a tile, and a tile has a limited number of
// semaphores. If there are enough, every engine signals for itself. If more engines signal a tile than it has
// semaphores, each sending tile selects one engine as a relay, which also signals for the other engines of its
// tile: of those that have signals of their own for the receiver, the one that costs the fewest cycles. Remaining
// semaphores go to the engines with the most signals. If even the sending tiles outnumber the semaphores, the tiles
// left without a semaphore use barriers.
#pragma once

#include "compiler/Planning/Schedule/Task.h"

namespace tilerig::compiler {

class Channels {
public:
  explicit Channels(unsigned tiles)
      : tiles(tiles), uses(size_t{tiles} * enginesPerTile * tiles), delays(uses.size()) {}

  // Counts one more signal that the engine has to send to a tile.
  void use(EngineId from, unsigned to) { ++uses[at(from, to)]; }
  // Counts cycles that a signal of another engine to a tile would cost if this engine were the relay for it.
  void delay(EngineId relay, unsigned to, uint64_t cycles) { delays[at(relay, to)] += cycles; }
  // Whether every tile has enough semaphores for all engines that signal it.
  bool fit(unsigned semaphores) const;
  bool areLimited() const { return !open.empty(); }
  // For every tile, limits the number of engines that signal it to `semaphores`.
  void limitTo(unsigned semaphores);

  // The engine that signals the tile for the engine `from`: `from` itself or, if it has no semaphore, a relay
  // on its tile; noEngine if there is none. Engines that signal their own tile have no relay.
  EngineId signallerFor(EngineId from, unsigned to) const;

private:
  size_t at(EngineId from, unsigned to) const { return size_t{from} * tiles + to; }
  EngineId bestRelay(unsigned tile, unsigned to) const;
  EngineId relayOf(unsigned tile, unsigned to) const { return relays[size_t{tile} * tiles + to]; }
  void limitTile(unsigned to, unsigned semaphores);

  unsigned tiles;
  std::vector<uint32_t> uses;
  std::vector<uint64_t> delays;
  std::vector<EngineId> relays; // by sending tile and receiver, once limits are set
  std::vector<bool> open;       // whether the engine may signal the tile; empty: all engines may
};

} // namespace tilerig::compiler
