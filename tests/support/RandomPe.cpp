#include "tests/support/RandomOperands.h"

#include <algorithm>

namespace tilerig::test {
namespace {

// Draws the output and the finish (the conversion to the output type) of an instruction that computes in
// fp32.
template <class T>
void drawResult(T &instruction, Operands &operands, const Sizes &sizes) {
  const ElementType type = operands.random.pick(realTypes);
  instruction.output = operands.write(type, sizes);
  instruction.finish = anyFinish(operands.random, type);
}
template <class T>
void drawInput(T &instruction, Operands &operands, ElementType type, const Sizes &sizes) {
  instruction.input = operands.read(type, sizes);
  instruction.inputAffine = affineOf(operands.random, type);
}
// Draws the output and finish of an instruction that leaves the integers unchanged.
template <class T>
void drawKept(T &instruction, Operands &operands, const Sizes &sizes) {
  instruction.output = operands.write(instruction.input.type, sizes);
  instruction.finish = keepingFinish(instruction.input.type, instruction.inputAffine);
}
// Draws the output and finish of an instruction that computes an exact integer sum.
template <class T>
void drawQuantisedSum(T &instruction, Operands &operands, const Sizes &sizes) {
  const ElementType type = operands.random.pick(quantisedTypes);
  instruction.output = operands.write(type, sizes);
  instruction.finish = quantisingFinish(operands.random, type);
}

template <class T>
void drawPair(T &instruction, Operands &operands, bool integer, const Sizes &sizes) {
  Random &random = operands.random;
  const ElementType a = integer ? i32 : random.pick(allTypes), b = integer ? i32 : random.pick(allTypes);
  instruction.a = operands.read(a, sizes);
  instruction.b = operands.read(b, sizes);
  instruction.aAffine = affineOf(random, a);
  instruction.bAffine = affineOf(random, b);
  if (integer) {
    instruction.output = operands.write(i32, sizes);
    instruction.finish = integerFinish(random);
  } else {
    drawResult(instruction, operands, sizes);
  }
}

} // namespace

void draw(Binary &binary, Random &random, const Site &site) {
  Operands operands(random, site);
  binary.layer = randomLayer(random);
  binary.function = pickEnum<BinaryFunction>(random);
  const bool integer = binary.function != BinaryFunction::pow && random.chance(30);
  drawPair(binary, operands, integer, operands.sizes());
}

void draw(Select &select, Random &random, const Site &site) {
  Operands operands(random, site);
  select.layer = randomLayer(random);
  const Sizes sizes = operands.sizes();
  select.condition = operands.read(u8, sizes);
  drawPair(select, operands, random.chance(30), sizes);
}

void draw(Activate &activate, Random &random, const Site &site) {
  Operands operands(random, site);
  activate.layer = randomLayer(random);
  const Sizes sizes = operands.sizes();
  drawInput(activate, operands, random.pick(allTypes), sizes);
  if (!random.chance(30)) {
    drawResult(activate, operands, sizes);
    return;
  }
  activate.output = operands.write(i32, sizes);
  if (activate.input.type == i32) {
    activate.finish = integerFinish(random);
  } else {
    activate.finish = anyFinish(random, fp32);
    activate.finish.rounding = pickEnum<RoundingMode>(random);
  }
}

void draw(Lookup &lookup, Random &random, const Site &site) {
  Operands operands(random, site);
  lookup.layer = randomLayer(random);
  const Sizes sizes = operands.sizes();
  lookup.input = operands.read(random.pick(quantisedTypes), sizes);
  lookup.output = operands.write(random.pick(allTypes), sizes);
  lookup.table = operands.table(lookup.input.type == i9 ? 512 : 256, sizeBytes(lookup.output.type));
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

static void drawImage(Pool &pool, Operands &operands, Sizes &input, Sizes &output) {
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

void draw(Reduce &reduce, Random &random, const Site &site) {
  using enum ReduceFunction;
  Operands operands(random, site);
  reduce.layer = randomLayer(random);
  reduce.function = pickEnum<ReduceFunction>(random);
  const bool index = reduce.function == argMax || reduce.function == argMin;
  reduce.axes = static_cast<uint8_t>(index ? 1 << random.below(5) : 1 + random.below(31));
  reduce.lastIndex = index && random.chance(50);
  Sizes sizes = operands.sizes();
  drawInput(reduce, operands, random.pick(allTypes), sizes);
  for (unsigned d = 0; d < 5; ++d)
    if (reduce.axes >> d & 1)
      sizes[d] = 1;
  const bool integer = reduce.input.type == i32 && reduce.function != mean && random.chance(50);
  if (index || integer) {
    reduce.output = operands.write(i32, sizes);
    reduce.finish = index ? Finish() : integerFinish(random);
  } else if (isQuantised(reduce.input.type) && (reduce.function == max || reduce.function == min)) {
    drawKept(reduce, operands, sizes);
  } else if (isQuantised(reduce.input.type) && (reduce.function == sum || reduce.function == mean)) {
    drawQuantisedSum(reduce, operands, sizes);
  } else {
    drawResult(reduce, operands, sizes);
  }
}

void draw(Softmax &softmax, Random &random, const Site &site) {
  Operands operands(random, site);
  softmax.layer = randomLayer(random);
  softmax.logarithm = random.chance(50);
  const Sizes sizes = operands.sizes();
  drawInput(softmax, operands, random.pick(realTypes), sizes);
  drawResult(softmax, operands, sizes);
}

void draw(Normalize &normalize, Random &random, const Site &site) {
  Operands operands(random, site);
  normalize.layer = randomLayer(random);
  normalize.mode = pickEnum<NormalizeMode>(random);
  normalize.innerDims = static_cast<uint8_t>(1 + random.below(5));
  normalize.epsilon = random.chance(20) ? 0 : positiveFloat(random);
  const Sizes sizes = operands.sizes();
  drawInput(normalize, operands, random.pick(realTypes), sizes);
  if (random.chance(60))
    normalize.gain = operands.read(random.pick(floatTypes), sizes);
  if (random.chance(60))
    normalize.shift = operands.read(random.pick(floatTypes), sizes);
  drawResult(normalize, operands, sizes);
}

void draw(Copy &copy, Random &random, const Site &site) {
  Operands operands(random, site);
  copy.layer = randomLayer(random);
  const ElementType type = random.pick(allTypes);
  const Sizes sizes = operands.sizes();
  copy.input = operands.read(type, sizes);
  copy.output = operands.write(type, sizes);
}

void draw(Flatten &flatten, Random &random, const Site &site) {
  Operands operands(random, site);
  flatten.layer = randomLayer(random);
  const Window &w = flatten.window = randomWindow(random);
  const ElementType type = random.pick(allTypes);
  flatten.padValue = elementBits(random, type);
  const Sizes output = operands.sizes();
  const uint32_t channels = output[4], positions = operands.budget() / channels;
  const uint32_t width =
      coveredSize(random, output[1], output[3], w.strideW, w.dilationW, w.padLeft, positions);
  const uint32_t height =
      coveredSize(random, output[0], output[2], w.strideH, w.dilationH, w.padTop, positions / width);
  flatten.input = operands.read(type, {1, 1, height, width, channels});
  flatten.output = operands.write(type, output);
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

void draw(Fill &fill, Random &random, const Site &site) {
  Operands operands(random, site);
  fill.layer = randomLayer(random);
  const ElementType type = random.pick(allTypes);
  fill.value = elementBits(random, type);
  fill.output = operands.write(type, operands.sizes());
}

} // namespace tilerig::test
