// Hardware defects as data: the kinds that a fault file can request (see README.md beside this file).
//
// The number of a transfer or signal is its index among the transfers or signals of its tile: in program
// order, from 0, across all stages.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig::emulator {

// A lane of the POD (matrix engine) of a tile, which has gridSize x gridSize lanes. The lane computes the
// outputs whose position and output number, modulo gridSize, equal `position` and `output`.
struct Lane {
  uint32_t tile = 0, position = 0, output = 0;
  static constexpr uint32_t gridSize = 16;
};
struct StuckBit {
  Lane lane;
  uint32_t bit = 0; // number of the stuck bit in the 32-bit accumulator
  bool value = false;
};
// Accumulators of the POD (matrix engine) of a tile that are too narrow: integer sums are truncated to their
// lowest `bits` bits and sign-extended.
struct NarrowAccumulators {
  uint32_t tile = 0, bits = 0;
};
struct FlippedBit {
  bool inDdr = false;
  // Tile in whose on-chip memory the flipped bit is; has no meaning if the bit is in DDR.
  uint32_t tile = 0;
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
// A transfer that should go to tile `receiver` goes to tile `actual`.
struct WrongDestination {
  uint32_t tile = 0, transfer = 0;
  uint32_t receiver = 0, actual = 0;
};

struct Defects {
  std::vector<StuckBit> stuckBits = {};
  std::vector<Lane> deadLanes = {};
  std::vector<NarrowAccumulators> narrowAccumulators = {};
  uint64_t deadTiles = 0; // set of the dead tiles, one bit for each tile
  std::vector<FlippedBit> flippedBits = {};
  std::vector<LostSignal> lostSignals = {};
  std::vector<DelayedTransfer> delayedTransfers = {};
  std::vector<WrongDestination> wrongDestinations = {};

  bool empty() const {
    return !needTime() && stuckBits.empty() && deadLanes.empty() && narrowAccumulators.empty() &&
           deadTiles == 0;
  }
  // Whether there is a defect whose effect depends on time. Such a defect can cause races even in a program
  // that is proved free of them, so the program must run beat by beat (BeatsSession).
  bool needTime() const {
    return !flippedBits.empty() || !lostSignals.empty() || !delayedTransfers.empty() ||
           !wrongDestinations.empty();
  }
  bool isDead(unsigned tile) const { return deadTiles >> tile & 1; }
  // Whether the tile has a defect of the accumulators of its POD (matrix engine).
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

} // namespace tilerig::emulator
