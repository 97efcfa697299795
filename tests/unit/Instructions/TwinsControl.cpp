#include "tests/unit/Instructions/Twins.h"

namespace tilerig {

using enum ElementType;
using samples::make;

void addControlTwins(Twins &twins) {
  twins
      .add(
          make<Sync>(), [](Sync &it) { it.engine = it.on; }, "on", "an engine other than")
      .add(
          make<Sync>(), [](Sync &it) { it.on = Engine::sequencer; }, "on", "expected pod, pe")
      .add(
          make<Signal>(), [](Signal &it) { it.tile = samples::tiles; }, "tile", "a tile of the program, 0..3")
      .add(
          make<Signal>(), [](Signal &it) { it.semaphore = 16; }, "semaphore", "expected 0..15")
      .add(
          make<Signal>(), [](Signal &it) { it.amount = 0; }, "amount", "expected 1..4294967295")
      .add(
          make<Wait>(), [](Wait &it) { it.semaphore = 16; }, "semaphore", "expected 0..15")
      .add(
          make<Wait>(), [](Wait &it) { it.value = 0; }, "value", "expected 1..")
      .add(
          make<GroupBarrier>(), [](GroupBarrier &it) { it.tiles |= 1 << 4; }, "tiles", "bits 0..3")
      .add(
          make<GroupBarrier>(), [](GroupBarrier &it) { it.tiles |= uint64_t{1} << 63; }, "tiles", "bits 0..3")
      .add(
          make<GroupBarrier>(), [](GroupBarrier &it) { it.tiles = 0b1001; }, "tiles", "own tile is a member")
      .add(
          make<GroupBarrier>(), [](GroupBarrier &it) { it.tiles = 0; }, "tiles", "own tile is a member")
      .add(
          make<Halt>(), [](Halt &it) { it.layer = 1 << 24; }, "layer", "0..16777215")
      .add(
          make<Marker>(), [](Marker &it) { it.kind = MarkerKind(3); }, "kind", "is 3");
}

} // namespace tilerig
