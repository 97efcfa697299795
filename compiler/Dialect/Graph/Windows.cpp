// Shape inference for the operations of Windows.td.
#include "compiler/Dialect/Graph/Shapes.h"

namespace tilerig::compiler::graph {

namespace {

Dims withWindows(llvm::ArrayRef<int64_t> image, int64_t channels, const Windows &windows) {
  Dims shape = {image[0], channels};
  for (size_t i = 0; i < windows.axes(); ++i)
    shape.push_back(windows.outputs(i, image[i + 2]));
  return shape;
}

// Appends to `types` the result type of operation `it`. `shape` has the channels second; in the type they are
// the second or the last axis, as in the input of `it`.
template <class Op>
llvm::LogicalResult give(Op it, llvm::ArrayRef<int64_t> shape, Types &types) {
  types.push_back(mlir::RankedTensorType::get(placedShape(shape, it.getChannelsLast()),
                                              tensorType(it.getInput()).getElementType()));
  return llvm::success();
}

llvm::LogicalResult checkBias(mlir::Value bias, int64_t outputs, Complaint complain) {
  if (bias && shapeOf(bias) != llvm::ArrayRef<int64_t>{outputs})
    return complain("the bias has shape ", text(shapeOf(bias)), ", expected one element for each of ",
                    outputs, " outputs");
  return llvm::success();
}

template <class Pool>
llvm::LogicalResult inferPool(std::optional<mlir::Location> location, Pool it, Types &types) {
  const Windows windows{it.getKernel(), it.getStrides(), it.getDilations(), it.getPads(), it.getCeilMode()};
  const Dims image = imageShape(it.getInput(), it.getChannelsLast());
  if (llvm::failed(windows.check(image, {location})))
    return llvm::failure();
  return give(it, withWindows(image, image[1], windows), types);
}

template <class Pool>
llvm::LogicalResult inferGlobalPool(std::optional<mlir::Location> location, Pool it, Types &types) {
  Dims shape = imageShape(it.getInput(), it.getChannelsLast());
  if (shape.size() < 3)
    return Complaint{location}("the image must have batch, channels and spatial axes, not shape ",
                               text(shape));
  std::fill(shape.begin() + 2, shape.end(), 1);
  return give(it, shape, types);
}

} // namespace

std::optional<Dims> convolved(llvm::ArrayRef<int64_t> image, llvm::ArrayRef<int64_t> weights,
                              mlir::Value bias, int64_t groups, llvm::ArrayRef<int64_t> strides,
                              llvm::ArrayRef<int64_t> dilations, llvm::ArrayRef<int64_t> pads,
                              Complaint complain) {
  if (weights.size() < 3) {
    (void)complain("the weights must have outputs, channels and a kernel, not shape ", text(weights));
    return {};
  }
  const Windows windows{weights.drop_front(2), strides, dilations, pads};
  if (llvm::failed(windows.check(image, complain)))
    return {};
  if (groups < 1 || weights[0] % groups != 0 || image[1] / groups != weights[1] || image[1] % groups != 0) {
    (void)complain("weights of shape ", text(weights), " in ", groups,
                   " groups do not fit an image of shape ", text(image));
    return {};
  }
  if (llvm::failed(checkBias(bias, weights[0], complain)))
    return {};
  return withWindows(image, weights[0], windows);
}

llvm::LogicalResult ConvOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                             Adaptor it, Types &types) {
  const auto shape = convolved(imageShape(it.getInput(), it.getChannelsLast()), shapeOf(it.getWeights()),
                               it.getBias(), static_cast<int64_t>(it.getGroups()), it.getStrides(),
                               it.getDilations(), it.getPads(), {location});
  return shape ? give(it, *shape, types) : llvm::failure();
}

llvm::LogicalResult ConvTransposeOp::inferReturnTypes(mlir::MLIRContext *,
                                                      std::optional<mlir::Location> location, Adaptor it,
                                                      Types &types) {
  const Complaint complain{location};
  const Dims image = imageShape(it.getInput(), it.getChannelsLast());
  const auto weights = shapeOf(it.getWeights());
  const auto groups = static_cast<int64_t>(it.getGroups());
  const size_t axes = weights.size() < 3 ? 0 : weights.size() - 2;
  if (axes == 0 || image.size() != axes + 2 || it.getStrides().size() != axes ||
      it.getDilations().size() != axes || it.getPads().size() != 2 * axes ||
      it.getOutputPadding().size() != axes)
    return complain("weights of shape ", text(weights), ", an image of shape ", text(image),
                    " and strides, dilations or pads do not have the same number of spatial axes");
  if (groups < 1 || image[1] != weights[0] || weights[0] % groups != 0)
    return complain("weights of shape ", text(weights), " in ", groups,
                    " groups do not fit an image of shape ", text(image));
  if (llvm::failed(checkBias(it.getBias(), weights[1] * groups, complain)))
    return llvm::failure();
  Dims shape = {image[0], weights[1] * groups};
  for (size_t i = 0; i < axes; ++i) {
    shape.push_back((image[i + 2] - 1) * it.getStrides()[i] + it.getOutputPadding()[i] +
                    (weights[i + 2] - 1) * it.getDilations()[i] + 1 - it.getPads()[i] -
                    it.getPads()[axes + i]);
    if (it.getStrides()[i] < 1 || it.getDilations()[i] < 1 || shape.back() < 1)
      return complain("spatial axis ", i, " of the result would have ", shape.back(), " elements");
  }
  return give(it, shape, types);
}

#define POOL(Op)                                                                                             \
  llvm::LogicalResult Op::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,      \
                                           Adaptor it, Types &types) {                                       \
    return inferPool(location, it, types);                                                                   \
  }
POOL(AveragePoolOp)
POOL(LpPoolOp)
POOL(MaxPoolOp)
#undef POOL

#define GLOBAL_POOL(Op)                                                                                      \
  llvm::LogicalResult Op::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,      \
                                           Adaptor it, Types &types) {                                       \
    return inferGlobalPool(location, it, types);                                                             \
  }
GLOBAL_POOL(GlobalAveragePoolOp)
GLOBAL_POOL(GlobalLpPoolOp)
GLOBAL_POOL(GlobalMaxPoolOp)
#undef GLOBAL_POOL

} // namespace tilerig::compiler::graph
