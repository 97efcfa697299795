// Tests of the times of the PE (vector engine), worked out by hand for each instruction.

#include "isa/Timing/Pe.h"
#include "tests/unit/Timing/Shapes.h"

#include <gtest/gtest.h>

using namespace tilerig;

namespace {

constexpr Sizes5 image = {1, 1, 32, 32, 64}; // 65536 elements
constexpr uint64_t elements = 32 * 32 * 64;
constexpr uint64_t start = 16;

Stream of(ElementType type, const Sizes5 &sizes = image) { return dense(type, sizes); }
template <class T>
uint64_t cyclesOf(const T &instruction) {
  return timeOf(instruction, tr64()).cycles();
}

TEST(Pe, binaryReadsBothOperandsThroughOneWay) {
  Binary add = {.a = of(ElementType::i8), .b = of(ElementType::i8), .output = of(ElementType::i8)};
  EXPECT_EQ(cyclesOf(add), start + 2 * elements / 64);
  add.b = of(ElementType::fp32);
  EXPECT_EQ(cyclesOf(add), start + 5 * elements / 64);
  add.output = of(ElementType::fp32);
  add.a = add.b = of(ElementType::i8);
  EXPECT_EQ(cyclesOf(add), start + 4 * elements / 64);
}

TEST(Pe, specialFunctionsTakeSixteenElementsACycle) {
  Binary binary = {.function = BinaryFunction::div,
                   .a = of(ElementType::i8),
                   .b = of(ElementType::i8),
                   .output = of(ElementType::i8)};
  EXPECT_EQ(cyclesOf(binary), start + elements / 16);
  binary.finish.function = UnaryFunction::exp;
  EXPECT_EQ(cyclesOf(binary), start + 2 * elements / 16);
  Activate activate = {.input = of(ElementType::i8), .output = of(ElementType::i8)};
  EXPECT_EQ(cyclesOf(activate), start + elements / 64);
  activate.finish.function = UnaryFunction::hardSwish;
  EXPECT_EQ(cyclesOf(activate), start + elements / 64);
  activate.finish.function = UnaryFunction::silu;
  EXPECT_EQ(cyclesOf(activate), start + elements / 16);
  Lookup lookup = {.input = of(ElementType::i9), .output = of(ElementType::i8)};
  EXPECT_EQ(cyclesOf(lookup), start + elements / 16);
  EXPECT_EQ(timeOf(lookup, tr64()).bytesRead, 2 * elements + 512);
}

TEST(Pe, broadcastOperandsAreReadOnce) {
  Binary scale = {
      .a = of(ElementType::i8), .b = of(ElementType::fp32, {1, 1, 1, 1, 1}), .output = of(ElementType::i8)};
  for (unsigned d = 0; d < 5; ++d)
    scale.b.dims[d] = {image[d], 0};
  EXPECT_EQ(timeOf(scale, tr64()).bytesRead, elements + 16);
  for (unsigned d = 0; d < 4; ++d) // every pixel reads the vector of 64 scales again
    scale.b.dims[d] = {image[d], 0};
  scale.b.dims[4] = {64, 4};
  EXPECT_EQ(timeOf(scale, tr64()).bytesRead, elements + 4 * elements);
}

TEST(Pe, selectReadsThreeOperands) {
  Select select = {.condition = of(ElementType::u8),
                   .a = of(ElementType::i8),
                   .b = of(ElementType::i8),
                   .output = of(ElementType::i8)};
  EXPECT_EQ(cyclesOf(select), start + 3 * elements / 64);
}

TEST(Pe, poolReadsEveryTapAnew) {
  Pool pool = {.kernelH = 3,
               .kernelW = 3,
               .input = of(ElementType::i8, {1, 1, 34, 34, 64}),
               .output = of(ElementType::i8)};
  EXPECT_EQ(cyclesOf(pool), start + 9 * elements / 64);
  pool.function = PoolFunction::average; // the divisions of the average run in parallel with the sums
  EXPECT_EQ(timeOf(pool, tr64()).specialCycles, elements / 16);
  EXPECT_EQ(cyclesOf(pool), start + 9 * elements / 64);
  Pool global = {.function = PoolFunction::average,
                 .kernelH = 7,
                 .kernelW = 7,
                 .input = of(ElementType::i8, {1, 1, 7, 7, 64}),
                 .output = of(ElementType::i8, {1, 1, 1, 1, 64})};
  EXPECT_EQ(cyclesOf(global), start + 49); // a global pool reads every pixel of the image once
}

TEST(Pe, reduceReadsItsInputOnce) {
  Reduce sum = {
      .axes = 0b00110, .input = of(ElementType::fp16), .output = of(ElementType::fp16, {1, 1, 1, 32, 64})};
  EXPECT_EQ(cyclesOf(sum), start + 2 * elements / 64);
  Reduce mean = {.function = ReduceFunction::mean,
                 .axes = 0b10000,
                 .input = of(ElementType::i8, {1, 1, 1, 4096, 1}),
                 .output = of(ElementType::i8, {1, 1, 1, 4096, 1})};
  EXPECT_EQ(cyclesOf(mean), start + 4096 / 16);
}

TEST(Pe, softmaxAndNormalisationPassSeveralTimes) {
  Softmax softmax = {.input = of(ElementType::fp16), .output = of(ElementType::fp16)};
  // Softmax takes two exp and a division for each element.
  EXPECT_EQ(cyclesOf(softmax), start + 3 * elements / 16);
  EXPECT_EQ(timeOf(softmax, tr64()).bytesRead, 3 * 2 * elements);
  softmax.logarithm = true;
  EXPECT_EQ(cyclesOf(softmax), start + 3 * 2 * elements / 64);
  Normalize layer = {.input = of(ElementType::fp32), .output = of(ElementType::fp32)};
  EXPECT_EQ(cyclesOf(layer), start + 3 * 4 * elements / 64);
  layer.gain = of(ElementType::fp32);
  EXPECT_EQ(cyclesOf(layer), start + 4 * 4 * elements / 64);
  Normalize rms = {
      .mode = NormalizeMode::rootMeanSquare, .input = of(ElementType::i8), .output = of(ElementType::i8)};
  EXPECT_EQ(timeOf(rms, tr64()).bytesRead, 2 * elements);
  EXPECT_EQ(cyclesOf(rms), start + elements / 16);
}

TEST(Pe, copiesMoveAtFullWidthUnlessTheyTranspose) {
  Copy copy = {.input = of(ElementType::i8), .output = of(ElementType::i8)};
  EXPECT_EQ(cyclesOf(copy), start + elements / 64);
  // A transpose of rows and columns: neighbouring elements of the output are far apart in the input.
  std::swap(copy.input.dims[3], copy.input.dims[4]);
  EXPECT_EQ(cyclesOf(copy), start + elements / 4);
  // A copy that exchanges rows and columns, but moves whole pixels of 64 bytes, has no extra cost.
  Copy exchanged = {.input = of(ElementType::i8), .output = of(ElementType::i8)};
  std::swap(exchanged.input.dims[2], exchanged.input.dims[3]);
  EXPECT_EQ(cyclesOf(exchanged), start + elements / 64);
}

TEST(Pe, flattenWritesEveryTap) {
  Flatten flatten = {.input = of(ElementType::i8, {1, 1, 34, 34, 3}),
                     .output = of(ElementType::i8, {32, 32, 3, 3, 3})};
  PeTime time = timeOf(flatten, tr64());
  EXPECT_EQ(time.bytesWritten, 32 * 32 * 27u);
  EXPECT_EQ(time.bytesRead, 32 * 32 * 3 * 16u); // a row of taps has 9 bytes and needs one OCM access
  EXPECT_EQ(time.cycles(), start + 32 * 32 * 3 * 16 / 64);
}

TEST(Pe, resizeReadsItsTapsForEveryPixel) {
  Resize resize = {.input = of(ElementType::i8, {1, 1, 16, 16, 64}), .output = of(ElementType::i8)};
  EXPECT_EQ(cyclesOf(resize), start + elements / 64);
  resize.mode = ResizeMode::linear;
  EXPECT_EQ(cyclesOf(resize), start + 4 * elements / 64);
  resize.mode = ResizeMode::cubic;
  EXPECT_EQ(cyclesOf(resize), start + 16 * elements / 64);
}

TEST(Pe, resizedPixelsAreAccessesOfTheirOwn) {
  Resize resize = {.input = of(ElementType::i8, {1, 1, 16, 16, 3}),
                   .output = of(ElementType::i8, {1, 1, 32, 32, 3})};
  EXPECT_EQ(timeOf(resize, tr64()).bytesRead, 32 * 32 * 16u);
  resize.mode = ResizeMode::linear;
  EXPECT_EQ(timeOf(resize, tr64()).bytesRead, 32 * 32 * 4 * 16u);
}

TEST(Pe, fillOnlyWrites) {
  Fill fill = {.output = of(ElementType::fp16)};
  EXPECT_EQ(cyclesOf(fill), start + 2 * elements / 64);
  EXPECT_EQ(timeOf(fill, tr64()).bytesRead, 0u);
}

} // namespace
