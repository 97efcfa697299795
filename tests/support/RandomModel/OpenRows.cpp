// Random operators on rows of which data decide how many there are. Each value has the shape [rows, columns].
#include "tests/support/RandomModel/Families.h"
#include "tests/support/RandomModel/Fitted.h"

#include <cmath>

namespace tilerig::test {

namespace {

int64_t columnsOf(const RandomValue &x) { return x.shape[1]; }

RandomValue likeRows(RandomGraph &graph, const onnx::NodeProto &node, const RandomValue &x, int64_t columns,
                     double size) {
  return graph.giveOpen(node, {-1, columns}, size, x.rows);
}

// The rows of `x` at `indices`, a list whose size depends on data.
RandomValue rowsAt(RandomGraph &graph, const RandomValue &x, const std::string &indices) {
  onnx::NodeProto &node = graph.node("Gather", {x.name, indices});
  setInt(node, "axis", 0);
  return graph.giveOpen(node, {-1, columnsOf(x)}, x.size, indices);
}

// A boolean for each row of `x`.
std::string conditionOfRows(RandomGraph &graph, const RandomValue &x) {
  const std::string column = graph.integer(graph.random.between(0, columnsOf(x) - 1));
  onnx::NodeProto &pick = graph.node("Gather", {x.name, column});
  setInt(pick, "axis", 1);
  const std::string limit = graph.number(graph.random.pick({-100.0, 0.0, 0.03, 0.2, 100.0}));
  const std::string scores = pick.output(0);
  return graph.node(graph.random.pick({"Greater", "Less"}), {scores, limit}).output(0);
}

void chooseRows(RandomGraph &graph, const RandomValue &x) {
  const std::string chosen = conditionOfRows(graph, x);
  if (graph.random.chance(40)) {
    onnx::NodeProto &node = graph.node("Compress", {x.name, chosen});
    setInt(node, "axis", 0);
    graph.giveOpen(node, {-1, columnsOf(x)}, x.size, node.output(0));
    return;
  }
  const std::string places = graph.node("NonZero", {chosen}).output(0), flat = graph.ints({-1});
  const std::string indices = graph.node("Reshape", {places, flat}).output(0);
  rowsAt(graph, x, indices);
  if (x.isOpen())
    if (const auto other = graph.pickOpen(x.rows); other && other->name != x.name)
      rowsAt(graph, *other, indices);
}

// Regions that are left of those that overlap, and rows of them.
void suppressRegions(RandomGraph &graph) {
  const int64_t count = graph.random.between(2, 8), classes = graph.random.between(1, 2);
  Tensor corners(DType::f32, {1, count, 4});
  for (int64_t i = 0; i < count; ++i)
    for (int64_t axis : {0, 1}) {
      float *row = corners.mutableAs<float>().data() + 4 * i;
      row[axis] = static_cast<float>(graph.random.between(0, 8));
      row[axis + 2] = row[axis] + static_cast<float>(graph.random.between(1, 9));
    }
  const std::string boxes = graph.constant(corners);
  const RandomValue scores = fitted(graph, {1, classes, count}),
                    x = fitted(graph, {count, graph.random.between(1, 5)});
  Names inputs = {boxes, scores.name, graph.integer(graph.random.between(1, 4)), graph.number(0.4),
                  graph.number(graph.random.pick({-10.0, 0.1, 10.0}))};
  const std::string chosen = graph.node("NonMaxSuppression", inputs).output(0);
  const std::string column = graph.integer(2);
  onnx::NodeProto &node = graph.node("Gather", {chosen, column});
  setInt(node, "axis", 1);
  const std::string indices = node.output(0);
  rowsAt(graph, x, indices);
}

void addOpenElementwise(RandomGraph &graph, const RandomValue &x) {
  const std::string op = graph.random.pick({"Relu", "Sigmoid", "Tanh", "Abs", "Add", "Mul", "Sub"});
  Names inputs = {x.name};
  double size = x.size;
  if (op == "Add" || op == "Mul" || op == "Sub") {
    const auto other = graph.pickOpen(x.rows);
    const bool isSame = other && columnsOf(*other) == columnsOf(x) && graph.random.chance(60);
    inputs.push_back(isSame ? other->name
                            : graph.floats(graph.random.chance(50) ? Shape{columnsOf(x)} : Shape{1}, -1, 1));
    size = op == "Mul" ? size * (isSame ? other->size : 1) : size + (isSame ? other->size : 1);
  }
  likeRows(graph, graph.node(op, inputs), x, columnsOf(x), std::max(size, 0.3));
}

void addOpenProduct(RandomGraph &graph, const RandomValue &x) {
  const int64_t columns = graph.random.between(1, 8);
  const double bound = std::sqrt(3.0 / static_cast<double>(columnsOf(x)));
  Names inputs = {x.name, graph.floats({columnsOf(x), columns}, -bound, bound)};
  const bool hasBias = graph.random.chance(50);
  if (hasBias)
    inputs.push_back(graph.floats({columns}, -0.5, 0.5));
  likeRows(graph, graph.node(hasBias ? "Gemm" : "MatMul", inputs), x, columns, x.size + 0.2);
}

void addOpenColumns(RandomGraph &graph, const RandomValue &x) {
  switch (graph.random.below(3)) {
  case 0: {
    onnx::NodeProto &node = graph.node("Softmax", {x.name});
    setInt(node, "axis", 1);
    likeRows(graph, node, x, columnsOf(x), 0.5);
    return;
  }
  case 1: {
    const auto other = graph.pickOpen(x.rows);
    if (!other || columnsOf(x) + columnsOf(*other) > 24)
      return;
    onnx::NodeProto &node = graph.node("Concat", {x.name, other->name});
    setInt(node, "axis", 1);
    likeRows(graph, node, x, columnsOf(x) + columnsOf(*other), std::max(x.size, other->size));
    return;
  }
  default: {
    onnx::NodeProto &node = graph.node(graph.random.pick({"ReduceMean", "ReduceMax", "ReduceSum"}), {x.name});
    setInt(node, "keepdims", 1);
    graph.setIntsOrInput(node, "axes", {1}, node.op_type() == "ReduceSum" ? 13 : 18);
    likeRows(graph, node, x, 1,
             x.size * (node.op_type() == "ReduceSum" ? static_cast<double>(columnsOf(x)) : 1));
  }
  }
}

RandomValue withMoreRows(RandomGraph &graph, const RandomValue &x) {
  const RandomValue more = fitted(graph, {graph.random.between(1, 2), columnsOf(x)});
  const Names inputs = graph.random.chance(50) ? Names{x.name, more.name} : Names{more.name, x.name};
  onnx::NodeProto &node = graph.node("Concat", inputs);
  setInt(node, "axis", 0);
  return graph.giveOpen(node, {-1, columnsOf(x)}, std::max(x.size, more.size), node.output(0));
}

// Results of fixed shapes that all rows contribute to. A row is added, so that there is one.
void addOpenSummary(RandomGraph &graph, const RandomValue &x) {
  const RandomValue rows = withMoreRows(graph, x);
  if (graph.random.chance(30)) {
    const std::string turned = graph.node("Transpose", {rows.name}).output(0);
    graph.give(graph.node("MatMul", {turned, rows.name}), {columnsOf(x), columnsOf(x)}, 6 * x.size);
    return;
  }
  const std::string op = graph.random.pick({"ReduceMean", "ReduceMax", "ReduceMin", "ReduceSum"});
  const bool keeps = graph.random.chance(50);
  onnx::NodeProto &node = graph.node(op, {rows.name});
  setInt(node, "keepdims", keeps);
  graph.setIntsOrInput(node, "axes", {0}, op == "ReduceSum" ? 13 : 18);
  graph.give(node, keeps ? Shape{1, columnsOf(x)} : Shape{columnsOf(x)},
             op == "ReduceSum" ? 6 * x.size : x.size);
}

} // namespace

void addOpenRows(RandomGraph &graph) {
  if (graph.opset < 11 || graph.depth > 0)
    return;
  const auto open = graph.pickOpen();
  if (!open || graph.random.chance(25)) {
    if (graph.random.chance(25))
      return suppressRegions(graph);
    const int64_t rows = graph.random.between(2, 12);
    return chooseRows(graph, fitted(graph, {rows, graph.random.between(1, 8)}));
  }
  switch (graph.random.below(7)) {
  case 0:
  case 1:
    return addOpenElementwise(graph, *open);
  case 2:
    return addOpenProduct(graph, *open);
  case 3:
    return addOpenColumns(graph, *open);
  case 4:
    return chooseRows(graph, *open);
  default:
    return addOpenSummary(graph, *open);
  }
}

} // namespace tilerig::test
