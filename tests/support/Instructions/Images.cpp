// Pooling and resampling instructions for tests: samples, random instructions, and twins (pairs of a legal
// instruction and one that breaks a single rule).
#include "tests/support/RandomOperands.h"
#include "tests/support/Twins.h"

#include <algorithm>

namespace tilerig::test {

using samples::make, samples::stream, samples::vector, samples::affine, samples::finish;

namespace {

// --- Samples ---

// Pool with windows of 3 x 2 over an input of 6 x 7.
void makeSample(Pool &pool) {
  pool = {.kernelH = 3,
          .kernelW = 2,
          .window = {.strideH = 2, .padTop = 1},
          .inputAffine = affine(),
          .finish = finish(i8),
          .input = stream(i8, {1, 2, 6, 7, 5}),
          .output = stream(i8, {1, 2, 3, 6, 5})};
}

void makeSample(Resize &resize) {
  resize = {.mode = ResizeMode::linear,
            .rows = {.numerator = 1, .denominator = 2},
            .columns = {.numerator = 3, .denominator = 2, .offset = -1},
            .input = stream(fp16, {1, 2, 6, 9, 5}),
            .output = stream(fp16, {1, 2, 12, 6, 5})};
}

// The functions draw() below fill pooling and resampling instructions with random legal fields.

// Whether every window along one axis has a tap inside the input; a plain loop over all windows and taps.
bool hasTaps(uint32_t outputs, uint32_t taps, uint32_t stride, uint32_t dilation, uint32_t pad,
             uint32_t size) {
  for (uint32_t o = 0; o < outputs; ++o) {
    bool inside = false;
    for (uint32_t i = 0; i < taps; ++i) {
      const int64_t position = int64_t{o} * stride + int64_t{i} * dilation - pad;
      inside |= 0 <= position && position < size;
    }
    if (!inside)
      return false;
  }
  return true;
}

void drawImage(Pool &pool, Operands &operands, Sizes &input, Sizes &output) {
  Random &random = operands.random;
  const Window &w = pool.window;
  bool legal = false;
  while (!legal) {
    pool.window = randomWindow(random);
    pool.kernelH = static_cast<uint16_t>(random.ragged(7));
    pool.kernelW = static_cast<uint16_t>(random.ragged(7));
    const auto channels = static_cast<uint32_t>(random.ragged(32));
    const uint32_t positions = operands.budget() / channels;
    const auto ow = static_cast<uint32_t>(random.ragged(std::min(positions, 30u)));
    const uint32_t width =
        coveredSize(random, ow, pool.kernelW, w.strideW, w.dilationW, w.padLeft, positions);
    const uint32_t rows = positions / std::max(ow, width);
    const auto oh = static_cast<uint32_t>(random.ragged(rows));
    const uint32_t height = coveredSize(random, oh, pool.kernelH, w.strideH, w.dilationH, w.padTop, rows);
    const auto batch = static_cast<uint32_t>(random.ragged(rows / std::max(oh, height)));
    input = {1, batch, height, width, channels};
    output = {1, batch, oh, ow, channels};
    legal = hasTaps(oh, pool.kernelH, w.strideH, w.dilationH, w.padTop, height) &&
            hasTaps(ow, pool.kernelW, w.strideW, w.dilationW, w.padLeft, width);
  }
}

void draw(Pool &pool, Random &random, const Site &site) {
  Operands operands(random, site);
  pool.layer = randomLayer(random);
  pool.function = pickEnum<PoolFunction>(random);
  if (pool.function == PoolFunction::averageWithPadding) {
    pool.padBottom = static_cast<uint32_t>(random.below(1u << 24));
    pool.padRight = static_cast<uint32_t>(random.below(8));
  }
  Sizes input, output;
  drawImage(pool, operands, input, output);
  drawInput(pool, operands, random.pick(realTypes), input);
  if (!isQuantised(pool.input.type))
    drawResult(pool, operands, output);
  else if (pool.function == PoolFunction::max)
    drawKept(pool, operands, output);
  else
    drawQuantisedSum(pool, operands, output);
}

// Draws the ratio and the start of a resize along one axis, from ranges that are much smaller than the
// machine permits.
ResizeAxis randomAxis(Random &random) {
  ResizeAxis axis;
  axis.denominator = static_cast<uint32_t>(random.ragged(UINT32_MAX));
  axis.numerator =
      static_cast<uint32_t>(random.below(std::min<uint64_t>(UINT32_MAX, uint64_t{axis.denominator} * 8)));
  axis.offset = random.between(-2 * int64_t{axis.denominator}, 2 * int64_t{axis.denominator});
  return axis;
}

void draw(Resize &resize, Random &random, const Site &site) {
  Operands operands(random, site);
  resize.layer = randomLayer(random);
  resize.mode = pickEnum<ResizeMode>(random);
  if (resize.mode == ResizeMode::cubic)
    resize.cubicCoefficient = finiteFloat(random);
  resize.rows = randomAxis(random);
  resize.columns = randomAxis(random);
  const Sizes output = [&] {
    Sizes sizes = operands.sizes();
    sizes[1] *= sizes[0];
    sizes[0] = 1;
    return sizes;
  }();
  const uint32_t area = operands.budget() / output[1] / output[4];
  const auto width = static_cast<uint32_t>(random.ragged(area));
  const auto height = static_cast<uint32_t>(random.ragged(area / width));
  drawInput(resize, operands, random.pick(realTypes), {1, output[1], height, width, output[4]});
  drawResult(resize, operands, output);
  if (resize.mode == ResizeMode::nearest && isQuantised(resize.input.type) &&
      resize.output.type == resize.input.type)
    resize.finish = keepingFinish(resize.input.type, resize.inputAffine);
}

} // namespace

void makeAny(MutableReferenceTo<Family::pooling> instruction) {
  std::visit([](auto *typed) { makeSample(*typed); }, instruction);
}
void makeAny(MutableReferenceTo<Family::resampling> instruction) {
  std::visit([](auto *typed) { makeSample(*typed); }, instruction);
}
void drawAny(MutableReferenceTo<Family::pooling> instruction, Random &random, const Site &site) {
  std::visit([&](auto *typed) { draw(*typed, random, site); }, instruction);
}
void drawAny(MutableReferenceTo<Family::resampling> instruction, Random &random, const Site &site) {
  std::visit([&](auto *typed) { draw(*typed, random, site); }, instruction);
}

void addImageTwins(Twins &twins) {
  Pool padded = make<Pool>();
  padded.function = PoolFunction::averageWithPadding;
  padded.padBottom = 1, padded.padRight = 2;
  twins
      .add(
          padded, [](Pool &pool) { pool.function = PoolFunction::average; }, "pad_bottom", "expected 0")
      .add(
          padded, [](Pool &pool) { pool.padBottom = 0, pool.function = PoolFunction::max; }, "pad_right",
          "expected 0")
      .add(
          make<Pool>(), [](Pool &pool) { pool.kernelH = 0; }, "kernel_h", "expected 1..65535");
  // Windows of 3 x 2 over an input of 6 x 7. Each change moves windows out of the input: with 3 rows of
  // padding above or 2 columns on the left, the first window has no tap inside; with a larger stride, the
  // last window starts beyond the input.
  twins
      .add(
          make<Pool>(), [](Pool &pool) { pool.window.padTop = 3; }, "window.pad_top",
          "window 0 has no tap inside the input")
      .add(
          make<Pool>(), [](Pool &pool) { pool.window.padLeft = 2; }, "window.pad_left",
          "window 0 has no tap inside the input")
      .add(
          make<Pool>(), [](Pool &pool) { pool.window.padTop = 0, pool.window.strideH = 3; },
          "output.dims[2].size", "starts at index 6, beyond the input, which has size 6")
      .add(
          make<Pool>(), [](Pool &pool) { pool.window.strideW = 2; }, "output.dims[3].size",
          "starts at index 10")
      // Taps at -1 and 7, outside the 7 columns of the input on both sides.
      .add(
          make<Pool>(), [](Pool &pool) { pool.window.padLeft = 1, pool.window.dilationW = 8; },
          "window.pad_left", "window 0 has no tap inside the input");
  Pool far = make<Pool>();
  far.output.dims[2].size = 2;
  far.window = {.strideH = 4, .dilationH = 32768};
  twins.add(
      far, [](Pool &pool) { pool.window.strideH = 5; }, "output.dims[2].size",
      "more than 65535 positions beyond the input, which has size 6");

  // A sum pool over 2^22 elements is legal; one with a window of one more row is not.
  Pool large = make<Pool>();
  large.function = PoolFunction::sum;
  large.kernelH = large.kernelW = 2048;
  large.output.dims[2] = large.output.dims[3] = {1, 0};
  large.window = {};
  twins.add(
      large, [](Pool &pool) { pool.kernelH = 2049; }, "kernel_h", "at most 4194304");

  Resize cubic = make<Resize>();
  cubic.mode = ResizeMode::cubic;
  cubic.cubicCoefficient = -0.75f;
  twins
      .add(
          cubic, [](Resize &resize) { resize.mode = ResizeMode::linear; }, "cubic_coefficient", "expected 0")
      .add(
          cubic, [](Resize &resize) { resize.cubicCoefficient = nan; }, "cubic_coefficient", "finite")
      .add(
          make<Resize>(), [](Resize &resize) { resize.rows.denominator = 0; }, "rows.denominator",
          "expected 1..");
  // A resize with 6 input rows and 12 output rows may read input indices from -65535 to 65535 + 6 - 1, that
  // is, up to 65535 rows outside the input; one further is not legal.
  Resize wide = make<Resize>();
  wide.rows = {.numerator = 0, .denominator = 3, .offset = -65535 * 3};
  wide.columns = {.numerator = (65535 + 8) / 5, .denominator = 1};
  twins
      .add(
          wide, [](Resize &resize) { resize.rows.offset -= 1; }, "rows.offset",
          "the first output reads the input at index -65536")
      .add(
          wide, [](Resize &resize) { resize.rows.offset = (65535 + 6) * 3; }, "rows.offset",
          "the first output reads the input at index 65541")
      .add(
          wide, [](Resize &resize) { resize.columns.offset = 4 + 5; }, "columns.numerator",
          "more than 65535 positions outside the input, which has size 9")
      .add(
          wide, [](Resize &resize) { resize.rows = {.numerator = UINT32_MAX, .denominator = 1}; },
          "rows.numerator", "outside")
      .add(
          wide, [](Resize &resize) { resize.finish.rounding = RoundingMode::down; }, "finish.rounding",
          "expected half_even");
}

} // namespace tilerig::test
