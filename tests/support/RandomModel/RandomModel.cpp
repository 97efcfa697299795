#include "tests/support/RandomModel/RandomModel.h"

#include "tests/support/RandomModel/Families.h"

namespace tilerig::test {

namespace {

using Family = void (*)(RandomGraph &);

struct Weighted {
  Family add;
  unsigned weight;
};

constexpr Weighted families[] = {
    {addConvolution, 6},
    {addTransposedConvolution, 2},
    {addPool, 4},
    {addGlobalPool, 2},
    {addGemm, 3},
    {addMatMul, 4},
    {addProductOfValues, 2},
    {addBatchNorm, 4},
    {addInstanceNorm, 1},
    {addLayerNorm, 2},
    {addLocalNorm, 1},
    {addSoftmax, 2},
    {addUnary, 8},
    {addParametric, 2},
    {addBinary, 8},
    {addJoin, 8},
    {addClip, 3},
    {addComparison, 4},
    {addChoice, 3},
    {addNoise, 5},
    {addReshape, 5},
    {addTranspose, 4},
    {addConcat, 4},
    {addSlice, 4},
    {addSplit, 2},
    {addPad, 3},
    {addRepeat, 2},
    {addGather, 2},
    {addBlocksOfPixels, 2},
    {addReduction, 5},
    {addExtremePosition, 1},
    {addConvolutionBlock, 6},
    {addResidualBlock, 2},
    {addSqueezeAndExcite, 2},
    {addUpsampling, 3},
    {addChannelShuffle, 2},
    {addTransposeSandwich, 4},
    {addAttention, 3},
    {addGeluPattern, 3},
    {addSiluPattern, 3},
    {addHardSwishPattern, 3},
    {addLayerNormPattern, 3},
    {addGroupNormPattern, 1},
    {addFlattenByShape, 2},
    {addExpandByShape, 2},
    {addConstantTable, 2},
};

Family drawFamily(Random &random) {
  uint64_t total = 0;
  for (const Weighted &family : families)
    total += family.weight;
  uint64_t at = random.below(total);
  for (const Weighted &family : families) {
    if (at < family.weight)
      return family.add;
    at -= family.weight;
  }
  return nullptr;
}

// The shape of an input: an image, a sequence, rows, or any shape; sizes are often odd or one.
Shape drawShape(Random &random) {
  const int64_t batch = random.between(1, 3), channels = random.pick({1, 3, 4, 6, 8, 12, 17}),
                height = random.pick({1, 3, 5, 7, 8, 9, 14, 17}),
                width = random.pick({1, 3, 6, 7, 9, 17, 33});
  switch (random.below(10)) {
  case 0:
    return {batch, channels * height};
  case 1:
    return {batch, height, channels};
  case 2:
    return {batch, channels, height};
  case 3:
    return {batch, channels, 3, 5, height};
  case 4:
    return {channels};
  default:
    return {batch, channels, height, width};
  }
}

} // namespace

onnx::ModelProto randomModel(uint64_t seed, const RandomModelOptions &options) {
  Random random(seed);
  const auto opset = static_cast<int>(random.between(options.leastOpset, options.mostOpset));
  const auto nodes = static_cast<int>(random.between(options.leastNodes, options.mostNodes));
  OnnxModel model(opset);
  RandomGraph graph(model, opset, random.next());
  const int64_t inputs = random.between(1, 3);
  for (int64_t i = 0; i < inputs; ++i) {
    const Shape shape = drawShape(random);
    graph.input(RandomGraph::fits(shape) ? shape : Shape{1, 3, 8, 8});
  }
  while (graph.nodes() < nodes)
    drawFamily(random)(graph);
  graph.close();
  return model.proto();
}

} // namespace tilerig::test
