// Random convolutions and pools over one to three spatial axes.
#include "tests/support/RandomModel/Families.h"

#include <cmath>

namespace tilerig::test {

namespace {

using Sizes = std::vector<int64_t>;

// The geometry of a convolution's or pool's windows, and the attributes that state it.
struct Windows {
  Sizes kernel, strides, dilations, pads, outputs;
  std::string autoPad;
  bool ceil = false;

  explicit Windows(size_t axes) : kernel(axes, 1), strides(axes, 1), dilations(axes, 1), pads(2 * axes, 0) {}
  size_t axes() const { return kernel.size(); }
  int64_t reach(size_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
};

// Draws windows that all overlap the image, so that none lies entirely in the padding.
Windows drawWindows(RandomGraph &graph, const Sizes &image, bool mayDilate, bool mayCeil) {
  Random &random = graph.random;
  Windows windows(image.size());
  const uint64_t mode = random.below(10);
  for (size_t i = 0; i < windows.axes(); ++i) {
    windows.kernel[i] = random.pick({1, 2, 3, 3, 3, 5, 7});
    windows.strides[i] = random.pick({1, 1, 1, 2, 2, 3});
    windows.dilations[i] = mayDilate && mode < 7 ? random.pick({1, 1, 1, 2, 3}) : 1;
    if (windows.reach(i) > image[i])
      windows.kernel[i] = std::min<int64_t>(windows.kernel[i], image[i]), windows.dilations[i] = 1;
  }
  windows.autoPad = mode == 7 ? "SAME_UPPER" : mode == 8 ? "SAME_LOWER" : mode == 9 ? "VALID" : "";
  // Only undilated windows get padding: all taps of a dilated one could lie in the padding.
  for (size_t i = 0; mode < 5 && i < windows.axes(); ++i)
    for (size_t side : {i, windows.axes() + i})
      if (windows.dilations[i] == 1)
        windows.pads[side] = random.between(0, windows.kernel[i] - 1);
  windows.ceil = mayCeil && windows.autoPad.empty() && random.chance(30);
  for (size_t i = 0; i < windows.axes(); ++i) {
    if (windows.autoPad.starts_with("SAME")) {
      windows.outputs.push_back((image[i] + windows.strides[i] - 1) / windows.strides[i]);
      continue;
    }
    const int64_t free = image[i] + windows.pads[i] + windows.pads[windows.axes() + i] - windows.reach(i);
    const int64_t outputs = free / windows.strides[i] + 1;
    // With ceil_mode, some implementations drop a last window that begins beyond the image and others keep
    // it. For sizes that have such a window, ceil_mode is not set.
    if (free % windows.strides[i] != 0 && outputs * windows.strides[i] >= image[i] + windows.pads[i])
      windows.ceil = false;
    windows.outputs.push_back(outputs);
  }
  for (size_t i = 0; windows.ceil && i < windows.axes(); ++i)
    windows.outputs[i] += (image[i] + windows.pads[i] + windows.pads[windows.axes() + i] - windows.reach(i)) %
                              windows.strides[i] !=
                          0;
  return windows;
}

bool isAll(const Sizes &sizes, int64_t value) {
  return std::count(sizes.begin(), sizes.end(), value) == std::ssize(sizes);
}

// Writes the attributes of the windows; those at their default are written or left out at random.
void describe(RandomGraph &graph, onnx::NodeProto &node, const Windows &windows) {
  const bool saysAll = graph.random.chance(50);
  if (saysAll || !isAll(windows.strides, 1))
    setInts(node, "strides", windows.strides);
  if (!isAll(windows.dilations, 1))
    setInts(node, "dilations", windows.dilations);
  if (!windows.autoPad.empty())
    setText(node, "auto_pad", windows.autoPad);
  else if (saysAll || !isAll(windows.pads, 0))
    setInts(node, "pads", windows.pads);
  if (windows.ceil)
    setInt(node, "ceil_mode", 1);
}

Sizes imageOf(const RandomValue &x) { return {x.shape.begin() + 2, x.shape.end()}; }

Shape withImage(int64_t batch, int64_t channels, const Sizes &image) {
  Shape shape = {batch, channels};
  shape.insert(shape.end(), image.begin(), image.end());
  return shape;
}

// Draws the number of groups of channels: one, one per channel, or a divisor in between.
int64_t drawGroups(Random &random, int64_t channels) {
  if (random.chance(50))
    return 1;
  if (random.chance(50))
    return channels;
  std::vector<int64_t> divisors;
  for (int64_t i = 1; i <= channels; ++i)
    if (channels % i == 0)
      divisors.push_back(i);
  return random.pick(divisors);
}

double spread(int64_t terms) { return std::sqrt(3.0 / static_cast<double>(terms)); }

void addBias(RandomGraph &graph, Names &inputs, int64_t outputs) {
  if (graph.random.chance(60))
    inputs.push_back(graph.floats({outputs}, -0.5, 0.5));
}

} // namespace

void addConvolution(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(3, 5);
  const Windows windows = drawWindows(graph, imageOf(x), true, false);
  const int64_t groups = drawGroups(graph.random, x.shape[1]);
  const int64_t outputs = groups * static_cast<int64_t>(graph.random.ragged(groups > 1 ? 3 : 17));
  const Shape shape = withImage(x.shape[0], outputs, windows.outputs);
  const Shape weights = withImage(outputs, x.shape[1] / groups, windows.kernel);
  if (!RandomGraph::fits(shape) || !RandomGraph::fits(weights))
    return;
  const double bound = spread(RandomValue{"", weights}.elements() / outputs);
  Names inputs = {x.name, graph.floats(weights, -bound, bound)};
  addBias(graph, inputs, outputs);
  onnx::NodeProto &node = graph.node("Conv", inputs);
  if (graph.random.chance(80))
    setInts(node, "kernel_shape", windows.kernel);
  if (groups != 1 || graph.random.chance(30))
    setInt(node, "group", groups);
  describe(graph, node, windows);
  graph.give(node, shape, x.size + 0.2);
}

void addTransposedConvolution(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(3, 5);
  Random &random = graph.random;
  Windows windows(static_cast<size_t>(x.rank() - 2));
  const int64_t groups = drawGroups(random, x.shape[1]);
  const int64_t each = static_cast<int64_t>(random.ragged(4));
  const bool statesShape = random.chance(20);
  Sizes extra;
  for (size_t i = 0; i < windows.axes(); ++i) {
    windows.kernel[i] = random.pick({1, 2, 3, 3, 4});
    windows.strides[i] = random.pick({1, 2, 2, 3});
    windows.dilations[i] = random.pick({1, 1, 1, 2});
    extra.push_back(random.between(0, std::max(windows.strides[i], windows.dilations[i]) - 1));
    const int64_t whole = (x.shape[i + 2] - 1) * windows.strides[i] + extra[i] + windows.reach(i);
    const int64_t most = std::min(windows.reach(i) - 1, (whole - 1) / 2);
    windows.pads[i] = random.between(0, most);
    // If a transposed convolution states its output shape, unequal pads would be ambiguous, so both sides get
    // the same pad.
    windows.pads[windows.axes() + i] = statesShape ? windows.pads[i] : random.between(0, most);
    windows.outputs.push_back(whole - windows.pads[i] - windows.pads[windows.axes() + i]);
  }
  const Shape shape = withImage(x.shape[0], groups * each, windows.outputs);
  const Shape weights = withImage(x.shape[1], each, windows.kernel);
  if (!RandomGraph::fits(shape) || !RandomGraph::fits(weights))
    return;
  const double bound = spread(x.shape[1] / groups * 2);
  Names inputs = {x.name, graph.floats(weights, -bound, bound)};
  addBias(graph, inputs, groups * each);
  onnx::NodeProto &node = graph.node("ConvTranspose", inputs);
  setInts(node, "kernel_shape", windows.kernel);
  setInts(node, "strides", windows.strides);
  setInts(node, "dilations", windows.dilations);
  setInt(node, "group", groups);
  if (!isAll(extra, 0))
    setInts(node, "output_padding", extra);
  if (statesShape)
    setInts(node, "output_shape", windows.outputs);
  else
    setInts(node, "pads", windows.pads);
  graph.give(node, shape, x.size + 0.2);
}

void addPool(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(3, 5);
  const std::string op = graph.random.pick({"MaxPool", "MaxPool", "AveragePool", "AveragePool", "LpPool"});
  const int dilatedSince = op == "MaxPool" ? 10 : op == "AveragePool" ? 19 : 18;
  const int ceilSince = op == "LpPool" ? 18 : 10;
  const Windows windows =
      drawWindows(graph, imageOf(x), graph.opset >= dilatedSince, graph.opset >= ceilSince);
  onnx::NodeProto &node = graph.node(op, {x.name});
  setInts(node, "kernel_shape", windows.kernel);
  describe(graph, node, windows);
  if (op == "AveragePool" && graph.random.chance(40))
    setInt(node, "count_include_pad", 1);
  if (op == "LpPool")
    setInt(node, "p", graph.random.between(1, 3));
  graph.give(node, withImage(x.shape[0], x.shape[1], windows.outputs), op == "LpPool" ? 2 * x.size : x.size);
}

void addGlobalPool(RandomGraph &graph) {
  const RandomValue x = graph.pickOfRank(3, 5);
  const std::string op =
      graph.random.pick({"GlobalAveragePool", "GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"});
  onnx::NodeProto &node = graph.node(op, {x.name});
  double size = x.size;
  if (op == "GlobalLpPool") {
    setInt(node, "p", 2);
    size *= std::sqrt(static_cast<double>(x.elements() / x.shape[0] / x.shape[1]));
  }
  graph.give(node, withImage(x.shape[0], x.shape[1], Sizes(x.shape.size() - 2, 1)), size);
}

} // namespace tilerig::test
