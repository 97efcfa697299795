// Random shape computations (Shape, Gather, Concat, Reshape) as exporters write them for unknown sizes, and
// tables computed from constants.
#include "tests/support/RandomModel/Families.h"

namespace tilerig::test {

namespace {

RandomValue shapeOf(RandomGraph &graph, const RandomValue &x) {
  return graph.keep(graph.node("Shape", {x.name}), {x.rank()}, DType::i64);
}

// The name of a tensor of one element: the size of `x` along `axis`.
std::string sizeOf(RandomGraph &graph, const RandomValue &x, int64_t axis) {
  const RandomValue all = shapeOf(graph, x);
  const std::string index = graph.integer(axis);
  onnx::NodeProto &gather = graph.node("Gather", {all.name, index});
  setInt(gather, "axis", 0);
  const RandomValue size = graph.keep(gather, {}, DType::i64);
  onnx::NodeProto &list = graph.node("Unsqueeze", {size.name});
  graph.setIntsOrInput(list, "axes", {0}, 13);
  return graph.keep(list, {1}, DType::i64).name;
}

std::string joined(RandomGraph &graph, const Names &parts, int64_t count) {
  onnx::NodeProto &node = graph.node("Concat", parts);
  setInt(node, "axis", 0);
  return graph.keep(node, {count}, DType::i64).name;
}

} // namespace

// Adds PyTorch's x.view(x.size(0), -1), or x.view(x.size(0), x.size(1) * x.size(2), ...), as several nodes.
void addFlattenByShape(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(2, 5);
  const std::string first = sizeOf(graph, x, 0);
  std::string rest;
  if (graph.random.chance(50)) {
    rest = graph.ints({-1});
  } else {
    rest = sizeOf(graph, x, 1);
    for (int64_t i = 2; i < x.rank(); ++i) {
      const std::string next = sizeOf(graph, x, i);
      rest = graph.keep(graph.node("Mul", {rest, next}), {1}, DType::i64).name;
    }
  }
  const std::string shape = joined(graph, {first, rest}, 2);
  graph.give(graph.node("Reshape", {x.name, shape}), {x.shape[0], x.elements() / x.shape[0]}, x.size);
}

// Adds nodes to the random model that expand a constant to a part of the shape of a value, as PyTorch exports
// torch.zeros(x.shape[k:]) + c, or a value to the shape of another one.
void addExpandByShape(RandomGraph &graph) {
  if (graph.opset < 10)
    return;
  const RandomValue x = graph.pickOfRank(1, 4);
  const RandomValue all = shapeOf(graph, x);
  if (graph.random.chance(50)) {
    const Shape small = graph.broadcasting(x.shape);
    const RandomValue value = graph.pickOfShape(small);
    graph.give(graph.node("Expand", {value.name, all.name}), x.shape, value.size);
    return;
  }
  const int64_t from = graph.random.between(0, x.rank() - 1);
  Names bounds = {all.name, graph.ints({from}), graph.ints({x.rank()})};
  const RandomValue part = graph.keep(graph.node("Slice", bounds), {x.rank() - from}, DType::i64);
  onnx::NodeProto &node = graph.node("ConstantOfShape", {part.name});
  if (graph.random.chance(60))
    setTensor(node, "value", Tensor::of<float>({1}, {0.5f}));
  const RandomValue constant = graph.keep(node, Shape(x.shape.begin() + from, x.shape.end()), DType::f32);
  graph.binary("Add", x, constant.name, x.size + 0.5);
}

// A table computed from constants alone, as for position encodings: scaled, transposed, and added to a value
// or concatenated with it.
void addConstantTable(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(1, 3);
  const Shape turned(x.shape.rbegin(), x.shape.rend());
  const std::string a = graph.floats(turned, -1, 1), factor = graph.number(0.7);
  const RandomValue scaled = graph.keep(graph.node("Mul", {a, factor}), turned, DType::f32);
  const RandomValue table = graph.keep(graph.node("Transpose", {scaled.name}), x.shape, DType::f32);
  if (graph.random.chance(50)) {
    graph.binary("Add", x, table.name, x.size + 0.5);
    return;
  }
  Shape shape = x.shape;
  shape[0] *= 2;
  onnx::NodeProto &node = graph.node("Concat", {table.name, x.name});
  setInt(node, "axis", 0);
  graph.give(node, shape, x.size);
}

} // namespace tilerig::test
