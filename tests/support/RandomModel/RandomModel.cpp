#include "tests/support/RandomModel/RandomModel.h"

#include "tests/support/RandomModel/Families.h"

#include <span>

namespace tilerig::test {

namespace {

using Family = void (*)(RandomGraph &);

struct Weighted {
  Family add;
  unsigned weight;
};

constexpr Weighted coreFamilies[] = {
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

constexpr Weighted wideFamilies[] = {
    {addRareFunction, 4},        {addIntegers, 8},         {addSelection, 6},
    {addByIndices, 4},           {addSampling, 4},         {addRecurrent, 2},
    {addControlFlow, 3},         {addOpenRows, 7},         {addRuntimeLayer, 4},
    {addTransformerOperator, 5}, {addRuntimeAttention, 3},
};

constexpr Weighted quantisedFamilies[] = {
    {addQuantised, 5},
    {addRuntimeQuantised, 4},
};

Family drawFamily(Random &random, std::span<const Weighted> families) {
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

// Half of the operators of a model that draws from more families are still those of the core.
Family drawFamily(Random &random, RandomOperators operators) {
  if (operators == RandomOperators::core || random.chance(50))
    return drawFamily(random, coreFamilies);
  if (operators == RandomOperators::every && random.chance(15))
    return drawFamily(random, quantisedFamilies);
  return drawFamily(random, wideFamilies);
}

// Inputs of other types than float32, as masks, token ids, bytes of images and halves.
void addOtherInputs(RandomGraph &graph) {
  for (DType type : {DType::i64, DType::i32, DType::boolean, DType::u8, DType::f16}) {
    if (!graph.random.chance(20))
      continue;
    const int64_t rows = graph.random.between(1, 4), columns = graph.random.between(1, 9);
    const RandomValue value = graph.input({rows, columns}, type);
    if (type == DType::boolean || graph.random.chance(40))
      continue;
    onnx::NodeProto &node = graph.node("Cast", {value.name});
    setInt(node, "to", onnxNumber(DType::f32));
    graph.give(node, value.shape, 1);
  }
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

void addSome(RandomGraph &graph, int nodes) {
  while (graph.nodes() < nodes)
    drawFamily(graph.random, graph.operators)(graph);
}

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
  if (options.operators == RandomOperators::core) {
    while (graph.nodes() < nodes)
      drawFamily(random, RandomOperators::core)(graph);
  } else {
    graph.operators = options.operators;
    model.proto().set_ir_version(10);
    onnx::OperatorSetIdProto &runtime = *model.proto().add_opset_import();
    runtime.set_domain("com.microsoft");
    runtime.set_version(1);
    addOtherInputs(graph);
    addSome(graph, nodes);
  }
  graph.close();
  return model.proto();
}

} // namespace tilerig::test
