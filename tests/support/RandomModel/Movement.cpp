// Random operators that move elements without changing them: reshape, transpose, concat, slice, pad and
// others.
#include "tests/support/RandomModel/Families.h"

#include <numeric>

namespace tilerig::test {

namespace {

using Sizes = std::vector<int64_t>;

Sizes allAxes(int64_t rank) {
  Sizes axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

void addSqueeze(RandomGraph &graph, const RandomValue &x) {
  Sizes axes;
  Shape shape;
  for (int64_t i = 0; i < x.rank(); ++i)
    if (const int64_t size = x.shape[static_cast<size_t>(i)]; size == 1 && graph.random.chance(70))
      axes.push_back(graph.written(i, x.rank()));
    else
      shape.push_back(size);
  if (axes.empty())
    return;
  onnx::NodeProto &node = graph.node("Squeeze", {x.name});
  const bool isEveryOne = std::count(shape.begin(), shape.end(), 1) == 0;
  if (!isEveryOne || graph.random.chance(60))
    graph.setIntsOrInput(node, "axes", axes, 13);
  graph.give(node, shape, x.size);
}

void addUnsqueeze(RandomGraph &graph, const RandomValue &x) {
  const int64_t rank = x.rank() + graph.random.between(1, 2);
  if (rank > 6)
    return;
  Sizes places = allAxes(rank);
  graph.random.shuffle(places);
  places.resize(static_cast<size_t>(rank - x.rank()));
  Shape shape = x.shape;
  std::sort(places.begin(), places.end());
  for (int64_t place : places)
    shape.insert(shape.begin() + place, 1);
  for (int64_t &place : places)
    place = graph.written(place, rank);
  onnx::NodeProto &node = graph.node("Unsqueeze", {x.name});
  graph.setIntsOrInput(node, "axes", places, 13);
  graph.give(node, shape, x.size);
}

void addFlatten(RandomGraph &graph, const RandomValue &x) {
  const int64_t axis = graph.random.between(0, x.rank());
  Shape shape = {1, 1};
  for (int64_t i = 0; i < x.rank(); ++i)
    shape[i < axis ? 0 : 1] *= x.shape[static_cast<size_t>(i)];
  onnx::NodeProto &node = graph.node("Flatten", {x.name});
  if (axis != 1 || graph.random.chance(50))
    setInt(node, "axis", axis);
  graph.give(node, shape, x.size);
}

} // namespace

void addReshape(RandomGraph &graph) {
  const RandomValue x = graph.pick();
  switch (graph.random.below(5)) {
  case 0:
    return addSqueeze(graph, x);
  case 1:
    return addUnsqueeze(graph, x);
  case 2:
    return addFlatten(graph, x);
  case 3: { // merges two axes
    if (x.rank() < 2)
      return;
    const auto at = static_cast<size_t>(graph.random.below(x.shape.size() - 1));
    Shape shape = x.shape;
    shape[at] *= shape[at + 1];
    shape.erase(shape.begin() + static_cast<ptrdiff_t>(at) + 1);
    graph.reshaped(x, shape);
    return;
  }
  default: { // splits one axis of a tensor in two
    if (x.rank() < 1 || x.rank() > 5)
      return;
    const auto at = static_cast<size_t>(graph.random.below(x.shape.size()));
    Shape shape = x.shape;
    for (int64_t factor : {4, 3, 2, 1})
      if (shape[at] % factor == 0) {
        shape[at] /= factor;
        shape.insert(shape.begin() + static_cast<ptrdiff_t>(at), factor);
        break;
      }
    graph.reshaped(x, shape);
  }
  }
}

void addTranspose(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(2, 5);
  Sizes perm = allAxes(x.rank());
  if (graph.random.chance(20)) { // a Transpose without attribute reverses the axes
    graph.give(graph.node("Transpose", {x.name}), Shape(x.shape.rbegin(), x.shape.rend()), x.size);
    return;
  }
  graph.random.shuffle(perm);
  graph.transposed(x, perm);
}

void addConcat(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(1, 5);
  const auto axis = static_cast<size_t>(graph.random.below(x.shape.size()));
  Names inputs = {x.name};
  Shape shape = x.shape;
  double size = x.size;
  do {
    Shape other = x.shape;
    if (graph.random.chance(50))
      other[axis] = static_cast<int64_t>(graph.random.ragged(5));
    const RandomValue next = graph.pickOfShape(other);
    inputs.push_back(next.name);
    shape[axis] += other[axis];
    size = std::max(size, next.size);
  } while (graph.random.chance(30));
  if (!RandomGraph::fits(shape))
    return;
  onnx::NodeProto &node = graph.node("Concat", inputs);
  setInt(node, "axis", graph.written(static_cast<int64_t>(axis), x.rank()));
  graph.give(node, shape, size);
}

// Slices some axes, forwards and backwards, with bounds in all forms of ONNX: counted from the end, and far
// beyond it.
void addSlice(RandomGraph &graph) {
  Random &random = graph.random;
  const RandomValue x = graph.pickOfRank(1, 5);
  Sizes axes, starts, ends, steps;
  Shape shape = x.shape;
  for (int64_t i = 0; i < x.rank(); ++i) {
    const int64_t size = x.shape[static_cast<size_t>(i)];
    if (!random.chance(50))
      continue;
    const int64_t first = random.between(0, size - 1), last = random.between(first, size - 1);
    const int64_t step = graph.opset < 10 ? 1 : random.pick({1, 1, 2, 3});
    const bool isBackwards = graph.opset >= 10 && random.chance(25);
    axes.push_back(graph.opset < 10 ? i : graph.written(i, x.rank()));
    starts.push_back(isBackwards ? last : first);
    ends.push_back(isBackwards ? first - 1 : last + 1);
    if (isBackwards && first == 0)
      // As the end of a Slice, -1 is counted from the end of the axis, so it cannot stand for the position
      // before the first element.
      ends.back() = -size - 1;
    if (!isBackwards && last == size - 1 && random.chance(40))
      ends.back() = random.chance(50) ? INT64_MAX : size + 7;
    if (random.chance(30))
      starts.back() -= size;
    steps.push_back(isBackwards ? -step : step);
    shape[static_cast<size_t>(i)] = (last - first) / step + 1;
  }
  if (axes.empty())
    return;
  if (graph.opset < 10) {
    onnx::NodeProto &node = graph.node("Slice", {x.name});
    setInts(node, "axes", axes), setInts(node, "starts", starts), setInts(node, "ends", ends);
    graph.give(node, shape, x.size);
    return;
  }
  Names inputs = {x.name, graph.ints(starts), graph.ints(ends), graph.ints(axes)};
  if (random.chance(60) || std::count(steps.begin(), steps.end(), 1) != std::ssize(steps))
    inputs.push_back(graph.ints(steps));
  graph.give(graph.node("Slice", inputs), shape, x.size);
}

void addSplit(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(1, 5);
  const auto axis = static_cast<size_t>(graph.random.below(x.shape.size()));
  const int64_t size = x.shape[axis];
  if (size < 2)
    return;
  const bool isEven = size % 2 == 0 && graph.random.chance(50);
  Sizes parts = {size / 2, size / 2};
  if (!isEven) {
    parts[0] = graph.random.between(1, size - 1);
    parts[1] = size - parts[0];
  }
  onnx::NodeProto &node = graph.node("Split", {x.name}, 2);
  setInt(node, "axis", graph.written(static_cast<int64_t>(axis), x.rank()));
  if (!isEven || graph.random.chance(50))
    graph.setIntsOrInput(node, "split", parts, 13);
  else if (graph.opset >= 18)
    setInt(node, "num_outputs", 2);
  for (int i : {0, 1}) {
    Shape shape = x.shape;
    shape[axis] = parts[static_cast<size_t>(i)];
    graph.give(node, shape, x.size, DType::f32, i);
  }
}

void addPad(RandomGraph &graph) {
  Random &random = graph.random;
  const RandomValue x = graph.pickOfRank(1, 5);
  const std::string mode = random.pick({"constant", "constant", "constant", "reflect", "edge"});
  const bool isImage = x.rank() > 2 && random.chance(70), cuts = mode == "constant" && random.chance(15);
  Sizes pads(2 * x.shape.size(), 0);
  Shape shape = x.shape;
  for (size_t i = isImage ? 2 : 0; i < shape.size(); ++i)
    for (size_t side : {i, shape.size() + i}) {
      const int64_t most = mode == "reflect" ? std::min<int64_t>(2, x.shape[i] - 1) : 2;
      pads[side] = cuts && shape[i] > 1 ? -1 : random.between(0, most);
      shape[i] += pads[side];
    }
  if (!RandomGraph::fits(shape))
    return;
  const float value = random.pick({0.0f, 0.0f, 0.5f});
  if (graph.opset < 11) {
    onnx::NodeProto &node = graph.node("Pad", {x.name});
    setInts(node, "pads", pads);
    if (mode != "constant" || random.chance(50))
      setText(node, "mode", mode);
    if (value != 0)
      setFloat(node, "value", value);
    graph.give(node, shape, x.size);
    return;
  }
  Names inputs = {x.name, graph.ints(pads)};
  if (value != 0 || random.chance(40))
    inputs.push_back(graph.number(static_cast<double>(value)));
  onnx::NodeProto &node = graph.node("Pad", inputs);
  if (mode != "constant" || random.chance(50))
    setText(node, "mode", mode);
  graph.give(node, shape, x.size);
}

void addRepeat(RandomGraph &graph) {
  Random &random = graph.random;
  const RandomValue x = graph.pickOfRank(1, 4);
  Shape shape = x.shape;
  if (graph.opset >= 8 && random.chance(60)) {
    for (int64_t &size : shape)
      if (size == 1 && random.chance(70))
        size = random.pick({2, 3});
    if (random.chance(30))
      shape.insert(shape.begin(), 2);
    // A size of 1 in the shape of Expand leaves the axis unchanged.
    Sizes wanted = shape;
    for (size_t i = 0; i < x.shape.size(); ++i)
      if (shape[shape.size() - 1 - i] == x.shape[x.shape.size() - 1 - i] && random.chance(30))
        wanted[shape.size() - 1 - i] = 1;
    if (RandomGraph::fits(shape))
      graph.give(graph.node("Expand", {x.name, graph.ints(wanted)}), shape, x.size);
    return;
  }
  Sizes repeats;
  for (int64_t &size : shape) {
    repeats.push_back(random.pick({1, 1, 2, 3}));
    size *= repeats.back();
  }
  if (RandomGraph::fits(shape))
    graph.give(graph.node("Tile", {x.name, graph.ints(repeats)}), shape, x.size);
}

void addGather(RandomGraph &graph) {
  Random &random = graph.random;
  const RandomValue x = graph.pickOfRank(1, 4);
  const auto axis = static_cast<size_t>(random.below(x.shape.size()));
  const int64_t size = x.shape[axis], lowest = graph.opset >= 11 ? -size : 0;
  Shape shape(x.shape.begin(), x.shape.begin() + static_cast<ptrdiff_t>(axis));
  std::string indices;
  if (random.chance(40)) { // a scalar index of Gather selects one element and removes the axis
    indices = graph.integer(random.between(lowest, size - 1));
  } else {
    Sizes wanted(random.between(1, 4));
    for (int64_t &index : wanted)
      index = random.between(lowest, size - 1);
    indices = graph.ints(wanted);
    shape.push_back(std::ssize(wanted));
  }
  shape.insert(shape.end(), x.shape.begin() + static_cast<ptrdiff_t>(axis) + 1, x.shape.end());
  onnx::NodeProto &node = graph.node("Gather", {x.name, indices});
  setInt(node, "axis", graph.written(static_cast<int64_t>(axis), x.rank()));
  graph.give(node, shape, x.size);
}

void addBlocksOfPixels(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(4, 4);
  const int64_t block = graph.random.pick({2, 2, 3});
  const Shape &s = x.shape;
  if (s[1] % (block * block) == 0) {
    onnx::NodeProto &node = graph.node("DepthToSpace", {x.name});
    setInt(node, "blocksize", block);
    if (graph.opset >= 11 && graph.random.chance(60))
      setText(node, "mode", graph.random.pick({"DCR", "CRD"}));
    graph.give(node, {s[0], s[1] / block / block, s[2] * block, s[3] * block}, x.size);
  } else if (s[2] % block == 0 && s[3] % block == 0) {
    onnx::NodeProto &node = graph.node("SpaceToDepth", {x.name});
    setInt(node, "blocksize", block);
    graph.give(node, {s[0], s[1] * block * block, s[2] / block, s[3] / block}, x.size);
  }
}

} // namespace tilerig::test
