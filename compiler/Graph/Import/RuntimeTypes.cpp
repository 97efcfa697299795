#include "compiler/Graph/Import/RuntimeTypes.h"

#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

// A result of the element type of an operand.
HostTypes like(const NodeReader &node, size_t operand, llvm::ArrayRef<int64_t> shape) {
  return {mlir::RankedTensorType::get(shape, node.elementType(operand))};
}

// Refuses an operand of images without spatial axes.
Status hasImages(const NodeReader &node) {
  if (node.rank(0) < 3)
    return node.refuse(
        fmt::format("the input has shape {}, expected batch, channels and at least one spatial axis",
                    graph::text(node.shape(0))));
  return success();
}

} // namespace

Result<HostTypes> quantisedBinaryTypes(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2, 8));
  if (!node.has(3))
    return node.refuse("input 3 is missing");
  const auto shape = graph::broadcast(node.shape(0), node.shape(3));
  if (!shape)
    return node.refuse(fmt::format("the shapes {} and {} cannot be broadcast to each other",
                                   graph::text(node.shape(0)), graph::text(node.shape(3))));
  return like(node, 0, *shape);
}

Result<HostTypes> quantisedUnaryTypes(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2, 5));
  return like(node, 0, node.shape(0));
}

Result<HostTypes> quantisedConcatTypes(const NodeReader &node) {
  const size_t count = node.inputs().size();
  if (count < 5 || count % 3 != 2 || !node.has(2))
    return node.refuse(
        fmt::format("the node has {} inputs, expected two for the result and three for each operand", count));
  TILERIG_TRY(const int64_t signedAxis, node.neededInteger("axis"));
  TILERIG_TRY(const int64_t axis, node.axis(signedAxis, node.rank(2)));
  Ints shape(node.shape(2));
  for (size_t i = 5; i < count; i += 3) {
    if (!node.has(i) || node.rank(i) != node.rank(2))
      return node.refuse(fmt::format("input {} is missing, or has another number of axes than the first", i));
    shape[static_cast<size_t>(axis)] += node.shape(i)[static_cast<size_t>(axis)];
  }
  return like(node, 2, shape);
}

Result<HostTypes> quantisedPoolTypes(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2, 5));
  TILERIG_CHECK_OK(hasImages(node));
  const Ints kernel = node.integers("kernel_shape").value_or(Ints());
  const size_t axes = node.shape(0).size() - 2, first = node.integer("channels_last", 0) != 0 ? 1 : 2;
  const Ints strides = node.integers("strides").value_or(Ints(axes, 1)),
             dilations = node.integers("dilations").value_or(Ints(axes, 1)),
             pads = node.integers("pads").value_or(Ints(2 * axes, 0));
  if (kernel.size() != axes || strides.size() != axes || dilations.size() != axes || pads.size() != 2 * axes)
    return node.refuse(
        fmt::format("attributes of the window do not have one element for each of {} spatial axes", axes));
  const std::string mode = node.text("auto_pad", "NOTSET");
  const Ints none(2 * axes, 0);
  const graph::Windows windows{kernel, strides, dilations, mode == "NOTSET" ? pads : none,
                               node.integer("ceil_mode", 0) != 0};
  Ints shape(node.shape(0));
  for (size_t i = 0; i < axes; ++i) {
    if (strides[i] < 1 || dilations[i] < 1 || kernel[i] < 1)
      return node.refuse("kernel, strides and dilations must be positive");
    int64_t &size = shape[first + i];
    size = mode.starts_with("SAME") ? (size + strides[i] - 1) / strides[i] : windows.outputs(i, size);
  }
  return like(node, 0, shape);
}

Result<HostTypes> quantisedGlobalPoolTypes(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(5));
  TILERIG_CHECK_OK(hasImages(node));
  Ints shape(node.shape(0).size(), 1);
  const size_t channels = node.integer("channels_last", 0) != 0 ? shape.size() - 1 : 1;
  shape[0] = node.shape(0)[0];
  shape[channels] = node.shape(0)[channels];
  return like(node, 0, shape);
}

Result<HostTypes> quantisedGemmTypes(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(6, 9));
  if (node.rank(0) != 2 || node.rank(3) != 2)
    return node.refuse(fmt::format("operands {} and {} must be matrices", graph::text(node.shape(0)),
                                   graph::text(node.shape(3))));
  const bool transA = node.integer("transA", 0) != 0, transB = node.integer("transB", 0) != 0;
  return like(node, node.has(7) ? 0 : 1, {node.shape(0)[transA ? 1 : 0], node.shape(3)[transB ? 0 : 1]});
}

Result<HostTypes> blockProductTypes(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(3, 6));
  TILERIG_TRY(const int64_t columns, node.neededInteger("N"));
  if (node.rank(0) < 1)
    return node.refuse("the left operand must not be a scalar");
  Ints shape(node.shape(0));
  shape.back() = columns;
  return like(node, 0, shape);
}

} // namespace tilerig::compiler
