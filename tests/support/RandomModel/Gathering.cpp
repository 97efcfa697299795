// Random operators that gather or scatter elements by indices.
#include "tests/support/RandomModel/Families.h"
#include "tests/support/RandomModel/Fitted.h"

namespace tilerig::test {

namespace {

std::string drawIndices(RandomGraph &graph, const Shape &shape, int64_t size) {
  if (graph.random.chance(30) && RandomValue{"", shape}.elements() <= 300) { // known only at run time
    const RandomValue x = fitted(graph, shape);
    return integersFrom(graph, x, DType::i64, size)
        .name; // below `size` in magnitude, as bounded() is below 1
  }
  return graph.whole(DType::i64, shape, -size, size - 1);
}

Shape smaller(RandomGraph &graph, const Shape &shape) {
  Shape result = shape;
  for (int64_t &size : result)
    size = graph.random.between(1, size);
  return result;
}

void setReduction(RandomGraph &graph, onnx::NodeProto &node) {
  if (graph.opset >= 16 && graph.random.chance(50))
    setText(node, "reduction",
            graph.opset >= 18 ? graph.random.pick({"add", "mul", "max", "min"})
                              : graph.random.pick({"add", "mul"}));
}

void addGatherElements(RandomGraph &graph) {
  if (graph.opset < 11)
    return;
  const RandomValue x = graph.pickOfRank(1, 4);
  const auto axis = static_cast<size_t>(graph.random.below(x.shape.size()));
  Shape shape = smaller(graph, x.shape);
  shape[axis] = graph.random.between(1, 5);
  const std::string places = drawIndices(graph, shape, x.shape[axis]);
  onnx::NodeProto &node = graph.node("GatherElements", {x.name, places});
  setInt(node, "axis", graph.written(static_cast<int64_t>(axis), x.rank()));
  graph.give(node, shape, x.size);
}

// One axis of positions: all of them in a random order, so that none is written twice.
std::vector<int64_t> positions(RandomGraph &graph, int64_t size) {
  std::vector<int64_t> all;
  for (int64_t i = 0; i < size; ++i)
    all.push_back(i);
  graph.random.shuffle(all);
  return all;
}

void addScatterElements(RandomGraph &graph) {
  if (graph.opset < 9)
    return;
  const RandomValue x = graph.pickOfRank(1, 4);
  const auto axis = static_cast<size_t>(graph.random.below(x.shape.size()));
  const Shape shape = smaller(graph, x.shape);
  const std::vector<int64_t> order = positions(graph, x.shape[axis]);
  Tensor places(DType::i64, shape);
  int64_t inner = 1;
  for (size_t i = axis + 1; i < shape.size(); ++i)
    inner *= shape[i];
  const auto elements = places.mutableAs<int64_t>();
  for (size_t i = 0; i < elements.size(); ++i) {
    elements[i] = order[static_cast<size_t>(static_cast<int64_t>(i) / inner % shape[axis])];
    if (graph.opset >= 11 && graph.random.chance(20))
      elements[i] -= x.shape[axis];
  }
  const std::string chosen = graph.constant(places);
  const RandomValue updates = fitted(graph, shape);
  onnx::NodeProto &node =
      graph.node(graph.opset < 11 ? "Scatter" : "ScatterElements", {x.name, chosen, updates.name});
  setInt(node, "axis", graph.written(static_cast<int64_t>(axis), x.rank()));
  setReduction(graph, node);
  graph.give(node, x.shape, x.size + updates.size);
}

void addGatherND(RandomGraph &graph) {
  if (graph.opset < 12)
    return;
  const RandomValue x = graph.pickOfRank(2, 4);
  const int64_t batches = graph.random.chance(30) ? 1 : 0;
  const int64_t depth = graph.random.between(1, x.rank() - batches), count = graph.random.between(1, 4);
  Shape shape(x.shape.begin(), x.shape.begin() + batches);
  shape.push_back(count);
  Shape listed = shape;
  listed.push_back(depth);
  Tensor places(DType::i64, listed);
  const auto elements = places.mutableAs<int64_t>();
  for (size_t i = 0; i < elements.size(); ++i) {
    const int64_t size = x.shape[static_cast<size_t>(batches) + i % static_cast<size_t>(depth)];
    elements[i] = graph.random.between(-size, size - 1);
  }
  const std::string chosen = graph.constant(places);
  onnx::NodeProto &node = graph.node("GatherND", {x.name, chosen});
  if (batches)
    setInt(node, "batch_dims", batches);
  shape.insert(shape.end(), x.shape.begin() + batches + depth, x.shape.end());
  graph.give(node, shape, x.size);
}

void addScatterND(RandomGraph &graph) {
  if (graph.opset < 11)
    return;
  const RandomValue x = graph.pickOfRank(2, 4);
  const std::vector<int64_t> order = positions(graph, x.shape[0]);
  const int64_t count = graph.random.between(1, x.shape[0]), depth = graph.random.between(1, 2);
  Tensor places(DType::i64, {count, depth});
  const auto elements = places.mutableAs<int64_t>();
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] = static_cast<int64_t>(i) % depth == 0 ? order[i / static_cast<size_t>(depth)]
                                                       : graph.random.between(0, x.shape[1] - 1);
  const std::string chosen = graph.constant(places);
  Shape shape = {count};
  shape.insert(shape.end(), x.shape.begin() + depth, x.shape.end());
  const RandomValue updates = fitted(graph, shape);
  onnx::NodeProto &node = graph.node("ScatterND", {x.name, chosen, updates.name});
  setReduction(graph, node);
  graph.give(node, x.shape, x.size + updates.size);
}

void addEinsum(RandomGraph &graph) {
  if (graph.opset < 12)
    return;
  const int64_t i = graph.random.between(1, 6), j = graph.random.between(1, 9),
                k = graph.random.between(1, 6), b = 2;
  struct Form {
    const char *equation;
    Shape a, c, result;
    double size;
  };
  const double depth = static_cast<double>(j);
  const std::vector<Form> forms = {
      {"ij,jk->ik", {i, j}, {j, k}, {i, k}, depth},
      {"bij,bjk->bik", {b, i, j}, {b, j, k}, {b, i, k}, depth},
      {"bij,bkj->bik", {b, i, j}, {b, k, j}, {b, i, k}, depth},
      {"bihd,bjhd->bhij", {b, i, k, j}, {b, i, k, j}, {b, k, i, i}, depth},
      {"i,j->ij", {i}, {j}, {i, j}, 1},
      {"...j,jk->...k", {b, i, j}, {j, k}, {b, i, k}, depth},
      {"ij,ij->i", {i, j}, {i, j}, {i}, depth},
      {"ij->ji", {i, j}, {}, {j, i}, 1},
      {"bij->bj", {b, i, j}, {}, {b, j}, depth},
  };
  const Form form = graph.random.pick(forms);
  const RandomValue a = fitted(graph, form.a);
  Names inputs = {a.name};
  if (!form.c.empty())
    inputs.push_back(graph.random.chance(50) ? fitted(graph, form.c).name : graph.floats(form.c, -1, 1));
  onnx::NodeProto &node = graph.node("Einsum", inputs);
  setText(node, "equation", form.equation);
  graph.give(node, form.result, std::max(0.5, a.size * form.size));
}

} // namespace

void addByIndices(RandomGraph &graph) {
  constexpr void (*all[])(RandomGraph &) = {addGatherElements, addScatterElements, addGatherND, addScatterND,
                                            addEinsum};
  graph.random.pick(all)(graph);
}

} // namespace tilerig::test
