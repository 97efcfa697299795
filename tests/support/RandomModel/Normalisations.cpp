// Random normalisations and softmax for random ONNX models.
#include "tests/support/RandomModel/Families.h"

namespace tilerig::test {

namespace {

void maySetEpsilon(RandomGraph &graph, onnx::NodeProto &node) {
  if (graph.random.chance(60))
    setFloat(node, "epsilon", graph.random.pick({1e-3f, 1e-2f, 0.1f}));
}

} // namespace

void addBatchNorm(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(2, 5);
  const Shape channels = {x.shape[1]};
  const std::string scale = graph.floats(channels, 0.5, 1.5), bias = graph.floats(channels, -0.5, 0.5),
                    mean = graph.floats(channels, -0.5, 0.5);
  std::string variance = graph.floats(channels, 0.5, 2);
  // In rare cases, the variance input of a batch normalisation is a computed value instead of a constant.
  if (graph.random.chance(8)) {
    const RandomValue other = graph.pickOfShape(channels);
    variance = graph.positive(other).name;
  }
  onnx::NodeProto &node = graph.node("BatchNormalization", {x.name, scale, bias, mean, variance});
  maySetEpsilon(graph, node);
  graph.give(node, x.shape, x.size + 0.5);
}

void addInstanceNorm(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(3, 5);
  const Shape channels = {x.shape[1]};
  const std::string scale = graph.floats(channels, 0.5, 1.5), bias = graph.floats(channels, -0.5, 0.5);
  onnx::NodeProto &node = graph.node("InstanceNormalization", {x.name, scale, bias});
  maySetEpsilon(graph, node);
  graph.give(node, x.shape, 1);
}

void addLayerNorm(RandomGraph &graph) {
  if (graph.opset < 17)
    return;
  const RandomValue x = graph.pickOfRank(1, 4);
  const auto axis = static_cast<int64_t>(graph.random.below(x.shape.size()));
  const Shape row(x.shape.begin() + axis, x.shape.end());
  Names inputs = {x.name, graph.floats(row, 0.5, 1.5)};
  if (graph.random.chance(60))
    inputs.push_back(graph.floats(row, -0.5, 0.5));
  onnx::NodeProto &node = graph.node("LayerNormalization", inputs);
  if (axis != x.rank() - 1 || graph.random.chance(50))
    setInt(node, "axis", graph.written(axis, x.rank()));
  maySetEpsilon(graph, node);
  graph.give(node, x.shape, 1);
}

void addLocalNorm(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(4, 4);
  onnx::NodeProto &node = graph.node("LRN", {x.name});
  setInt(node, "size", graph.random.pick({1, 3, 5}));
  if (graph.random.chance(50))
    setFloat(node, "alpha", 0.1f);
  if (graph.random.chance(30))
    setFloat(node, "beta", 0.5f);
  graph.give(node, x.shape, x.size);
}

// Before operator set 13, the axis of Softmax split the tensor into a matrix of rows and columns.
void addSoftmax(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(1, 4);
  const std::string op = graph.random.pick({"Softmax", "Softmax", "Softmax", "LogSoftmax", "Hardmax"});
  onnx::NodeProto &node = graph.node(op, {x.name});
  const auto axis = static_cast<int64_t>(graph.random.below(x.shape.size()));
  if (x.rank() == 1 || graph.random.chance(70))
    setInt(node, "axis", graph.written(axis, x.rank()));
  graph.give(node, x.shape, op == "LogSoftmax" ? 3 : 0.5);
}

} // namespace tilerig::test
