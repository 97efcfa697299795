// Functions such as GELU and layer normalisation written as several operators, as exporters write them; and
// near misses, which compute something else and must not be fused.
#include "tests/support/RandomModel/Families.h"

#include <cmath>

namespace tilerig::test {

namespace {

RandomValue product(RandomGraph &graph, const RandomValue &a, const RandomValue &b, double size) {
  const Names inputs = graph.random.chance(50) ? Names{a.name, b.name} : Names{b.name, a.name};
  return graph.give(graph.node("Mul", inputs), a.shape, size);
}

bool drawsNearMiss(RandomGraph &graph) { return graph.random.chance(25); }

} // namespace

// GELU: x * (erf(x / sqrt(2)) + 1) / 2
void addGeluPattern(RandomGraph &graph) {
  if (graph.opset < 9)
    return;
  Random &random = graph.random;
  const RandomValue x = graph.pick();
  const uint64_t miss = drawsNearMiss(graph) ? random.below(4) : 9;
  const double root = miss == 0 ? 1.41 : std::sqrt(2), one = miss == 1 ? 1.5 : 1,
               half = miss == 2 ? 0.6 : 0.5;
  const RandomValue inside = random.chance(50) ? graph.binary("Div", x, graph.number(root), x.size)
                                               : graph.binary("Mul", x, graph.number(1 / root), x.size);
  const RandomValue erf = graph.unary("Erf", inside, 0.5);
  const RandomValue gate = graph.binary("Add", erf, graph.number(one), 1);
  const RandomValue other = miss == 3 ? graph.pickOfShape(x.shape) : x;
  switch (random.below(3)) {
  case 0: {
    const RandomValue whole = product(graph, other, gate, other.size);
    graph.binary("Mul", whole, graph.number(half), other.size);
    return;
  }
  case 1: {
    const RandomValue part = graph.binary("Mul", other, graph.number(half), other.size);
    product(graph, part, gate, other.size);
    return;
  }
  default: {
    const RandomValue part = graph.binary("Mul", gate, graph.number(half), 0.5);
    product(graph, part, other, other.size);
  }
  }
}

// SiLU: x * sigmoid(x)
void addSiluPattern(RandomGraph &graph) {
  const RandomValue x = graph.pick();
  const RandomValue gate = graph.unary("Sigmoid", x, 0.5);
  product(graph, drawsNearMiss(graph) ? graph.pickOfShape(x.shape) : x, gate, x.size);
}

// HardSwish: x * clip(x + 3, 0, 6) / 6, or the same with the operator HardSigmoid
void addHardSwishPattern(RandomGraph &graph) {
  Random &random = graph.random;
  const RandomValue x = graph.pick();
  const uint64_t miss = drawsNearMiss(graph) ? random.below(4) : 9;
  if (random.chance(30)) {
    onnx::NodeProto &node = graph.node("HardSigmoid", {x.name});
    setFloat(node, "alpha", miss == 0 ? 0.2f : 1.0f / 6);
    if (miss == 1)
      setFloat(node, "beta", 0.4f);
    const RandomValue gate = graph.give(node, x.shape, 0.5);
    product(graph, miss == 2 ? graph.pickOfShape(x.shape) : x, gate, x.size);
    return;
  }
  const RandomValue sum = graph.binary("Add", x, graph.number(miss == 0 ? 2 : 3), 3);
  const float high = miss == 1 ? 5.0f : 6.0f;
  Names inputs = {sum.name};
  if (graph.opset >= 11) {
    inputs.push_back(graph.number(0));
    inputs.push_back(graph.number(static_cast<double>(high)));
  }
  onnx::NodeProto &clip = graph.node("Clip", inputs);
  if (graph.opset < 11)
    setFloat(clip, "min", 0), setFloat(clip, "max", high);
  const RandomValue gate = graph.give(clip, x.shape, 3), other = miss == 2 ? graph.pickOfShape(x.shape) : x;
  const std::string six = graph.number(miss == 3 ? 7 : 6);
  if (random.chance(50)) {
    const RandomValue whole = product(graph, other, gate, 3);
    graph.binary("Div", whole, six, 1);
  } else {
    const RandomValue part = graph.binary("Div", gate, six, 0.5);
    product(graph, other, part, 1);
  }
}

// Layer normalisation: (x - mean) / sqrt(mean of squares + epsilon) * gain + bias, over the last axes;
// without the mean: RMS normalisation
void addLayerNormPattern(RandomGraph &graph) {
  Random &random = graph.random;
  const RandomValue x = graph.pickOfRank(2, 4);
  const uint64_t miss = drawsNearMiss(graph) ? random.below(3) : 9;
  const int64_t last = x.rank() - 1;
  const auto mean = [&](const RandomValue &of, int64_t axis) {
    onnx::NodeProto &node = graph.node("ReduceMean", {of.name});
    Shape shape = of.shape;
    shape[static_cast<size_t>(axis)] = 1;
    graph.setIntsOrInput(node, "axes", {graph.written(axis, of.rank())}, 18);
    return graph.give(node, shape, of.size);
  };
  RandomValue centred = x;
  if (random.chance(75)) {
    const RandomValue centre = mean(x, miss == 0 ? last - 1 : last);
    centred = graph.give(graph.node("Sub", {x.name, centre.name}), x.shape, x.size);
  }
  const RandomValue squares =
      random.chance(60) ? graph.binary("Pow", centred, graph.number(miss == 1 ? 4 : 2), x.size * x.size)
                        : product(graph, centred, centred, x.size * x.size);
  const RandomValue variance = mean(squares, miss == 2 ? last - 1 : last);
  const RandomValue shifted =
      graph.binary("Add", variance, graph.number(random.pick({1e-5, 1e-3, 0.1})), variance.size);
  const RandomValue deviation = graph.unary("Sqrt", shifted, x.size);
  RandomValue result = centred;
  if (random.chance(70)) {
    result = graph.give(graph.node("Div", {centred.name, deviation.name}), x.shape, 1);
  } else {
    const RandomValue inverse = graph.unary("Reciprocal", deviation, 1);
    result = graph.give(graph.node("Mul", {centred.name, inverse.name}), x.shape, 1);
  }
  const Shape row = {x.shape.back()};
  if (random.chance(80))
    result = graph.binary("Mul", result, graph.floats(row, 0.5, 1.5), 1);
  if (random.chance(80))
    graph.binary("Add", result, graph.floats(row, -0.5, 0.5), 1);
}

// Group normalisation: each group of channels is reshaped to one channel and normalised.
void addGroupNormPattern(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(4, 4);
  const int64_t groups = x.shape[1] % 2 == 0 ? 2 : 1;
  const RandomValue folded = graph.reshaped(x, {x.shape[0], groups, x.elements() / x.shape[0] / groups});
  const bool isPlain = !drawsNearMiss(graph);
  const std::string ones = isPlain ? graph.filled({groups}, 1) : graph.floats({groups}, 0.5, 1.5);
  const std::string zeros = isPlain ? graph.filled({groups}, 0) : graph.floats({groups}, -0.5, 0.5);
  onnx::NodeProto &node = graph.node("InstanceNormalization", {folded.name, ones, zeros});
  setFloat(node, "epsilon", 1e-3f);
  const RandomValue normal = graph.give(node, folded.shape, 1), back = graph.reshaped(normal, x.shape);
  const RandomValue scaled = graph.binary("Mul", back, graph.floats({x.shape[1], 1, 1}, 0.5, 1.5), 1);
  graph.binary("Add", scaled, graph.floats({x.shape[1], 1, 1}, -0.5, 0.5), 1);
}

} // namespace tilerig::test
