#include "compiler/Graph/Import/Operators.h"
#include "compiler/Graph/Import/WindowAttributes.h"

#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

using namespace graph;
using Value = Result<mlir::Value>;

// SAME padding: there is one output for each full or partial stride of the input. An odd element of padding
// goes to the back (SAME_UPPER) or to the front (SAME_LOWER).
void padSame(WindowAttributes &windows, llvm::ArrayRef<int64_t> image, bool upper) {
  const size_t axes = windows.kernel.size();
  for (size_t i = 0; i < axes; ++i) {
    const int64_t outputs = (image[i + 2] + windows.strides[i] - 1) / windows.strides[i];
    const int64_t reach = (windows.kernel[i] - 1) * windows.dilations[i] + 1;
    const int64_t total = std::max<int64_t>(0, (outputs - 1) * windows.strides[i] + reach - image[i + 2]);
    windows.pads[i] = upper ? total / 2 : total - total / 2;
    windows.pads[axes + i] = total - windows.pads[i];
  }
}

Result<WindowAttributes> windowsOf(const NodeReader &node, Ints kernel) {
  const size_t axes = kernel.size();
  WindowAttributes windows{std::move(kernel), node.integers("strides").value_or(Ints(axes, 1)),
                           node.integers("dilations").value_or(Ints(axes, 1)),
                           node.integers("pads").value_or(Ints(2 * axes, 0))};
  if (node.rank(0) != static_cast<int64_t>(axes + 2) || windows.strides.size() != axes ||
      windows.dilations.size() != axes || windows.pads.size() != 2 * axes)
    return node.refuse(fmt::format(
        "the kernel has {} spatial axes; input, strides, dilations or pads have more or fewer", axes));
  for (size_t i = 0; i < axes; ++i)
    if (windows.strides[i] < 1 || windows.dilations[i] < 1 || windows.kernel[i] < 1)
      return node.refuse("kernel, strides and dilations must be positive");
  const std::string mode = node.text("auto_pad", "NOTSET");
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER")
    padSame(windows, node.shape(0), mode == "SAME_UPPER");
  else if (mode == "VALID")
    windows.pads.assign(2 * axes, 0);
  else if (mode != "NOTSET")
    return node.refuse(fmt::format("attribute 'auto_pad' has the unknown value '{}'", mode));
  return windows;
}

// Whether a tap of a window reads an element of the image along an axis where the image has `size` elements. The machine
// has no instruction for a convolution that reads padding only. True if the convolution has no result, and for numbers
// that are refused later.
bool reachesImage(const WindowAttributes &windows, size_t axis, int64_t size) {
  constexpr int64_t most = int64_t{1} << 31;
  const int64_t before = windows.pads[axis], after = windows.pads[windows.kernel.size() + axis],
                taps = windows.kernel[axis], dilation = windows.dilations[axis],
                stride = windows.strides[axis];
  if (std::max({size, before, after, taps, dilation, stride}) > most || std::min({size, before, after}) < 0)
    return true;
  const int64_t last = size + before + after - (taps - 1) * dilation - 1; // where the last window may begin
  for (int64_t tap = 0; tap < taps; ++tap) {
    // The first window whose tap is not in the padding in front.
    const int64_t window = std::max<int64_t>(0, (before - tap * dilation + stride - 1) / stride) * stride;
    if (window <= last && window + tap * dilation < before + size)
      return true;
  }
  return last < 0;
}

Ints kernelOfWeights(const NodeReader &node, size_t operand) {
  const auto weights = node.shape(operand);
  return weights.size() < 2 ? Ints() : Ints(weights.drop_front(2));
}

// Checks that an attribute kernel_shape, if present, agrees with the size of the kernel in the weights.
Status checkKernel(const NodeReader &node, llvm::ArrayRef<int64_t> kernel) {
  const auto stated = node.integers("kernel_shape");
  if (stated && llvm::ArrayRef(*stated) != kernel)
    return node.refuse(fmt::format("attribute 'kernel_shape' is {}, but the kernel of the weights is {}",
                                   text(*stated), text(kernel)));
  return success();
}

Value conv(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2, 3));
  TILERIG_TRY(const WindowAttributes windows, convolutionWindows(node, 1));
  return node.make<ConvOp>(node.input(0), node.input(1), node.input(2),
                           static_cast<uint64_t>(node.integer("group", 1)), windows.strides,
                           windows.dilations, windows.pads);
}

// Imports ConvTranspose. If output_shape is given, the padding follows from it.
Value convTranspose(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2, 3));
  const Ints kernel = kernelOfWeights(node, 1);
  TILERIG_CHECK_OK(checkKernel(node, kernel));
  const size_t axes = kernel.size();
  Ints strides = node.integers("strides").value_or(Ints(axes, 1)),
       dilations = node.integers("dilations").value_or(Ints(axes, 1)),
       pads = node.integers("pads").value_or(Ints(2 * axes, 0)),
       outputPadding = node.integers("output_padding").value_or(Ints(axes, 0));
  if (node.rank(0) != static_cast<int64_t>(axes + 2) || strides.size() != axes || dilations.size() != axes ||
      pads.size() != 2 * axes || outputPadding.size() != axes)
    return node.refuse(fmt::format(
        "the kernel has {} spatial axes; input, strides, dilations or pads have more or fewer", axes));
  const std::string mode = node.text("auto_pad", "NOTSET");
  const auto wanted = node.integers("output_shape");
  if (wanted && wanted->size() < axes)
    return node.refuse(
        fmt::format("attribute 'output_shape' has {} sizes for {} spatial axes", wanted->size(), axes));
  if (mode == "VALID")
    pads.assign(2 * axes, 0);
  for (size_t i = 0; (wanted || mode.starts_with("SAME")) && i < axes; ++i) {
    const int64_t size = wanted ? (*wanted)[wanted->size() - axes + i] : node.shape(0)[i + 2] * strides[i];
    const int64_t total = strides[i] * (node.shape(0)[i + 2] - 1) + outputPadding[i] +
                          (kernel[i] - 1) * dilations[i] + 1 - size;
    // If output_shape exceeds what the windows reach, output padding fills the rest.
    if (total < 0)
      outputPadding[i] -= total;
    pads[i] = total < 0 ? 0 : mode == "SAME_UPPER" ? total / 2 : total - total / 2;
    pads[axes + i] = total < 0 ? 0 : total - pads[i];
  }
  return node.make<ConvTransposeOp>(node.input(0), node.input(1), node.input(2),
                                    static_cast<uint64_t>(node.integer("group", 1)), strides, dilations, pads,
                                    outputPadding);
}

Value maxPool(const NodeReader &node) {
  TILERIG_TRY(const WindowAttributes windows, poolingWindows(node));
  if (node.numOutputs() > 1 && !node.proto().output(1).empty())
    return node.unsupportedHere("the second output, the indices of the maxima, is not supported");
  return node.make<MaxPoolOp>(node.input(0), windows.kernel, windows.strides, windows.dilations, windows.pads,
                              node.integer("ceil_mode", 0) != 0);
}
Value averagePool(const NodeReader &node) {
  TILERIG_TRY(const WindowAttributes windows, poolingWindows(node));
  return node.make<AveragePoolOp>(node.input(0), windows.kernel, windows.strides, windows.dilations,
                                  windows.pads, node.integer("ceil_mode", 0) != 0,
                                  node.integer("count_include_pad", 0) != 0);
}
Value lpPool(const NodeReader &node) {
  TILERIG_TRY(const WindowAttributes windows, poolingWindows(node));
  return node.make<LpPoolOp>(node.input(0), windows.kernel, windows.strides, windows.dilations, windows.pads,
                             node.integer("ceil_mode", 0) != 0, static_cast<uint64_t>(node.integer("p", 2)));
}

} // namespace

Result<WindowAttributes> convolutionWindows(const NodeReader &node, size_t weightsOperand) {
  TILERIG_TRY(WindowAttributes windows, anyConvolutionWindows(node, weightsOperand));
  if (const auto axis = axisInPadding(windows, node.shape(0)))
    return node.unsupportedHere(
        fmt::format("every window of the convolution reads only padding along spatial axis {}", *axis));
  return windows;
}

Result<WindowAttributes> anyConvolutionWindows(const NodeReader &node, size_t weightsOperand) {
  Ints kernel = kernelOfWeights(node, weightsOperand);
  TILERIG_CHECK_OK(checkKernel(node, kernel));
  return windowsOf(node, std::move(kernel));
}

std::optional<size_t> axisInPadding(const WindowAttributes &windows, llvm::ArrayRef<int64_t> image) {
  for (size_t axis = 0; axis < windows.kernel.size(); ++axis)
    if (!reachesImage(windows, axis, image[axis + 2]))
      return axis;
  return std::nullopt;
}

Result<WindowAttributes> poolingWindows(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  const auto kernel = node.integers("kernel_shape");
  if (!kernel)
    return node.refuse("attribute 'kernel_shape' is missing");
  return windowsOf(node, *kernel);
}

void addWindows(ImporterTable &table) {
  table.emplace("Conv", one(conv));
  table.emplace("ConvTranspose", one(convTranspose));
  table.emplace("MaxPool", one(maxPool));
  table.emplace("AveragePool", one(averagePool));
  table.emplace("LpPool", one(lpPool));
  table.emplace("GlobalAveragePool", one([](const NodeReader &node) -> Value {
                  TILERIG_CHECK_OK(node.needs(1));
                  return node.make<GlobalAveragePoolOp>(node.input(0));
                }));
  table.emplace("GlobalMaxPool", one([](const NodeReader &node) -> Value {
                  TILERIG_CHECK_OK(node.needs(1));
                  return node.make<GlobalMaxPoolOp>(node.input(0));
                }));
  table.emplace("GlobalLpPool", one([](const NodeReader &node) -> Value {
                  TILERIG_CHECK_OK(node.needs(1));
                  return node.make<GlobalLpPoolOp>(node.input(0),
                                                   static_cast<uint64_t>(node.integer("p", 2)));
                }));
}

} // namespace tilerig::compiler
