#include "tests/support/RandomOperands.h"

#include <algorithm>

namespace tilerig::test {
namespace {

// Draws the output and the finish (the conversion to the output type) of an instruction that computes in
// fp32.
template <class T>
void drawResult(T &it, Operands &operands, const Sizes &sizes) {
  const ElementType type = operands.random.pick(realTypes);
  it.output = operands.write(type, sizes);
  it.finish = anyFinish(operands.random, type);
}
template <class T>
void drawInput(T &it, Operands &operands, ElementType type, const Sizes &sizes) {
  it.input = operands.read(type, sizes);
  it.inputAffine = affineOf(operands.random, type);
}
// Draws the output and finish of an instruction that leaves the integers unchanged.
template <class T>
void drawKept(T &it, Operands &operands, const Sizes &sizes) {
  it.output = operands.write(it.input.type, sizes);
  it.finish = keepingFinish(it.input.type, it.inputAffine);
}
// Draws the output and finish of an instruction that computes an exact integer sum.
template <class T>
void drawQuantisedSum(T &it, Operands &operands, const Sizes &sizes) {
  const ElementType type = operands.random.pick(quantisedTypes);
  it.output = operands.write(type, sizes);
  it.finish = quantisingFinish(operands.random, type);
}

template <class T>
void drawPair(T &it, Operands &operands, bool integer, const Sizes &sizes) {
  Random &random = operands.random;
  const ElementType a = integer ? i32 : random.pick(allTypes), b = integer ? i32 : random.pick(allTypes);
  it.a = operands.read(a, sizes);
  it.b = operands.read(b, sizes);
  it.aAffine = affineOf(random, a);
  it.bAffine = affineOf(random, b);
  if (integer) {
    it.output = operands.write(i32, sizes);
    it.finish = integerFinish(random);
  } else {
    drawResult(it, operands, sizes);
  }
}

} // namespace

void draw(Binary &it, Random &random, const Site &site) {
  Operands operands(random, site);
  it.layer = randomLayer(random);
  it.function = pickEnum<BinaryFunction>(random);
  const bool integer = it.function != BinaryFunction::pow && random.chance(30);
  drawPair(it, operands, integer, operands.sizes());
}

void draw(Select &it, Random &random, const Site &site) {
  Operands operands(random, site);
  it.layer = randomLayer(random);
  const Sizes sizes = operands.sizes();
  it.condition = operands.read(u8, sizes);
  drawPair(it, operands, random.chance(30), sizes);
}

void draw(Activate &it, Random &random, const Site &site) {
  Operands operands(random, site);
  it.layer = randomLayer(random);
  const Sizes sizes = operands.sizes();
  drawInput(it, operands, random.pick(allTypes), sizes);
  if (!random.chance(30)) {
    drawResult(it, operands, sizes);
    return;
  }
  it.output = operands.write(i32, sizes);
  if (it.input.type == i32) {
    it.finish = integerFinish(random);
  } else {
    it.finish = anyFinish(random, fp32);
    it.finish.rounding = pickEnum<RoundingMode>(random);
  }
}

void draw(Lookup &it, Random &random, const Site &site) {
  Operands operands(random, site);
  it.layer = randomLayer(random);
  const Sizes sizes = operands.sizes();
  it.input = operands.read(random.pick(quantisedTypes), sizes);
  it.output = operands.write(random.pick(allTypes), sizes);
  it.table = operands.table(it.input.type == i9 ? 512 : 256, sizeBytes(it.output.type));
}

// Whether every window along one axis has a tap inside the input; a plain loop over all windows and taps.
static bool hasTaps(uint32_t outputs, uint32_t taps, uint32_t stride, uint32_t dilation, uint32_t pad,
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

static void drawImage(Pool &it, Operands &operands, Sizes &input, Sizes &output) {
  Random &random = operands.random;
  const Window &w = it.window;
  bool legal = false;
  while (!legal) {
    it.window = randomWindow(random);
    it.kernelH = static_cast<uint16_t>(random.ragged(7));
    it.kernelW = static_cast<uint16_t>(random.ragged(7));
    const auto channels = static_cast<uint32_t>(random.ragged(32));
    const uint32_t positions = operands.budget() / channels;
    const auto ow = static_cast<uint32_t>(random.ragged(std::min(positions, 30u)));
    const uint32_t width = coveredSize(random, ow, it.kernelW, w.strideW, w.dilationW, w.padLeft, positions);
    const uint32_t rows = positions / std::max(ow, width);
    const auto oh = static_cast<uint32_t>(random.ragged(rows));
    const uint32_t height = coveredSize(random, oh, it.kernelH, w.strideH, w.dilationH, w.padTop, rows);
    const auto batch = static_cast<uint32_t>(random.ragged(rows / std::max(oh, height)));
    input = {1, batch, height, width, channels};
    output = {1, batch, oh, ow, channels};
    legal = hasTaps(oh, it.kernelH, w.strideH, w.dilationH, w.padTop, height) &&
            hasTaps(ow, it.kernelW, w.strideW, w.dilationW, w.padLeft, width);
  }
}

void draw(Pool &it, Random &random, const Site &site) {
  Operands operands(random, site);
  it.layer = randomLayer(random);
  it.function = pickEnum<PoolFunction>(random);
  if (it.function == PoolFunction::averageWithPadding) {
    it.padBottom = static_cast<uint32_t>(random.below(1u << 24));
    it.padRight = static_cast<uint32_t>(random.below(8));
  }
  Sizes input, output;
  drawImage(it, operands, input, output);
  drawInput(it, operands, random.pick(realTypes), input);
  if (!isQuantised(it.input.type))
    drawResult(it, operands, output);
  else if (it.function == PoolFunction::max)
    drawKept(it, operands, output);
  else
    drawQuantisedSum(it, operands, output);
}

void draw(Reduce &it, Random &random, const Site &site) {
  using enum ReduceFunction;
  Operands operands(random, site);
  it.layer = randomLayer(random);
  it.function = pickEnum<ReduceFunction>(random);
  const bool index = it.function == argMax || it.function == argMin;
  it.axes = static_cast<uint8_t>(index ? 1 << random.below(5) : 1 + random.below(31));
  it.lastIndex = index && random.chance(50);
  Sizes sizes = operands.sizes();
  drawInput(it, operands, random.pick(allTypes), sizes);
  for (unsigned d = 0; d < 5; ++d)
    if (it.axes >> d & 1)
      sizes[d] = 1;
  const bool integer = it.input.type == i32 && it.function != mean && random.chance(50);
  if (index || integer) {
    it.output = operands.write(i32, sizes);
    it.finish = index ? Finish() : integerFinish(random);
  } else if (isQuantised(it.input.type) && (it.function == max || it.function == min)) {
    drawKept(it, operands, sizes);
  } else if (isQuantised(it.input.type) && (it.function == sum || it.function == mean)) {
    drawQuantisedSum(it, operands, sizes);
  } else {
    drawResult(it, operands, sizes);
  }
}

void draw(Softmax &it, Random &random, const Site &site) {
  Operands operands(random, site);
  it.layer = randomLayer(random);
  it.logarithm = random.chance(50);
  const Sizes sizes = operands.sizes();
  drawInput(it, operands, random.pick(realTypes), sizes);
  drawResult(it, operands, sizes);
}

void draw(Normalize &it, Random &random, const Site &site) {
  Operands operands(random, site);
  it.layer = randomLayer(random);
  it.mode = pickEnum<NormalizeMode>(random);
  it.innerDims = static_cast<uint8_t>(1 + random.below(5));
  it.epsilon = random.chance(20) ? 0 : positiveFloat(random);
  const Sizes sizes = operands.sizes();
  drawInput(it, operands, random.pick(realTypes), sizes);
  if (random.chance(60))
    it.gain = operands.read(random.pick(floatTypes), sizes);
  if (random.chance(60))
    it.shift = operands.read(random.pick(floatTypes), sizes);
  drawResult(it, operands, sizes);
}

void draw(Copy &it, Random &random, const Site &site) {
  Operands operands(random, site);
  it.layer = randomLayer(random);
  const ElementType type = random.pick(allTypes);
  const Sizes sizes = operands.sizes();
  it.input = operands.read(type, sizes);
  it.output = operands.write(type, sizes);
}

void draw(Flatten &it, Random &random, const Site &site) {
  Operands operands(random, site);
  it.layer = randomLayer(random);
  const Window &w = it.window = randomWindow(random);
  const ElementType type = random.pick(allTypes);
  it.padValue = elementBits(random, type);
  const Sizes output = operands.sizes();
  const uint32_t channels = output[4], positions = operands.budget() / channels;
  const uint32_t width =
      coveredSize(random, output[1], output[3], w.strideW, w.dilationW, w.padLeft, positions);
  const uint32_t height =
      coveredSize(random, output[0], output[2], w.strideH, w.dilationH, w.padTop, positions / width);
  it.input = operands.read(type, {1, 1, height, width, channels});
  it.output = operands.write(type, output);
}

// Draws the ratio and the start of a resize along one axis; the limits of the specification are far larger.
static ResizeAxis randomAxis(Random &random) {
  ResizeAxis axis;
  axis.denominator = static_cast<uint32_t>(random.ragged(UINT32_MAX));
  axis.numerator =
      static_cast<uint32_t>(random.below(std::min<uint64_t>(UINT32_MAX, uint64_t{axis.denominator} * 8)));
  axis.offset = random.between(-2 * int64_t{axis.denominator}, 2 * int64_t{axis.denominator});
  return axis;
}

void draw(Resize &it, Random &random, const Site &site) {
  Operands operands(random, site);
  it.layer = randomLayer(random);
  it.mode = pickEnum<ResizeMode>(random);
  if (it.mode == ResizeMode::cubic)
    it.cubicCoefficient = finiteFloat(random);
  it.rows = randomAxis(random);
  it.columns = randomAxis(random);
  const Sizes output = [&] {
    Sizes sizes = operands.sizes();
    sizes[1] *= sizes[0];
    sizes[0] = 1;
    return sizes;
  }();
  const uint32_t area = operands.budget() / output[1] / output[4];
  const auto width = static_cast<uint32_t>(random.ragged(area));
  const auto height = static_cast<uint32_t>(random.ragged(area / width));
  drawInput(it, operands, random.pick(realTypes), {1, output[1], height, width, output[4]});
  drawResult(it, operands, output);
  if (it.mode == ResizeMode::nearest && isQuantised(it.input.type) && it.output.type == it.input.type)
    it.finish = keepingFinish(it.input.type, it.inputAffine);
}

void draw(Fill &it, Random &random, const Site &site) {
  Operands operands(random, site);
  it.layer = randomLayer(random);
  const ElementType type = random.pick(allTypes);
  it.value = elementBits(random, type);
  it.output = operands.write(type, operands.sizes());
}

} // namespace tilerig::test
