#include "tests/unit/Instructions/Twins.h"

namespace tilerig {

using enum ElementType;
using samples::make;

void addControlTwins(Twins &twins) {
  twins
      .add(
          make<Sync>(), [](Sync &sync) { sync.engine = sync.on; }, "on",
          "an engine other than the one that waits")
      .add(
          make<Sync>(), [](Sync &sync) { sync.on = Engine::sequencer; }, "on", "expected pod, pe")
      .add(
          make<Signal>(), [](Signal &signal) { signal.tile = samples::tiles; }, "tile",
          "a tile of the program, 0..3")
      .add(
          make<Signal>(), [](Signal &signal) { signal.semaphore = 16; }, "semaphore",
          "a semaphore of the machine, 0..15")
      .add(
          make<Signal>(), [](Signal &signal) { signal.amount = 0; }, "amount", "expected 1..4294967295")
      .add(
          make<Wait>(), [](Wait &wait) { wait.semaphore = 16; }, "semaphore",
          "a semaphore of the machine, 0..15")
      .add(
          make<Wait>(), [](Wait &wait) { wait.value = 0; }, "value", "expected 1..")
      .add(
          make<GroupBarrier>(), [](GroupBarrier &barrier) { barrier.tiles |= 1 << 4; }, "tiles",
          "contains tile 4; expected tiles of the program only, 0..3")
      .add(
          make<GroupBarrier>(), [](GroupBarrier &barrier) { barrier.tiles |= uint64_t{1} << 63; }, "tiles",
          "contains tile 63")
      .add(
          make<GroupBarrier>(), [](GroupBarrier &barrier) { barrier.tiles = 0b1001; }, "tiles",
          "does not contain tile 1; expected the instruction's own tile")
      .add(
          make<GroupBarrier>(), [](GroupBarrier &barrier) { barrier.tiles = 0; }, "tiles",
          "does not contain tile 1; expected the instruction's own tile")
      .add(
          make<Halt>(), [](Halt &halt) { halt.layer = 1 << 24; }, "layer", "0..16777215")
      .add(
          make<Marker>(), [](Marker &marker) { marker.kind = MarkerKind(3); }, "kind", "is 3");
}

} // namespace tilerig
