#include "tests/unit/Instructions/Twins.h"

namespace tilerig {

using enum ElementType;
using samples::make;

namespace {

template <class T>
void addClip(Twins &twins) {
  T narrowing = make<T>(), widening = make<T>();
  narrowing.source.type = i9;
  narrowing.destination = samples::stream(u8, {1, 2, 3, 4, 5}, narrowing.destination.space);
  narrowing.clip = true;
  widening.source.type = fp16;
  twins
      .add(
          narrowing,
          [](T &instruction) {
            instruction.destination = samples::stream(i9, {1, 2, 3, 4, 5}, instruction.destination.space);
          },
          "clip", "does not convert i9")
      .add(
          widening, [](T &instruction) { instruction.clip = true; }, "clip", "expected 0");
}

} // namespace

void addDmaTwins(Twins &twins) {
  addClip<Load>(twins);
  addClip<Store>(twins);
  addClip<Multicast>(twins);
  twins
      .add(
          make<Multicast>(), [](Multicast &multicast) { multicast.tiles = 0; }, "tiles", "at least one")
      .add(
          make<Multicast>(), [](Multicast &multicast) { multicast.tiles = 0b10001; }, "tiles",
          "contains tile 4")
      .add(
          make<Gather>(), [](Gather &gather) { gather.indices.type = fp32; }, "indices.type", "expected i32")
      .add(
          make<Gather>(), [](Gather &gather) { gather.indices.dims[4].size = 5; }, "destination.dims[2].size",
          "5, the value of indices.dims[4].size")
      .add(
          make<Load>(), [](Load &load) { load.source.type = bf16; }, "destination.type",
          "where source is bf16");
}

} // namespace tilerig
