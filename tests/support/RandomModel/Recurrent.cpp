// Random recurrent layers for random ONNX models: LSTM, GRU and RNN.
#include "tests/support/RandomModel/Families.h"
#include "tests/support/RandomModel/Fitted.h"

#include <cmath>

namespace tilerig::test {

namespace {

struct Layer {
  std::string op;
  int64_t gates, steps, batch, features, hidden, directions;
  bool isBatchFirst;

  // A shape whose first axis in the usual layout is `first`, for example [directions, batch, hidden].
  Shape ordered(int64_t first, Shape rest) const {
    rest.insert(rest.begin() + (isBatchFirst ? 1 : 0), first);
    return rest;
  }
};

Layer drawLayer(RandomGraph &graph) {
  Random &random = graph.random;
  Layer layer;
  layer.op = random.pick({"LSTM", "GRU", "RNN"});
  layer.gates = layer.op == "LSTM" ? 4 : layer.op == "GRU" ? 3 : 1;
  layer.steps = random.pick({1, 2, 3, 5, 7});
  layer.batch = random.pick({1, 1, 2, 3});
  layer.features = random.between(1, 9);
  layer.hidden = random.pick({1, 3, 4, 8, 10});
  layer.directions = random.pick({1, 1, 2});
  layer.isBatchFirst = graph.opset >= 14 && random.chance(20);
  return layer;
}

std::string layerWeights(RandomGraph &graph, const Layer &layer, int64_t rows, int64_t columns) {
  const double bound = std::sqrt(3.0 / static_cast<double>(columns));
  return graph.floats({layer.directions, rows, columns}, -bound, bound);
}

std::string lengths(RandomGraph &graph, const Layer &layer) {
  if (layer.steps < 2 || graph.random.chance(70))
    return graph.whole(DType::i32, {layer.batch}, 1, layer.steps);
  // Known only at run time: one more than a number from 0 to `steps` - 1.
  const RandomValue x = fitted(graph, {layer.batch}),
                    part = integersFrom(graph, x, DType::i32, layer.steps - 1);
  const RandomValue size = graph.keep(graph.node("Abs", {part.name}), part.shape, DType::i32);
  const std::string one = graph.whole(DType::i32, {}, 1, 1);
  return graph.keep(graph.node("Add", {size.name, one}), part.shape, DType::i32).name;
}

void setActivations(RandomGraph &graph, onnx::NodeProto &node, const Layer &layer) {
  const int64_t count = (layer.op == "LSTM" ? 3 : layer.op == "GRU" ? 2 : 1) * layer.directions;
  onnx::AttributeProto &names = *node.add_attribute();
  names.set_name("activations");
  names.set_type(onnx::AttributeProto::STRINGS);
  for (int64_t i = 0; i < count; ++i)
    names.add_strings(graph.random.pick({"Sigmoid", "Tanh", "Softsign", "Tanh"}));
}

} // namespace

void addRecurrent(RandomGraph &graph) {
  Random &random = graph.random;
  const Layer layer = drawLayer(graph);
  const bool isLstm = layer.op == "LSTM";
  const RandomValue x = fitted(graph, layer.ordered(layer.steps, {layer.batch, layer.features}));
  Names inputs = {x.name,
                  layerWeights(graph, layer, layer.gates * layer.hidden, layer.features),
                  layerWeights(graph, layer, layer.gates * layer.hidden, layer.hidden),
                  "",
                  "",
                  ""};
  const Shape state = layer.ordered(layer.directions, {layer.batch, layer.hidden});
  if (random.chance(70))
    inputs[3] = graph.floats({layer.directions, 2 * layer.gates * layer.hidden}, -0.5, 0.5);
  if (random.chance(30))
    inputs[4] = lengths(graph, layer);
  if (random.chance(40))
    inputs[5] = random.chance(50) ? fitted(graph, state).name : graph.floats(state, -0.5, 0.5);
  if (isLstm && random.chance(40)) {
    inputs.push_back(random.chance(50) ? fitted(graph, state).name : graph.floats(state, -0.5, 0.5));
    inputs.push_back(random.chance(50) ? graph.floats({layer.directions, 3 * layer.hidden}, -0.5, 0.5) : "");
  }
  while (inputs.back().empty())
    inputs.pop_back();
  onnx::NodeProto &node = graph.node(layer.op, inputs, isLstm ? 3 : 2);
  setInt(node, "hidden_size", layer.hidden);
  if (layer.directions == 2)
    setText(node, "direction", "bidirectional");
  else if (random.chance(30))
    setText(node, "direction", "reverse");
  if (layer.isBatchFirst)
    setInt(node, "layout", 1);
  if (layer.op == "GRU" && random.chance(50))
    setInt(node, "linear_before_reset", 1);
  if (random.chance(20))
    setFloat(node, "clip", 0.75f);
  if (random.chance(15))
    setActivations(graph, node, layer);
  Shape all = {layer.steps, layer.directions, layer.batch, layer.hidden};
  if (layer.isBatchFirst)
    all = {layer.batch, layer.steps, layer.directions, layer.hidden};
  graph.give(node, all, 0.5);
  graph.give(node, state, 0.5, DType::f32, 1);
  if (isLstm)
    graph.give(node, state, 1, DType::f32, 2);
}

} // namespace tilerig::test
