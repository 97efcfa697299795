#include "tests/support/Samples.h"

namespace tilerig::samples {

using enum ElementType;

Machine machine() {
  Machine machine;
  machine.name = "sample";
  machine.network.tiles = tiles;
  machine.ddr.sizeBytes = uint64_t{8} << 30;
  machine.tile.ocmBytes = 64 << 10;
  machine.tile.semaphores = 16;
  return machine;
}

Stream stream(ElementType type, std::array<uint32_t, 5> sizes, Space space) {
  Stream stream{.space = space, .type = type, .base = 1024};
  uint32_t extent = sizeBytes(type);
  for (int d = 4; d >= 0; --d) {
    stream.dims[d] = {sizes[d], sizes[d] > 1 ? extent : 0};
    extent *= sizes[d];
  }
  return stream;
}

Vector vector(uint64_t base) { return {.present = true, .base = base}; }

Affine affine() { return {.scale = 0.5f, .zeroPoint = 3}; }

Finish finish(ElementType type) {
  Finish finish;
  if (isQuantised(type)) {
    finish.clampLow = type == i8 ? -128 : type == u8 ? 0 : -256;
    finish.clampHigh = type == i8 ? 127 : 255;
    finish.output = affine();
  }
  return finish;
}

} // namespace tilerig::samples
