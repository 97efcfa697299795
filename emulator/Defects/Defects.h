// Hardware that is broken on purpose, as data: what README.md beside this file says a fault file can ask for.
//
// Indices of transfers and signals count those of a tile in the order of its program, from 0, through the
// stages in their order.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig {

// A place in the grid of the POD: it computes the outputs whose position and number have these remainders.
struct Lane {
  uint32_t tile = 0, position = 0, output = 0;
  static constexpr uint32_t gridSize = 16;
};
struct StuckBit {
  Lane lane;
  uint32_t bit = 0; // of the 32 of the accumulator
  bool value = false;
};
// Sums of integers keep so many bits, with their sign.
struct NarrowAccumulators {
  uint32_t tile = 0, bits = 0;
};
struct FlippedBit {
  bool inDdr = false;
  uint32_t tile = 0; // else in the OCM of this tile
  uint64_t address = 0;
  uint32_t bit = 0;
  uint64_t cycle = 0;
};
struct LostSignal {
  uint32_t tile = 0, signal = 0;
};
struct DelayedTransfer {
  uint32_t tile = 0, transfer = 0;
  uint64_t cycles = 0;
};
// What should go to `receiver` goes to `actual`.
struct WrongDestination {
  uint32_t tile = 0, transfer = 0;
  uint32_t receiver = 0, actual = 0;
};

struct Defects {
  std::vector<StuckBit> stuckBits = {};
  std::vector<Lane> deadLanes = {};
  std::vector<NarrowAccumulators> narrowAccumulators = {};
  uint64_t deadTiles = 0; // a set
  std::vector<FlippedBit> flippedBits = {};
  std::vector<LostSignal> lostSignals = {};
  std::vector<DelayedTransfer> delayedTransfers = {};
  std::vector<WrongDestination> wrongDestinations = {};

  bool empty() const {
    return !needTime() && stuckBits.empty() && deadLanes.empty() && narrowAccumulators.empty() &&
           deadTiles == 0;
  }
  // Whether what happens depends on when: then a proof says nothing, and the run goes by beats.
  bool needTime() const {
    return !flippedBits.empty() || !lostSignals.empty() || !delayedTransfers.empty() ||
           !wrongDestinations.empty();
  }
  bool isDead(unsigned tile) const { return deadTiles >> tile & 1; }
  // Whether something of its accumulators is broken.
  bool hasLanes(unsigned tile) const {
    for (const NarrowAccumulators &narrow : narrowAccumulators)
      if (narrow.tile == tile)
        return true;
    for (const StuckBit &stuck : stuckBits)
      if (stuck.lane.tile == tile)
        return true;
    for (const Lane &lane : deadLanes)
      if (lane.tile == tile)
        return true;
    return false;
  }
};

} // namespace tilerig
