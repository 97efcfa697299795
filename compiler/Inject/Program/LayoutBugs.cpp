// Layout bugs: axes of weights or results in a wrong order.
#include "compiler/Inject/Program/LayerOps.h"

namespace tilerig::compiler {

namespace {

Result<size_t> convOf(const LayerOps &layer) {
  const auto step = layer.find([&](const DeviceOp &deviceOp) {
    return deviceOp.kind == DeviceOpKind::conv && layer.tensor(deviceOp.operands[1].tensor).constant();
  });
  if (!step)
    return hasNot("the layer is not a convolution with constant weights");
  return *step;
}
// The weights of a convolution, with axes [outputs, rows, columns, channels].
const DeviceTensor &kernelOf(const LayerOps &layer, size_t step) {
  return layer.tensor(layer.at(step).operands[1].tensor);
}

Status permuteKernel(const LayerOps &layer, size_t step, const std::vector<size_t> &perm) {
  const DeviceTensor &kernel = kernelOf(layer, step);
  layer.replaceConstant(step, 1, permutedBytes(*kernel.bytes, kernel.shape, sizeBytes(kernel.type), perm));
  return success();
}

Status keepFileOrder(const LayerOps &layer, BugDraw &) {
  TILERIG_TRY(const size_t step, convOf(layer));
  const std::vector<int64_t> &shape = kernelOf(layer, step).shape;
  if (shape[1] * shape[2] < 2 || shape[3] < 2)
    return hasNot("the order of axes does not matter for weights with a 1x1 kernel or with one channel");
  return permuteKernel(layer, step, {0, 3, 1, 2});
}

Status mirrorKernel(const LayerOps &layer, BugDraw &draw) {
  TILERIG_TRY(const size_t step, convOf(layer));
  const DeviceTensor &kernel = kernelOf(layer, step);
  const auto isLong = [&](std::string_view axes) {
    return (axes != "columns" && kernel.shape[1] > 1) || (axes != "rows" && kernel.shape[2] > 1);
  };
  TILERIG_TRY(const std::string_view axes, draw.word("axes", isLong));
  const auto rows = static_cast<size_t>(kernel.shape[1]), columns = static_cast<size_t>(kernel.shape[2]);
  const size_t tapBytes = static_cast<size_t>(kernel.shape[3]) * sizeBytes(kernel.type);
  const auto from = [&](size_t tap) {
    const size_t column = tap % columns, row = tap / columns % rows, output = tap / columns / rows;
    return (output * rows + (axes == "columns" ? row : rows - 1 - row)) * columns +
           (axes == "rows" ? column : columns - 1 - column);
  };
  layer.replaceConstant(step, 1, rowsFrom(*kernel.bytes, tapBytes, from));
  return success();
}

Status transposeMatrix(const LayerOps &layer, size_t step) {
  const DeviceTensor &weights = kernelOf(layer, step);
  if (!weights.constant() || weights.shape.size() != 2 || weights.shape[0] < 2 || weights.shape[1] < 2)
    return hasNot("the weights are not a constant matrix with several rows and columns");
  layer.replaceConstant(step, 1,
                        permutedBytes(*weights.bytes, weights.shape, sizeBytes(weights.type), {1, 0}));
  return success();
}

Status transposeWeights(const LayerOps &layer, BugDraw &) {
  TILERIG_TRY(const size_t step, layer.product());
  if (layer.at(step).kind == DeviceOpKind::matmul)
    return transposeMatrix(layer, step);
  TILERIG_TRY(const size_t conv, convOf(layer));
  const std::vector<int64_t> &shape = kernelOf(layer, conv).shape;
  if (shape[1] < 2 || shape[2] < 2)
    return hasNot("the kernel has only one row or column");
  return permuteKernel(layer, conv, {0, 2, 1, 3});
}

DeviceOp copyOp(const LayerOps &layer, DeviceOpKind kind, TensorIndex result) {
  DeviceOp deviceOp; // the default instruction of a DeviceOp is Copy
  deviceOp.kind = kind;
  deviceOp.result = result;
  deviceOp.layer = layer.layer;
  const size_t rank = layer.tensor(result).shape.size();
  deviceOp.divisible.assign(rank, true);
  deviceOp.groupSize.assign(rank, 1);
  return deviceOp;
}

TensorIndex addLike(const LayerOps &layer, TensorIndex tensor, std::vector<int64_t> shape) {
  DeviceTensor like = layer.tensor(tensor);
  like.name.clear();
  like.modelAxes.clear();
  like.shape = std::move(shape);
  return layer.addTensor(std::move(like));
}

// Permutes the axes of the layer's result and then interprets the bytes in the original shape.
Status reorderResult(const LayerOps &layer, const std::vector<size_t> &perm) {
  TILERIG_TRY(const size_t step, layer.last());
  const TensorIndex result = layer.at(step).result;
  const std::vector<int64_t> shape = layer.tensor(result).shape;
  std::vector<int64_t> moved;
  for (const size_t axis : perm)
    moved.push_back(shape[axis]);
  const TensorIndex intermediate = addLike(layer, result, shape);
  const bool isSame = moved == shape;
  DeviceOp permute = copyOp(layer, DeviceOpKind::pointwise, isSame ? result : addLike(layer, result, moved));
  permute.operands = {{.tensor = intermediate, .axes = std::vector<AxisMap>(perm.size())}};
  for (size_t i = 0; i < perm.size(); ++i)
    permute.operands[0].axes[perm[i]] = AxisMap::along(static_cast<int>(i));
  const TensorIndex permuted = permute.result;
  layer.at(step).result = intermediate;
  layer.insert(step + 1, std::move(permute));
  if (isSame)
    return success();
  DeviceOp reshape = copyOp(layer, DeviceOpKind::reshape, result);
  ReshapeAxes axes = axesOfReshape(moved, shape);
  reshape.divisible = std::move(axes.divisible);
  reshape.operands = {{.tensor = permuted, .axes = std::move(axes.maps)}};
  layer.insert(step + 2, std::move(reshape));
  return success();
}

Result<std::vector<int64_t>> imageOf(const LayerOps &layer) {
  TILERIG_TRY(const size_t step, layer.last());
  const std::vector<int64_t> &shape = layer.tensor(layer.at(step).result).shape;
  if (shape.size() != 4)
    return hasNot("the result of the layer is not an image");
  return shape;
}

Status transposeResult(const LayerOps &layer, BugDraw &) {
  TILERIG_TRY(const std::vector<int64_t> shape, imageOf(layer));
  if (shape[1] < 2 || shape[2] < 2)
    return hasNot("the result of the layer has only one row or column");
  return reorderResult(layer, {0, 2, 1, 3});
}

Status putChannelsFirst(const LayerOps &layer, BugDraw &) {
  TILERIG_TRY(const std::vector<int64_t> shape, imageOf(layer));
  if (shape[1] * shape[2] < 2 || shape[3] < 2)
    return hasNot("the result of the layer has only one pixel or channel");
  return reorderResult(layer, {0, 3, 1, 2});
}

constexpr OpBug bugsOfLayout[] = {
    {"weights-order", keepFileOrder},
    {"weights-flipped", mirrorKernel},
    {"weights-transposed", transposeWeights},
    {"output-transposed", transposeResult},
    {"output-channels-first", putChannelsFirst},
};

} // namespace

std::span<const OpBug> layoutBugs() { return bugsOfLayout; }

} // namespace tilerig::compiler
