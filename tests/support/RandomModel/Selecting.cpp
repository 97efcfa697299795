// Random operators that select elements or positions: TopK, OneHot, Trilu, sums so far, cuts, and others.
#include "tests/support/RandomModel/Families.h"
#include "tests/support/RandomModel/Fitted.h"

namespace tilerig::test {

namespace {

void addTopK(RandomGraph &graph) {
  Random &random = graph.random;
  const RandomValue x = graph.pickOfRank(1, 4);
  const auto axis = static_cast<size_t>(random.below(x.shape.size()));
  Shape shape = x.shape;
  shape[axis] = random.between(1, x.shape[axis]);
  Names inputs = {x.name};
  if (graph.opset >= 10)
    inputs.push_back(graph.ints({shape[axis]}));
  onnx::NodeProto &node = graph.node("TopK", inputs, 2);
  if (graph.opset < 10)
    setInt(node, "k", shape[axis]);
  setInt(node, "axis", graph.written(static_cast<int64_t>(axis), x.rank()));
  if (graph.opset >= 11 && random.chance(40))
    setInt(node, "largest", 0);
  graph.give(node, shape, x.size);
  graph.give(node, shape, static_cast<double>(x.shape[axis]), DType::i64, 1);
}

void addOneHot(RandomGraph &graph) {
  if (graph.opset < 11)
    return;
  const RandomValue x = graph.pickOfRank(1, 2);
  if (x.elements() > 400)
    return;
  const int64_t depth = graph.random.between(2, 7);
  const RandomValue index = integersFrom(graph, x, graph.random.pick({DType::i64, DType::i32}), depth);
  const std::string count = graph.integer(depth), values = graph.floats({2}, -1, 1);
  onnx::NodeProto &node = graph.node("OneHot", {index.name, count, values});
  const int64_t axis = graph.random.between(0, x.rank());
  setInt(node, "axis", graph.random.chance(40) ? axis - x.rank() - 1 : axis);
  Shape shape = x.shape;
  shape.insert(shape.begin() + axis, depth);
  graph.give(node, shape, 0.7);
}

void addTriangle(RandomGraph &graph) {
  if (graph.opset < 14)
    return;
  const RandomValue x = graph.pickOfRank(2, 4);
  Names inputs = {x.name};
  if (graph.random.chance(60))
    inputs.push_back(graph.integer(graph.random.between(-3, 3)));
  onnx::NodeProto &node = graph.node("Trilu", inputs);
  if (graph.random.chance(50))
    setInt(node, "upper", 0);
  graph.give(node, x.shape, x.size);
}

void addSumSoFar(RandomGraph &graph) {
  if (graph.opset < 11)
    return;
  const RandomValue x = graph.pickOfRank(1, 4);
  const auto axis = static_cast<int64_t>(graph.random.below(x.shape.size()));
  const std::string place = graph.random.chance(50) ? graph.integer(graph.written(axis, x.rank()))
                                                    : graph.whole(DType::i32, {1}, axis, axis);
  onnx::NodeProto &node = graph.node("CumSum", {x.name, place});
  if (graph.random.chance(40))
    setInt(node, "exclusive", 1);
  if (graph.random.chance(40))
    setInt(node, "reverse", 1);
  graph.give(node, x.shape, x.size * static_cast<double>(x.shape[static_cast<size_t>(axis)]) / 2);
}

// Compress with a constant condition, so that the shape of the result is known.
void addCompress(RandomGraph &graph) {
  if (graph.opset < 9)
    return;
  const RandomValue x = graph.pickOfRank(1, 4);
  const auto axis = static_cast<size_t>(graph.random.below(x.shape.size()));
  const bool isFlat = graph.random.chance(30);
  const int64_t size = isFlat ? x.elements() : x.shape[axis];
  Tensor condition(DType::boolean, {size});
  int64_t count = 0;
  for (bool &element : condition.mutableAs<bool>())
    count += element = graph.random.chance(60);
  if (count == 0)
    condition.mutableAs<bool>()[0] = true, count = 1;
  const std::string chosen = graph.constant(condition);
  onnx::NodeProto &node = graph.node("Compress", {x.name, chosen});
  Shape shape = x.shape;
  if (isFlat) {
    shape = {count};
  } else {
    shape[axis] = count;
    setInt(node, "axis", graph.written(static_cast<int64_t>(axis), x.rank()));
  }
  graph.give(node, shape, x.size);
}

void addIdentityMatrix(RandomGraph &graph) {
  if (graph.opset < 9)
    return;
  const RandomValue x = graph.pickOfRank(2, 2);
  onnx::NodeProto &node = graph.node("EyeLike", {x.name});
  if (graph.random.chance(50))
    setInt(node, "k", graph.random.between(-2, 2));
  const RandomValue eye = graph.keep(node, x.shape, DType::f32);
  graph.give(graph.node(graph.random.pick({"Add", "Mul"}), {x.name, eye.name}), x.shape, x.size + 1);
}

void addReversedSequences(RandomGraph &graph) {
  if (graph.opset < 10)
    return;
  const RandomValue x = graph.pickOfRank(2, 4);
  const bool isBatchFirst = graph.random.chance(50);
  const std::string lengths =
      graph.whole(DType::i64, {x.shape[isBatchFirst ? 0 : 1]}, 1, x.shape[isBatchFirst ? 1 : 0]);
  onnx::NodeProto &node = graph.node("ReverseSequence", {x.name, lengths});
  if (isBatchFirst || graph.random.chance(50))
    setInt(node, "batch_axis", isBatchFirst ? 0 : 1), setInt(node, "time_axis", isBatchFirst ? 1 : 0);
  graph.give(node, x.shape, x.size);
}

void addCentreCrop(RandomGraph &graph) {
  if (graph.opset < 18)
    return;
  const RandomValue x = graph.pickOfRank(1, 4);
  Shape shape = x.shape;
  std::vector<int64_t> axes, sizes;
  for (int64_t i = 0; i < x.rank(); ++i)
    if (graph.random.chance(60)) {
      axes.push_back(graph.written(i, x.rank()));
      sizes.push_back(graph.random.between(1, x.shape[static_cast<size_t>(i)] + 3));
      shape[static_cast<size_t>(i)] = sizes.back();
    }
  if (axes.empty() || !RandomGraph::fits(shape))
    return;
  const std::string wanted = graph.ints(sizes);
  onnx::NodeProto &node = graph.node("CenterCropPad", {x.name, wanted});
  setInts(node, "axes", axes);
  graph.give(node, shape, x.size);
}

void addNumberTest(RandomGraph &graph) {
  const std::string op = graph.random.pick({"IsNaN", "IsInf"});
  if (graph.opset < (op == "IsNaN" ? 9 : 10))
    return;
  const RandomValue x = graph.pick();
  graph.give(graph.node(op, {x.name}), x.shape, 1, DType::boolean);
}

void addCount(RandomGraph &graph) {
  const RandomValue x = graph.pick();
  const RandomValue size =
      graph.give(graph.node("Size", {x.name}), {}, static_cast<double>(x.elements()), DType::i64);
  if (graph.opset < 11 || x.elements() > 100)
    return;
  const std::string from = graph.integer(0), step = graph.integer(1);
  const RandomValue numbers =
      graph.give(graph.node("Range", {from, size.name, step}), {x.elements()}, size.size, DType::i64);
  castTo(graph, numbers, DType::f32);
}

} // namespace

void addSelection(RandomGraph &graph) {
  constexpr void (*all[])(RandomGraph &) = {
      addTopK,       addTopK,       addOneHot, addTriangle,       addSumSoFar,         addCompress,
      addCentreCrop, addNumberTest, addCount,  addIdentityMatrix, addReversedSequences};
  graph.random.pick(all)(graph);
}

} // namespace tilerig::test
