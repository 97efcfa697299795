// Random blocks of layers for random ONNX models: convolution blocks, residual blocks, attention and others
// that compiler passes match as a whole.
#include "tests/support/RandomModel/Families.h"

#include <cmath>

namespace tilerig::test {

namespace {

// A convolution over two spatial axes that keeps the size of the image.
RandomValue convolved(RandomGraph &graph, const RandomValue &x, int64_t outputs, int64_t kernel) {
  const double bound = std::sqrt(3.0 / static_cast<double>(x.shape[1] * kernel * kernel));
  Names inputs = {x.name, graph.floats({outputs, x.shape[1], kernel, kernel}, -bound, bound)};
  if (graph.random.chance(40))
    inputs.push_back(graph.floats({outputs}, -0.5, 0.5));
  onnx::NodeProto &node = graph.node("Conv", inputs);
  setInts(node, "kernel_shape", {kernel, kernel});
  setInts(node, "pads", std::vector<int64_t>(4, kernel / 2));
  return graph.give(node, {x.shape[0], outputs, x.shape[2], x.shape[3]}, x.size);
}

RandomValue normalised(RandomGraph &graph, const RandomValue &x) {
  const Shape channels = {x.shape[1]};
  const std::string scale = graph.floats(channels, 0.5, 1.5), bias = graph.floats(channels, -0.5, 0.5),
                    mean = graph.floats(channels, -0.5, 0.5), variance = graph.floats(channels, 0.5, 2);
  return graph.give(graph.node("BatchNormalization", {x.name, scale, bias, mean, variance}), x.shape, 1);
}

// Pads both spatial axes of an image by `by` on both sides; usually with zero, rarely with 0.5.
RandomValue padded(RandomGraph &graph, const RandomValue &x, int64_t by) {
  const std::vector<int64_t> pads = {0, 0, by, by, 0, 0, by, by};
  const float value = graph.random.pick({0.0f, 0.0f, 0.0f, 0.5f});
  const Shape shape = {x.shape[0], x.shape[1], x.shape[2] + 2 * by, x.shape[3] + 2 * by};
  if (graph.opset < 11) {
    onnx::NodeProto &node = graph.node("Pad", {x.name});
    setInts(node, "pads", pads);
    setFloat(node, "value", value);
    return graph.give(node, shape, x.size);
  }
  const Names inputs = {x.name, graph.ints(pads), graph.number(static_cast<double>(value))};
  return graph.give(graph.node("Pad", inputs), shape, x.size);
}

RandomValue perChannel(RandomGraph &graph, const std::string &op, const RandomValue &x) {
  Shape shape = {x.shape[1], 1, 1};
  if (graph.random.chance(40))
    shape.insert(shape.begin(), 1);
  const std::string constant = op == "Mul" ? graph.floats(shape, 0.5, 1.5) : graph.floats(shape, -0.5, 0.5);
  return graph.binary(op, x, constant, x.size + 0.2);
}

} // namespace

// A convolution between random operators: padding, normalisation, scale or bias before it, and
// normalisations, scales, biases and ReLUs behind it.
void addConvolutionBlock(RandomGraph &graph) {
  Random &random = graph.random;
  RandomValue x = graph.pickOfRank(4, 4);
  const auto outputs = static_cast<int64_t>(random.ragged(12));
  if (!RandomGraph::fits({x.shape[0], outputs, x.shape[2] + 4, x.shape[3] + 4}) ||
      !RandomGraph::fits({outputs, x.shape[1], 3, 3}))
    return;
  switch (random.below(5)) {
  case 0:
    x = padded(graph, x, random.between(1, 2));
    break;
  case 1:
    x = normalised(graph, x);
    break;
  case 2:
    x = perChannel(graph, random.pick({"Mul", "Add"}), x);
    break;
  default:
    break;
  }
  x = convolved(graph, x, outputs, random.pick({1, 3}));
  do {
    const uint64_t behind = random.below(4);
    x = behind == 0   ? normalised(graph, x)
        : behind == 1 ? perChannel(graph, "Mul", x)
        : behind == 2 ? perChannel(graph, "Add", x)
                      : graph.unary("Relu", x, x.size);
  } while (random.chance(50));
}

void addResidualBlock(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(4, 4);
  if (!RandomGraph::fits({x.shape[1], x.shape[1], 3, 3}))
    return;
  RandomValue branch = convolved(graph, x, x.shape[1], 3);
  if (graph.random.chance(60))
    branch = normalised(graph, branch);
  if (graph.random.chance(50))
    branch = graph.unary("Relu", branch, branch.size);
  const Names inputs = graph.random.chance(50) ? Names{x.name, branch.name} : Names{branch.name, x.name};
  const RandomValue sum = graph.give(graph.node("Add", inputs), x.shape, x.size + branch.size / 2);
  graph.unary("Relu", sum, sum.size);
}

void addSqueezeAndExcite(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(4, 4);
  if (!RandomGraph::fits({x.shape[1], x.shape[1]}))
    return;
  RandomValue mean;
  if (graph.random.chance(50)) {
    mean = graph.give(graph.node("GlobalAveragePool", {x.name}), {x.shape[0], x.shape[1], 1, 1}, x.size);
  } else {
    onnx::NodeProto &node = graph.node("ReduceMean", {x.name});
    graph.setIntsOrInput(node, "axes", {2, 3}, 18);
    mean = graph.give(node, {x.shape[0], x.shape[1], 1, 1}, x.size);
  }
  const RandomValue small = convolved(graph, mean, std::max<int64_t>(1, x.shape[1] / 2), 1);
  const RandomValue bent = graph.unary("Relu", small, small.size);
  const RandomValue wide = convolved(graph, bent, x.shape[1], 1);
  const RandomValue gate = graph.unary(graph.random.pick({"Sigmoid", "HardSigmoid"}), wide, 0.5);
  graph.give(graph.node("Mul", {x.name, gate.name}), x.shape, x.size);
}

// The upsampling step of a U-Net: the output of a convolution is resized, concatenated with another tensor,
// and convolved again.
void addUpsampling(RandomGraph &graph) {
  Random &random = graph.random;
  const RandomValue x = graph.pickOfRank(4, 4);
  const int64_t factor = random.pick({2, 3});
  const Shape large = {x.shape[0], x.shape[1], x.shape[2] * factor,
                       x.shape[3] * (random.chance(80) ? factor : 1)};
  if (graph.opset < 13 || !RandomGraph::fits({large[0], 2 * large[1], large[2], large[3]}) ||
      !RandomGraph::fits({x.shape[1], 2 * x.shape[1], 3, 3}))
    return;
  const RandomValue small = random.chance(70) ? convolved(graph, x, x.shape[1], 1) : x;
  Names inputs = {small.name, ""};
  if (random.chance(50)) {
    Tensor scales(DType::f32, {4});
    for (size_t i = 0; i < 4; ++i)
      scales.mutableAs<float>()[i] = static_cast<float>(large[i] / x.shape[i]);
    inputs.push_back(graph.constant(scales));
  } else {
    inputs.push_back("");
    inputs.push_back(graph.ints(large));
  }
  const bool isNearest = random.chance(50);
  onnx::NodeProto &node = graph.node("Resize", inputs);
  setText(node, "mode", isNearest ? "nearest" : "linear");
  setText(node, "coordinate_transformation_mode",
          random.pick({"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"}));
  if (isNearest)
    setText(node, "nearest_mode", random.pick({"floor", "round_prefer_floor"}));
  RandomValue up = graph.give(node, large, x.size);
  if (random.chance(50)) {
    const RandomValue skip = graph.pickOfShape(large);
    onnx::NodeProto &concat = graph.node("Concat", {up.name, skip.name});
    setInt(concat, "axis", 1);
    up = graph.give(concat, {large[0], 2 * large[1], large[2], large[3]}, std::max(up.size, skip.size));
  }
  convolved(graph, up, x.shape[1], random.pick({1, 3}));
}

void addChannelShuffle(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(4, 4);
  const int64_t groups = x.shape[1] % 3 == 0 ? 3 : 2;
  if (x.shape[1] % groups != 0)
    return;
  const RandomValue apart =
      graph.reshaped(x, {x.shape[0], groups, x.shape[1] / groups, x.shape[2], x.shape[3]});
  const RandomValue turned = graph.transposed(apart, {0, 2, 1, 3, 4});
  graph.reshaped(turned, x.shape);
}

// An operator between a transpose and its inverse, as exporters from channels-last frameworks write it.
// Sometimes the second transpose is not the inverse of the first.
void addTransposeSandwich(RandomGraph &graph) {
  Random &random = graph.random;
  const RandomValue x = graph.pickOfRank(4, 4);
  const bool isForth = random.chance(50);
  const std::vector<int64_t> forth = {0, 2, 3, 1}, back = {0, 3, 1, 2};
  RandomValue inside = graph.transposed(x, isForth ? forth : back);
  switch (random.below(5)) {
  case 0:
    inside = graph.binary("Add", inside, graph.floats({inside.shape.back()}, -0.5, 0.5), inside.size);
    break;
  case 1:
    inside = graph.unary(random.pick({"Relu", "Sigmoid", "Tanh"}), inside, inside.size);
    break;
  case 2: {
    onnx::NodeProto &node = graph.node("Softmax", {inside.name});
    setInt(node, "axis", 3);
    inside = graph.give(node, inside.shape, 0.5);
    break;
  }
  case 3: {
    const Shape broadcast = graph.broadcasting(inside.shape);
    inside = graph.binary("Mul", inside, graph.floats(broadcast, 0.5, 1.5), inside.size);
    break;
  }
  default:
    break;
  }
  graph.transposed(inside, random.chance(85) == isForth ? back : forth);
}

// Masks attention scores with `Where`, which may hide all of a row; sometimes a division by a scale follows.
static RandomValue filledScores(RandomGraph &graph, const RandomValue &scores, const Shape &mask) {
  Random &random = graph.random;
  if (graph.opset < 9)
    return scores;
  Tensor chosen(DType::boolean, mask);
  for (bool &element : chosen.mutableAs<bool>())
    element = random.chance(60);
  const std::string condition = graph.constant(chosen), fill = graph.number(random.pick({-1e9, -1e4, -2.0}));
  const Names inputs =
      random.chance(50) ? Names{condition, scores.name, fill} : Names{condition, fill, scores.name};
  const RandomValue filled = graph.give(graph.node("Where", inputs), scores.shape, scores.size);
  return random.chance(30) ? graph.binary("Div", filled, graph.number(2), scores.size) : filled;
}

// Multi-head attention of queries q, keys k and values v: softmax(q k' / sqrt(n) + mask) v, where n is the
// size of a key.
void addAttention(RandomGraph &graph) {
  Random &random = graph.random;
  const RandomValue x = graph.pickOfRank(3, 3);
  const int64_t batch = x.shape[0], length = x.shape[1], heads = random.pick({1, 2, 3}),
                width = random.pick({1, 4, 5});
  if (!RandomGraph::fits({batch, heads, length, length}) || !RandomGraph::fits({x.shape[2], heads * width}) ||
      !RandomGraph::fits({batch, length, heads * width}))
    return;
  const double bound = std::sqrt(3.0 / static_cast<double>(x.shape[2]));
  const auto projected = [&](std::vector<int64_t> perm) {
    const std::string weights = graph.floats({x.shape[2], heads * width}, -bound, bound);
    RandomValue y =
        graph.give(graph.node("MatMul", {x.name, weights}), {batch, length, heads * width}, x.size);
    if (random.chance(50))
      y = graph.binary("Add", y, graph.floats({heads * width}, -0.5, 0.5), y.size);
    return graph.transposed(graph.reshaped(y, {batch, length, heads, width}), perm);
  };
  RandomValue q = projected({0, 2, 1, 3});
  RandomValue k =
      random.chance(60) ? projected({0, 2, 3, 1}) : graph.transposed(projected({0, 2, 1, 3}), {0, 1, 3, 2});
  const RandomValue v = projected({0, 2, 1, 3});
  const Shape square = {batch, heads, length, length};
  const double root = std::sqrt(static_cast<double>(width));
  // Five forms of scaling attention scores: factors on both q and k (0), a factor on q (1), the scores
  // divided (2) or multiplied (3), or no scaling (4).
  const uint64_t scaling = random.below(5);
  if (scaling < 2)
    q = graph.binary("Mul", q, graph.number(1 / (scaling == 0 ? std::sqrt(root) : root)), q.size);
  if (scaling == 0)
    k = graph.binary("Mul", k, graph.number(1 / std::sqrt(root)), k.size);
  RandomValue scores = graph.give(graph.node("MatMul", {q.name, k.name}), square, x.size * x.size);
  if (scaling == 2)
    scores = graph.binary("Div", scores, graph.number(root), scores.size);
  else if (scaling == 3)
    scores = graph.binary("Mul", scores, graph.number(1 / root), scores.size);
  const Shape mask = random.chance(50) ? Shape{length, length} : Shape{batch, 1, 1, length};
  const uint64_t masking = random.below(6);
  if (masking == 0 || masking == 1)
    scores = filledScores(graph, scores, mask);
  if (masking > 0 && masking < 4)
    scores = graph.binary("Add", scores, graph.floats(mask, -3, 0), scores.size);
  if (masking == 2)
    scores = filledScores(graph, scores, mask);
  onnx::NodeProto &node = graph.node("Softmax", {scores.name});
  setInt(node, "axis", random.chance(85) || graph.opset < 13 ? graph.written(3, 4) : 2);
  RandomValue weights = graph.give(node, square, 0.5);
  // PyTorch replaces NaN in the result of a softmax by 0 if a mask may hide a whole row.
  if (graph.opset >= 13 && random.chance(20)) {
    const RandomValue isNaN = graph.keep(graph.node("IsNaN", {weights.name}), square, DType::boolean);
    const std::string zero = graph.number(0);
    weights = graph.give(graph.node("Where", {isNaN.name, zero, weights.name}), square, 0.5);
  }
  const RandomValue heard =
      graph.give(graph.node("MatMul", {weights.name, v.name}), {batch, heads, length, width}, x.size);
  graph.reshaped(graph.transposed(heard, {0, 2, 1, 3}), {batch, length, heads * width});
}

} // namespace tilerig::test
