#include "tests/unit/Instructions/Twins.h"

namespace tilerig {

using enum ElementType;
using samples::make;

void addControlTwins(Twins &twins) {
  twins
      .add(
          make<Sync>(), [](Sync &sync) { sync.engine = sync.on; }, "on", "an engine other than")
      .add(
          make<Sync>(), [](Sync &sync) { sync.on = Engine::sequencer; }, "on", "expected pod, pe")
      .add(
          make<Signal>(), [](Signal &signal) { signal.tile = samples::tiles; }, "tile",
          "a tile of the program, 0..3")
      .add(
          make<Signal>(), [](Signal &signal) { signal.semaphore = 16; }, "semaphore", "expected 0..15")
      .add(
          make<Signal>(), [](Signal &signal) { signal.amount = 0; }, "amount", "expected 1..4294967295")
      .add(
          make<Wait>(), [](Wait &wait) { wait.semaphore = 16; }, "semaphore", "expected 0..15")
      .add(
          make<Wait>(), [](Wait &wait) { wait.value = 0; }, "value", "expected 1..")
      .add(
          make<GroupBarrier>(), [](GroupBarrier &barrier) { barrier.tiles |= 1 << 4; }, "tiles", "bits 0..3")
      .add(
          make<GroupBarrier>(), [](GroupBarrier &barrier) { barrier.tiles |= uint64_t{1} << 63; }, "tiles",
          "bits 0..3")
      .add(
          make<GroupBarrier>(), [](GroupBarrier &barrier) { barrier.tiles = 0b1001; }, "tiles",
          "own tile is a member")
      .add(
          make<GroupBarrier>(), [](GroupBarrier &barrier) { barrier.tiles = 0; }, "tiles",
          "own tile is a member")
      .add(
          make<Halt>(), [](Halt &halt) { halt.layer = 1 << 24; }, "layer", "0..16777215")
      .add(
          make<Marker>(), [](Marker &marker) { marker.kind = MarkerKind(3); }, "kind", "is 3");
}

} // namespace tilerig
