// Instructions of the POD (matrix engine) for tests: samples and random instructions. Their twins (pairs of a
// legal instruction and one that breaks a single rule) are in TwinsPod.cpp.
#include "tests/support/RandomOperands.h"
#include "tests/support/Twins.h"

#include <algorithm>

namespace tilerig::test {

using samples::make, samples::stream, samples::vector, samples::affine, samples::finish;

namespace {

// --- Samples ---

void makeSample(Matmul &matmul) {
  matmul = {.a = stream(fp32, {1, 2, 1, 5, 7}),
            .b = stream(fp32, {1, 2, 1, 3, 7}),
            .output = stream(fp32, {1, 2, 1, 5, 3})};
}

// Convolution with 2 groups of 3 channels, 4 outputs, a kernel of 3 x 2, and an input of 6 rows, with stride
// 2 and one row of padding above.
void makeSample(Conv &conv) {
  conv = {.groups = 2,
          .window = {.strideH = 2, .padTop = 1},
          .input = stream(u8, {1, 2, 6, 7, 6}),
          .weights = stream(i8, {1, 4, 3, 2, 3}),
          .output = stream(i8, {1, 2, 3, 6, 4})};
  conv.epilogue.bias = vector(64);
  conv.epilogue.scale = vector(128);
  conv.epilogue.inputZeroPoint = 200;
  conv.epilogue.weightZeroPoint = -100;
  conv.epilogue.finish = finish(i8);
}

// The functions draw() below fill instructions of the POD (matrix engine) with random legal fields.

struct PodTypes {
  ElementType a, b, output;
  bool integer;
};

PodTypes randomTypes(Random &random) {
  if (random.chance(40)) {
    const ElementType operand = random.pick(floatTypes);
    return {operand, operand, random.pick(floatTypes), false};
  }
  return {random.pick(podIntegerTypes), random.pick(podIntegerTypes), random.pick(allTypes), true};
}

// Where the sums of products start: at zero, at a bias, or at an earlier sum.
void drawStart(Epilogue &epilogue, const PodTypes &types, const Sizes &output, Operands &operands) {
  switch (operands.random.below(3)) {
  case 1:
    epilogue.bias = operands.vector(output[4], 4);
    break;
  case 2:
    epilogue.accumulateFrom = operands.read(types.integer ? i32 : fp32, output);
    break;
  }
}

void drawQuantising(Epilogue &epilogue, ElementType output, bool hasAddend, Operands &operands) {
  Random &random = operands.random;
  epilogue.finish = quantisingFinish(random, output);
  ElementType tableType = output;
  if (hasAddend) {
    epilogue.middleType = random.pick(podIntegerTypes);
    epilogue.middle = affineOf(random, epilogue.middleType);
    epilogue.functionFirst = random.chance(50);
    if (epilogue.functionFirst)
      tableType = epilogue.middleType;
  }
  if (tableType != i9 && random.chance(50))
    epilogue.table = operands.table(256, 1);
  else
    epilogue.functionFirst = false;
}

Epilogue randomEpilogue(const PodTypes &types, const Sizes &output, Operands &operands) {
  Random &random = operands.random;
  Epilogue epilogue;
  drawStart(epilogue, types, output, operands);
  if (types.integer) {
    epilogue.inputZeroPoint = affineOf(random, types.a).zeroPoint;
    epilogue.weightZeroPoint = affineOf(random, types.b).zeroPoint;
    if (types.output == i32)
      return epilogue;
    epilogue.scale = operands.vector(output[4], 4);
  }
  const bool hasAddend = random.chance(50);
  if (isQuantised(types.output)) {
    drawQuantising(epilogue, types.output, hasAddend, operands);
  } else {
    epilogue.finish = anyFinish(random, types.output);
    epilogue.functionFirst =
        hasAddend && epilogue.finish.function != UnaryFunction::identity && random.chance(50);
  }
  if (hasAddend) {
    const ElementType addend =
        isQuantised(types.output) ? random.pick(podIntegerTypes) : random.pick(floatTypes);
    epilogue.addend = operands.read(addend, output);
    epilogue.addendAffine = affineOf(random, addend);
  }
  return epilogue;
}

void draw(Matmul &matmul, Random &random, const Site &site) {
  Operands operands(random, site);
  matmul.layer = randomLayer(random);
  matmul.mapping = pickEnum<Mapping>(random);
  const PodTypes types = randomTypes(random);
  // Multiplies an m x k by a k x n matrix. The budget limits the number of elements of each operand: m, n and
  // k are at most its square root, so that no matrix exceeds it, and the batch sizes take what is left of it.
  uint32_t side = 1;
  while ((side + 1) * (side + 1) <= operands.budget())
    ++side;
  const auto m = static_cast<uint32_t>(random.ragged(side)), n = static_cast<uint32_t>(random.ragged(side)),
             k = static_cast<uint32_t>(random.ragged(side));
  const uint32_t largest = std::max({m * k, n * k, m * n});
  const Sizes batches = operands.sizes(operands.budget() / largest);
  const uint32_t x = batches[0], y = batches[1], z = batches[2];
  matmul.a = operands.read(types.a, {x, y, z, m, k});
  matmul.b = operands.read(types.b, {x, y, z, n, k});
  matmul.output = operands.write(types.output, {x, y, z, m, n});
  matmul.epilogue = randomEpilogue(types, {x, y, z, m, n}, operands);
}

void draw(Conv &conv, Random &random, const Site &site) {
  Operands operands(random, site);
  conv.layer = randomLayer(random);
  const PodTypes types = randomTypes(random);
  const Window &w = conv.window = randomWindow(random);
  const uint32_t most = operands.budget();
  const auto upTo = [&](uint32_t limit) { return static_cast<uint32_t>(random.ragged(std::min(limit, 8u))); };
  // Draws first the sizes of the weights, then those of the input images, such that no operand has more than
  // `most` elements.
  conv.groups = random.chance(40) ? 1 : upTo(most);
  const uint32_t channels = upTo(most / conv.groups), inputs = conv.groups * channels;
  const uint32_t kernelH = upTo(most / inputs), kernelW = upTo(most / inputs / kernelH);
  const uint32_t outputs = conv.groups * upTo(most / inputs / kernelH / kernelW);
  const uint32_t positions = most / std::max(outputs, inputs);
  const auto ow = static_cast<uint32_t>(random.ragged(positions));
  const uint32_t width = coveredSize(random, ow, kernelW, w.strideW, w.dilationW, w.padLeft, positions);
  const uint32_t rows = positions / std::max(ow, width);
  const auto oh = static_cast<uint32_t>(random.ragged(rows));
  const uint32_t height = coveredSize(random, oh, kernelH, w.strideH, w.dilationH, w.padTop, rows);
  const auto batch = static_cast<uint32_t>(random.ragged(rows / std::max(oh, height)));
  conv.input = operands.read(types.a, {1, batch, height, width, inputs});
  conv.weights = operands.read(types.b, {1, outputs, kernelH, kernelW, channels});
  conv.output = operands.write(types.output, {1, batch, oh, ow, outputs});
  conv.epilogue = randomEpilogue(types, {1, batch, oh, ow, outputs}, operands);
}

} // namespace

void makeAny(MutableReferenceTo<Family::product> instruction) {
  std::visit([](auto *typed) { makeSample(*typed); }, instruction);
}
void drawAny(MutableReferenceTo<Family::product> instruction, Random &random, const Site &site) {
  std::visit([&](auto *typed) { draw(*typed, random, site); }, instruction);
}

} // namespace tilerig::test

namespace tilerig::samples {

using enum ElementType;

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
Conv convWithAddend() {
  Conv conv = make<Conv>();
  conv.epilogue.middleType = u8;
  conv.epilogue.middle = affine();
  conv.epilogue.addend = stream(i8, {1, 2, 3, 6, 4});
  conv.epilogue.addendAffine = affine();
  return conv;
}

} // namespace tilerig::samples
