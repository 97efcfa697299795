#include "tests/support/RandomOperands.h"

#include <algorithm>

namespace tilerig::test {
namespace {

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

// The accumulators' starting value: nothing, a bias, or an earlier sum.
void drawStart(Epilogue &it, const PodTypes &types, const Sizes &output, Operands &operands) {
  switch (operands.random.below(3)) {
  case 1:
    it.bias = operands.vector(output[4], 4);
    break;
  case 2:
    it.accumulateFrom = operands.read(types.integer ? i32 : fp32, output);
    break;
  }
}

void drawQuantising(Epilogue &it, ElementType output, bool hasAddend, Operands &operands) {
  Random &random = operands.random;
  it.finish = quantisingFinish(random, output);
  ElementType tableType = output;
  if (hasAddend) {
    it.middleType = random.pick(podIntegerTypes);
    it.middle = affineOf(random, it.middleType);
    it.functionFirst = random.chance(50);
    if (it.functionFirst)
      tableType = it.middleType;
  }
  if (tableType != i9 && random.chance(50))
    it.table = operands.table(256, 1);
  else
    it.functionFirst = false;
}

Epilogue randomEpilogue(const PodTypes &types, const Sizes &output, Operands &operands) {
  Random &random = operands.random;
  Epilogue it;
  drawStart(it, types, output, operands);
  if (types.integer) {
    it.inputZeroPoint = affineOf(random, types.a).zeroPoint;
    it.weightZeroPoint = affineOf(random, types.b).zeroPoint;
    if (types.output == i32)
      return it;
    it.scale = operands.vector(output[4], 4);
  }
  const bool hasAddend = random.chance(50);
  if (isQuantised(types.output)) {
    drawQuantising(it, types.output, hasAddend, operands);
  } else {
    it.finish = anyFinish(random, types.output);
    it.functionFirst = hasAddend && it.finish.function != UnaryFunction::identity && random.chance(50);
  }
  if (hasAddend) {
    const ElementType addend =
        isQuantised(types.output) ? random.pick(podIntegerTypes) : random.pick(floatTypes);
    it.addend = operands.read(addend, output);
    it.addendAffine = affineOf(random, addend);
  }
  return it;
}

} // namespace

void draw(Matmul &it, Random &random, const Site &site) {
  Operands operands(random, site);
  it.layer = randomLayer(random);
  it.mapping = pickEnum<Mapping>(random);
  const PodTypes types = randomTypes(random);
  // With m, n and k at most the square root of the budget, m·k, n·k and m·n stay within it; the batch sizes
  // share the rest.
  uint32_t side = 1;
  while ((side + 1) * (side + 1) <= operands.budget())
    ++side;
  const auto m = static_cast<uint32_t>(random.ragged(side)), n = static_cast<uint32_t>(random.ragged(side)),
             k = static_cast<uint32_t>(random.ragged(side));
  const uint32_t largest = std::max({m * k, n * k, m * n});
  const Sizes batches = operands.sizes(operands.budget() / largest);
  const uint32_t x = batches[0], y = batches[1], z = batches[2];
  it.a = operands.read(types.a, {x, y, z, m, k});
  it.b = operands.read(types.b, {x, y, z, n, k});
  it.output = operands.write(types.output, {x, y, z, m, n});
  it.epilogue = randomEpilogue(types, {x, y, z, m, n}, operands);
}

void draw(Conv &it, Random &random, const Site &site) {
  Operands operands(random, site);
  it.layer = randomLayer(random);
  const PodTypes types = randomTypes(random);
  const Window &w = it.window = randomWindow(random);
  const uint32_t most = operands.budget();
  const auto upTo = [&](uint32_t limit) { return static_cast<uint32_t>(random.ragged(std::min(limit, 8u))); };
  // The weights are drawn first, then an image that stays within the rest of the budget.
  it.groups = random.chance(40) ? 1 : upTo(most);
  const uint32_t channels = upTo(most / it.groups), inputs = it.groups * channels;
  const uint32_t kernelH = upTo(most / inputs), kernelW = upTo(most / inputs / kernelH);
  const uint32_t outputs = it.groups * upTo(most / inputs / kernelH / kernelW);
  const uint32_t positions = most / std::max(outputs, inputs);
  const auto ow = static_cast<uint32_t>(random.ragged(positions));
  const uint32_t width = coveredSize(random, ow, kernelW, w.strideW, w.dilationW, w.padLeft, positions);
  const uint32_t rows = positions / std::max(ow, width);
  const auto oh = static_cast<uint32_t>(random.ragged(rows));
  const uint32_t height = coveredSize(random, oh, kernelH, w.strideH, w.dilationH, w.padTop, rows);
  const auto batch = static_cast<uint32_t>(random.ragged(rows / std::max(oh, height)));
  it.input = operands.read(types.a, {1, batch, height, width, inputs});
  it.weights = operands.read(types.b, {1, outputs, kernelH, kernelW, channels});
  it.output = operands.write(types.output, {1, batch, oh, ow, outputs});
  it.epilogue = randomEpilogue(types, {1, batch, oh, ow, outputs}, operands);
}

} // namespace tilerig::test
