// Random functions of floats that are rarer than those in Elementwise.cpp, losses, determinants and signals.
#include "tests/support/RandomModel/Families.h"
#include "tests/support/RandomModel/Fitted.h"

namespace tilerig::test {

namespace {

void addInverseFunction(RandomGraph &graph) {
  const std::string op = graph.random.pick({"Acos", "Asin", "Atanh", "Acosh"});
  if (graph.opset < (op.ends_with("h") ? 9 : 7))
    return;
  const RandomValue x = graph.pick();
  RandomValue argument;
  if (op == "Acosh") {
    argument = graph.positive(x);
    argument = graph.binary("Add", argument, graph.number(1), argument.size + 1);
  } else {
    argument = graph.bounded(x);
    argument = graph.binary("Mul", argument, graph.number(0.875), 0.5);
  }
  graph.unary(op, argument, 1);
}

void addMean(RandomGraph &graph) {
  const RandomValue x = graph.pick(), other = fitted(graph, x.shape);
  Names inputs = {x.name, other.name};
  if (graph.random.chance(40))
    inputs.push_back(graph.floats(x.shape, -1, 1));
  graph.give(graph.node("Mean", inputs), x.shape, std::max(x.size, other.size));
}

void addRemainder(RandomGraph &graph) {
  if (graph.opset < 10)
    return;
  const RandomValue x = graph.pick();
  const std::string divisor = graph.floats(graph.broadcasting(x.shape), 0.7, 2);
  onnx::NodeProto &node = graph.node("Mod", {x.name, divisor});
  setInt(node, "fmod", 1);
  graph.give(node, x.shape, 1);
}

void addCastLike(RandomGraph &graph) {
  const RandomValue x = graph.pick();
  if (graph.opset < 15)
    return;
  const auto other = graph.pickOfType(graph.random.pick({DType::boolean, DType::f32}));
  if (other)
    graph.give(graph.node("CastLike", {x.name, other->name}), x.shape, x.size, other->type);
}

// A tensor of another float type, as mixed-precision models have them.
void addOtherFloats(RandomGraph &graph) {
  const RandomValue x = graph.pick();
  const RandomValue half = castTo(graph, x, graph.random.pick({DType::f16, DType::f64}));
  const RandomValue result = graph.give(graph.node(graph.random.pick({"Neg", "Abs", "Relu"}), {half.name}),
                                        x.shape, x.size, half.type);
  castTo(graph, result, DType::f32);
}

void addLoss(RandomGraph &graph) {
  if (graph.opset < 12)
    return;
  Random &random = graph.random;
  const RandomValue x = graph.pickOfRank(2, 4);
  Shape shape = x.shape;
  shape.erase(shape.begin() + 1);
  Names inputs = {x.name, graph.whole(random.pick({DType::i32, DType::i64}), shape, 0, x.shape[1] - 1)};
  if (random.chance(50))
    inputs.push_back(graph.floats({x.shape[1]}, 0.5, 1));
  const std::string reduction = random.pick({"none", "sum", "mean"});
  onnx::NodeProto &node =
      graph.node(random.pick({"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"}), inputs);
  setText(node, "reduction", reduction);
  graph.give(node, reduction == "none" ? shape : Shape{},
             reduction == "sum" ? x.size * static_cast<double>(x.elements()) / 2 : 2);
}

void addDeterminant(RandomGraph &graph) {
  if (graph.opset < 11)
    return;
  const int64_t size = graph.random.between(1, 4);
  const RandomValue x = fitted(graph, {graph.random.between(1, 3), size, size});
  graph.give(graph.node("Det", {x.name}), {x.shape[0]}, 2);
}

void addWindow(RandomGraph &graph) {
  if (graph.opset < 17)
    return;
  const RandomValue x = graph.pickOfRank(1, 3);
  const std::string size = graph.integer(x.shape.back());
  onnx::NodeProto &node =
      graph.node(graph.random.pick({"HannWindow", "HammingWindow", "BlackmanWindow"}), {size});
  if (graph.random.chance(50))
    setInt(node, "periodic", 0);
  const RandomValue window = graph.keep(node, {x.shape.back()}, DType::f32);
  graph.give(graph.node("Mul", {x.name, window.name}), x.shape, x.size);
}

void addFourierTransform(RandomGraph &graph) {
  if (graph.opset < 17)
    return;
  const int64_t batch = graph.random.between(1, 2), length = graph.random.between(2, 9);
  const RandomValue x = fitted(graph, {batch, length, 1});
  Names inputs = {x.name};
  if (graph.opset >= 20)
    inputs.push_back(""), inputs.push_back(graph.integer(1));
  const bool isHalf = graph.random.chance(50);
  onnx::NodeProto &node = graph.node("DFT", inputs);
  if (graph.opset < 20)
    setInt(node, "axis", 1);
  setInt(node, "onesided", isHalf);
  graph.give(node, {batch, isHalf ? length / 2 + 1 : length, 2}, 2 * x.size);
}

} // namespace

void addRareFunction(RandomGraph &graph) {
  constexpr void (*all[])(RandomGraph &) = {addInverseFunction, addInverseFunction, addMean, addRemainder,
                                            addCastLike,        addOtherFloats,     addLoss, addDeterminant,
                                            addWindow,          addFourierTransform};
  graph.random.pick(all)(graph);
}

} // namespace tilerig::test
