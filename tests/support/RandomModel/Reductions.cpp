// Random reductions for random ONNX models.
#include "tests/support/RandomModel/Families.h"

#include <cmath>

namespace tilerig::test {

namespace {

// The magnitude of the result of a reduction over `terms` elements of magnitude `size`.
double sizeOf(const std::string &op, double size, double terms) {
  if (op == "ReduceSum")
    return size * std::sqrt(terms);
  if (op == "ReduceL1")
    return size * terms;
  if (op == "ReduceL2")
    return size * std::sqrt(terms);
  if (op == "ReduceSumSquare")
    return size * size * terms;
  if (op == "ReduceLogSum" || op == "ReduceLogSumExp")
    return size + std::log(terms);
  return size;
}

} // namespace

void addReduction(RandomGraph &graph) {
  Random &random = graph.random;
  const std::string op = random.pick({"ReduceMean", "ReduceMean", "ReduceMean", "ReduceSum", "ReduceMax",
                                      "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum",
                                      "ReduceLogSumExp", "ReduceProd"});
  RandomValue x = graph.pickOfRank(1, 5);
  if (op == "ReduceLogSum")
    x = graph.positive(x);
  if (op == "ReduceProd")
    x = graph.bounded(x);
  const bool keeps = random.chance(50), isSpatial = x.rank() > 2 && random.chance(30);
  std::vector<int64_t> axes;
  Shape shape;
  double terms = 1;
  for (int64_t i = 0; i < x.rank(); ++i) {
    const int64_t size = x.shape[static_cast<size_t>(i)];
    const bool isReduced = isSpatial ? i >= 2 : random.chance(40);
    if (isReduced)
      axes.push_back(i), terms *= static_cast<double>(size);
    if (!isReduced || keeps)
      shape.push_back(isReduced ? 1 : size);
  }
  // A reduction with an empty list of axes reduces all axes.
  if (axes.empty()) {
    shape = Shape(keeps ? x.shape.size() : 0, 1);
    terms = static_cast<double>(x.elements());
  }
  std::vector<int64_t> written;
  for (int64_t axis : axes)
    written.push_back(graph.written(axis, x.rank()));
  random.shuffle(written);
  onnx::NodeProto &node = graph.node(op, {x.name});
  if (!keeps || random.chance(50))
    setInt(node, "keepdims", keeps);
  if (!axes.empty())
    graph.setIntsOrInput(node, "axes", written, op == "ReduceSum" ? 13 : 18);
  graph.give(node, shape, std::max(sizeOf(op, x.size, terms), 1e-3));
}

void addExtremePosition(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(1, 4);
  const auto axis = static_cast<size_t>(graph.random.below(x.shape.size()));
  const bool keeps = graph.random.chance(50);
  onnx::NodeProto &node = graph.node(graph.random.pick({"ArgMax", "ArgMin"}), {x.name});
  setInt(node, "axis", graph.written(static_cast<int64_t>(axis), x.rank()));
  setInt(node, "keepdims", keeps);
  if (graph.opset >= 12 && graph.random.chance(30))
    setInt(node, "select_last_index", 1);
  Shape shape = x.shape;
  if (keeps)
    shape[axis] = 1;
  else
    shape.erase(shape.begin() + static_cast<ptrdiff_t>(axis));
  graph.give(node, shape, 1, DType::i64);
}

} // namespace tilerig::test
