// Shape inference for the operations of Windows.td.
#include "compiler/Graph/IR/Shapes.h"

namespace tilerig::compiler::graph {

namespace {

Dims withWindows(llvm::ArrayRef<int64_t> image, int64_t channels, const Windows &windows) {
  Dims shape = {image[0], channels};
  for (size_t i = 0; i < windows.axes(); ++i)
    shape.push_back(windows.outputs(i, image[i + 2]));
  return shape;
}

// Appends to `types` the result type of `operation`. `shape` has the channels second; in the type they are
// the second or the last axis, as in the input of `operation`.
template <class Op>
llvm::LogicalResult give(Op operation, llvm::ArrayRef<int64_t> shape, Types &types) {
  types.push_back(mlir::RankedTensorType::get(placedShape(shape, operation.getChannelsLast()),
                                              tensorType(operation.getInput()).getElementType()));
  return llvm::success();
}

llvm::LogicalResult checkBias(mlir::Value bias, int64_t outputs, Complaint complain) {
  if (bias && shapeOf(bias) != llvm::ArrayRef<int64_t>{outputs})
    return complain("the bias has shape ", text(shapeOf(bias)), ", expected one element for each of ",
                    outputs, " outputs");
  return llvm::success();
}

template <class Pool>
llvm::LogicalResult inferPool(std::optional<mlir::Location> location, Pool pool, Types &types) {
  const Windows windows{pool.getKernel(), pool.getStrides(), pool.getDilations(), pool.getPads(),
                        pool.getCeilMode()};
  const Dims image = imageShape(pool.getInput(), pool.getChannelsLast());
  if (llvm::failed(windows.check(image, {location})))
    return llvm::failure();
  return give(pool, withWindows(image, image[1], windows), types);
}

template <class Pool>
llvm::LogicalResult inferGlobalPool(std::optional<mlir::Location> location, Pool pool, Types &types) {
  Dims shape = imageShape(pool.getInput(), pool.getChannelsLast());
  if (shape.size() < 3)
    return Complaint{location}("the image must have batch, channels and spatial axes, not shape ",
                               text(shape));
  std::fill(shape.begin() + 2, shape.end(), 1);
  return give(pool, shape, types);
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
                                             Adaptor adaptor, Types &types) {
  const auto shape =
      convolved(imageShape(adaptor.getInput(), adaptor.getChannelsLast()), shapeOf(adaptor.getWeights()),
                adaptor.getBias(), static_cast<int64_t>(adaptor.getGroups()), adaptor.getStrides(),
                adaptor.getDilations(), adaptor.getPads(), {location});
  return shape ? give(adaptor, *shape, types) : llvm::failure();
}

llvm::LogicalResult ConvTransposeOp::inferReturnTypes(mlir::MLIRContext *,
                                                      std::optional<mlir::Location> location, Adaptor adaptor,
                                                      Types &types) {
  const Complaint complain{location};
  const Dims image = imageShape(adaptor.getInput(), adaptor.getChannelsLast());
  const auto weights = shapeOf(adaptor.getWeights());
  const auto groups = static_cast<int64_t>(adaptor.getGroups());
  const size_t axes = weights.size() < 3 ? 0 : weights.size() - 2;
  if (axes == 0 || image.size() != axes + 2 || adaptor.getStrides().size() != axes ||
      adaptor.getDilations().size() != axes || adaptor.getPads().size() != 2 * axes ||
      adaptor.getOutputPadding().size() != axes)
    return complain("weights of shape ", text(weights), ", an image of shape ", text(image),
                    " and strides, dilations or pads do not have the same number of spatial axes");
  if (groups < 1 || image[1] != weights[0] || weights[0] % groups != 0)
    return complain("weights of shape ", text(weights), " in ", groups,
                    " groups do not fit an image of shape ", text(image));
  if (llvm::failed(checkBias(adaptor.getBias(), weights[1] * groups, complain)))
    return llvm::failure();
  Dims shape = {image[0], weights[1] * groups};
  for (size_t i = 0; i < axes; ++i) {
    shape.push_back((image[i + 2] - 1) * adaptor.getStrides()[i] + adaptor.getOutputPadding()[i] +
                    (weights[i + 2] - 1) * adaptor.getDilations()[i] + 1 - adaptor.getPads()[i] -
                    adaptor.getPads()[axes + i]);
    if (adaptor.getStrides()[i] < 1 || adaptor.getDilations()[i] < 1 || shape.back() < 1)
      return complain("spatial axis ", i, " of the result would have ", shape.back(), " elements");
  }
  return give(adaptor, shape, types);
}

#define POOL(Op)                                                                                             \
  llvm::LogicalResult Op::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,      \
                                           Adaptor adaptor, Types &types) {                                  \
    return inferPool(location, adaptor, types);                                                              \
  }
POOL(AveragePoolOp)
POOL(LpPoolOp)
POOL(MaxPoolOp)
#undef POOL

#define GLOBAL_POOL(Op)                                                                                      \
  llvm::LogicalResult Op::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,      \
                                           Adaptor adaptor, Types &types) {                                  \
    return inferGlobalPool(location, adaptor, types);                                                        \
  }
GLOBAL_POOL(GlobalAveragePoolOp)
GLOBAL_POOL(GlobalLpPoolOp)
GLOBAL_POOL(GlobalMaxPoolOp)
#undef GLOBAL_POOL

} // namespace tilerig::compiler::graph
