#include "tests/unit/Instructions/Samples.h"

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

template <>
Halt make() {
  return {.layer = 5};
}
template <>
Sync make() {
  return {.engine = Engine::pod, .on = Engine::dmaIn, .pending = 2};
}
template <>
Signal make() {
  return {.engine = Engine::dmaOut, .tile = 3, .semaphore = 15, .amount = 7};
}
template <>
Wait make() {
  return {.engine = Engine::pe, .semaphore = 15, .value = 9};
}
template <>
GroupBarrier make() {
  return {.tiles = 0b1011};
}
template <>
GlobalBarrier make() {
  return {};
}
template <>
Delay make() {
  return {.engine = Engine::pod, .id = 4, .cycles = 100};
}
template <>
Marker make() {
  return {.kind = MarkerKind::breakpoint, .id = 3};
}

template <>
Load make() {
  return {.source = stream(fp16, {1, 2, 3, 4, 5}, Space::ddr), .destination = stream(fp16, {1, 2, 3, 4, 5})};
}
template <>
Store make() {
  return {.source = stream(fp16, {1, 2, 3, 4, 5}), .destination = stream(fp16, {1, 2, 3, 4, 5}, Space::ddr)};
}
template <>
Multicast make() {
  return {.tiles = 0b101,
          .source = stream(fp16, {1, 2, 3, 4, 5}, Space::ddr),
          .destination = stream(fp16, {1, 2, 3, 4, 5})};
}
template <>
Gather make() {
  return {.indices = stream(i32, {1, 1, 1, 1, 6}),
          .source = stream(fp16, {1, 1, 9, 2, 3}, Space::ddr),
          .destination = stream(fp16, {1, 1, 6, 2, 3})};
}

template <>
Matmul make() {
  return {.a = stream(fp32, {1, 2, 1, 5, 7}),
          .b = stream(fp32, {1, 2, 1, 3, 7}),
          .output = stream(fp32, {1, 2, 1, 5, 3})};
}
Matmul integerMatmul(ElementType output) {
  Matmul matmul = make<Matmul>();
  matmul.a = stream(i8, {1, 2, 1, 5, 7});
  matmul.b = stream(i8, {1, 2, 1, 3, 7});
  matmul.output = stream(output, {1, 2, 1, 5, 3});
  matmul.epilogue.finish = finish(output);
  if (output != i32)
    matmul.epilogue.scale = vector();
  return matmul;
}

// Convolution with 2 groups of 3 channels, 4 outputs, a kernel of 3 x 2, and an input of 6 rows, with stride
// 2 and one row of padding above.
template <>
Conv make() {
  Conv conv{.groups = 2,
            .window = {.strideH = 2, .padTop = 1},
            .input = stream(u8, {1, 2, 6, 7, 6}),
            .weights = stream(i8, {1, 4, 3, 2, 3}),
            .output = stream(i8, {1, 2, 3, 6, 4})};
  conv.epilogue.bias = vector(64);
  conv.epilogue.scale = vector(128);
  conv.epilogue.inputZeroPoint = 200;
  conv.epilogue.weightZeroPoint = -100;
  conv.epilogue.finish = finish(i8);
  return conv;
}
Conv convWithAddend() {
  Conv conv = make<Conv>();
  conv.epilogue.middleType = u8;
  conv.epilogue.middle = affine();
  conv.epilogue.addend = stream(i8, {1, 2, 3, 6, 4});
  conv.epilogue.addendAffine = affine();
  return conv;
}

template <>
Binary make() {
  return {.aAffine = affine(),
          .bAffine = affine(),
          .finish = finish(i8),
          .a = stream(i8, {1, 2, 3, 4, 5}),
          .b = stream(i8, {1, 2, 3, 4, 5}),
          .output = stream(i8, {1, 2, 3, 4, 5})};
}
template <>
Select make() {
  return {.aAffine = affine(),
          .bAffine = affine(),
          .finish = finish(i8),
          .condition = stream(u8, {1, 2, 3, 4, 5}),
          .a = stream(i8, {1, 2, 3, 4, 5}),
          .b = stream(i8, {1, 2, 3, 4, 5}),
          .output = stream(i8, {1, 2, 3, 4, 5})};
}
template <>
Activate make() {
  return {.inputAffine = affine(),
          .finish = {.function = UnaryFunction::relu},
          .input = stream(i8, {1, 2, 3, 4, 5}),
          .output = stream(fp16, {1, 2, 3, 4, 5})};
}
template <>
Lookup make() {
  return {.table = vector(), .input = stream(i8, {1, 2, 3, 4, 5}), .output = stream(i8, {1, 2, 3, 4, 5})};
}

// Pool with windows of 3 x 2 over an input of 6 x 7.
template <>
Pool make() {
  return {.kernelH = 3,
          .kernelW = 2,
          .window = {.strideH = 2, .padTop = 1},
          .inputAffine = affine(),
          .finish = finish(i8),
          .input = stream(i8, {1, 2, 6, 7, 5}),
          .output = stream(i8, {1, 2, 3, 6, 5})};
}
template <>
Reduce make() {
  return {.axes = 0b01010,
          .inputAffine = affine(),
          .finish = finish(i8),
          .input = stream(i8, {1, 2, 3, 4, 5}),
          .output = stream(i8, {1, 1, 3, 1, 5})};
}
template <>
Softmax make() {
  return {
      .inputAffine = affine(), .input = stream(i8, {1, 2, 3, 4, 5}), .output = stream(fp32, {1, 2, 3, 4, 5})};
}
template <>
Normalize make() {
  return {.innerDims = 2,
          .epsilon = 1e-5f,
          .input = stream(fp16, {1, 2, 3, 4, 5}),
          .gain = stream(fp32, {1, 2, 3, 4, 5}),
          .output = stream(fp16, {1, 2, 3, 4, 5})};
}
template <>
Copy make() {
  return {.input = stream(fp16, {1, 2, 3, 4, 5}), .output = stream(fp16, {1, 2, 3, 4, 5})};
}
template <>
Flatten make() {
  return {.padValue = 0xFF,
          .window = {.strideH = 2, .padTop = 1},
          .input = stream(i8, {1, 1, 6, 7, 5}),
          .output = stream(i8, {3, 6, 3, 2, 5})};
}
template <>
Resize make() {
  return {.mode = ResizeMode::linear,
          .rows = {.numerator = 1, .denominator = 2},
          .columns = {.numerator = 3, .denominator = 2, .offset = -1},
          .input = stream(fp16, {1, 2, 6, 9, 5}),
          .output = stream(fp16, {1, 2, 12, 6, 5})};
}
template <>
Fill make() {
  return {.value = 0x80, .output = stream(i8, {1, 2, 3, 4, 5})};
}

} // namespace tilerig::samples
