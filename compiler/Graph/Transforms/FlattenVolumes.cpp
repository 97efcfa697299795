#include "compiler/Graph/Transforms/Volumes.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"

namespace tilerig::compiler {

#define GEN_PASS_DEF_FLATTENVOLUMES
#include "compiler/Passes/Passes.h.inc"

namespace {

using graph::Dims;

mlir::Value concat(VolumeBuilder &to, mlir::ValueRange images, uint64_t axis) {
  return images.size() == 1 ? images.front()
                            : mlir::Value(graph::ConcatOp::create(to.rewriter, to.location, images, axis));
}

// Concatenates the images that the kernel reads at its different depths, along the channels of each group. While groups
// are concatenated, rows and columns are one axis.
mlir::Value joined(VolumeBuilder &to, llvm::SmallVector<mlir::Value> images, int64_t groups) {
  if (groups == 1)
    return to.joinBatch(concat(to, images, 4));
  const Dims shape(graph::shapeOf(images.front()));
  for (mlir::Value &each : images)
    each = to.reshape(each, {shape[0], shape[1], shape[2] * shape[3], groups, shape[4] / groups});
  return to.reshape(concat(to, images, 4), {shape[0] * shape[1], shape[2], shape[3],
                                            shape[4] * static_cast<int64_t>(images.size())});
}

// Turns a convolution of volumes into a convolution of images. The images that a kernel reads at its
// different depths are concatenated along the channels.
struct Convolution : mlir::OpRewritePattern<graph::ConvOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::ConvOp conv, mlir::PatternRewriter &rewriter) const override {
    if (!isVolume(conv.getInput()) || conv.getChannelsLast())
      return mlir::failure();
    VolumeBuilder to(rewriter, conv);
    const int64_t depth = graph::shapeOf(conv.getOutput())[2], taps = graph::shapeOf(conv.getWeights())[2];
    const auto groups = static_cast<int64_t>(conv.getGroups());
    const mlir::Value padded =
        to.padDepth(to.channelsLast(conv.getInput()), conv.getPads()[0], conv.getPads()[3]);
    llvm::SmallVector<mlir::Value> images;
    for (int64_t tap = 0; tap < taps; ++tap)
      images.push_back(to.images(padded, tap * conv.getDilations()[0], conv.getStrides()[0], depth));
    const mlir::Value input = joined(to, std::move(images), groups);
    const mlir::Value result = graph::ConvOp::create(
        rewriter, to.location, input, weights(to, conv.getWeights()), conv.getBias(), conv.getGroups(),
        ofImages(conv.getStrides()), ofImages(conv.getDilations()), padsOfImages(conv.getPads()), true);
    to.finish(to.splitBatch(result, depth));
    return mlir::success();
  }

  static mlir::Value weights(VolumeBuilder &to, mlir::Value weights) {
    const auto shape = graph::shapeOf(weights);
    const mlir::Value byDepth =
        graph::TransposeOp::create(to.rewriter, to.location, weights, Dims{0, 2, 1, 3, 4});
    return to.reshape(byDepth, {shape[0], shape[1] * shape[2], shape[3], shape[4]});
  }
};

// Turns a transposed convolution of volumes into one of images. Zeros are inserted between the images of the volume as the
// stride in depth says, and before and behind it; the images that contribute to one of the result are concatenated along
// the channels. The last tap of the kernel belongs to the first of them.
struct TransposedConvolution : mlir::OpRewritePattern<graph::ConvTransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::ConvTransposeOp conv,
                                      mlir::PatternRewriter &rewriter) const override {
    if (!isVolume(conv.getInput()) || conv.getChannelsLast())
      return mlir::failure();
    VolumeBuilder to(rewriter, conv);
    const int64_t depth = graph::shapeOf(conv.getOutput())[2], taps = graph::shapeOf(conv.getWeights())[2],
                  dilation = conv.getDilations()[0], reach = (taps - 1) * dilation;
    const auto groups = static_cast<int64_t>(conv.getGroups());
    const mlir::Value volume = spread(to, to.channelsLast(conv.getInput()), conv.getStrides()[0],
                                      reach - conv.getPads()[0], depth + reach);
    llvm::SmallVector<mlir::Value> images;
    for (int64_t tap = 0; tap < taps; ++tap)
      images.push_back(to.images(volume, (taps - 1 - tap) * dilation, 1, depth));
    const mlir::Value input = joined(to, std::move(images), groups);
    const mlir::Value result = graph::ConvTransposeOp::create(
        rewriter, to.location, input, weights(to, conv.getWeights(), groups), conv.getBias(),
        conv.getGroups(), ofImages(conv.getStrides()), ofImages(conv.getDilations()),
        padsOfImages(conv.getPads()), ofImages(conv.getOutputPadding()), true);
    to.finish(to.splitBatch(result, depth));
    return mlir::success();
  }

  // A volume of `depth` images, of which image `first` + i * stride is image i of the given volume; the others are zeros.
  static mlir::Value spread(VolumeBuilder &to, mlir::Value volume, int64_t stride, int64_t first,
                            int64_t depth) {
    const Dims shape(graph::shapeOf(volume));
    if (stride > 1) {
      const mlir::Value apart = to.reshape(volume, {shape[0], shape[1], 1, shape[2] * shape[3], shape[4]});
      const Dims pads = {0, 0, 0, 0, 0, 0, 0, stride - 1, 0, 0};
      const mlir::Value between = graph::PadOp::create(to.rewriter, to.location, apart, mlir::Value(), pads,
                                                       graph::PadMode::constant);
      volume = to.reshape(between, {shape[0], shape[1] * stride, shape[2], shape[3], shape[4]});
    }
    const int64_t size = graph::shapeOf(volume)[1];
    const mlir::Value padded =
        to.padDepth(volume, std::max<int64_t>(first, 0), std::max<int64_t>(depth - first - size, 0));
    return to.images(padded, std::max<int64_t>(-first, 0), 1, depth);
  }

  // From channels, outputs of a group, depth, rows and columns to the channels of all depths, group by group.
  static mlir::Value weights(VolumeBuilder &to, mlir::Value weights, int64_t groups) {
    const auto shape = graph::shapeOf(weights);
    const mlir::Value parts =
        to.reshape(weights, {groups, shape[0] / groups, shape[1], shape[2], shape[3] * shape[4]});
    const mlir::Value ordered =
        graph::TransposeOp::create(to.rewriter, to.location, parts, Dims{0, 3, 1, 2, 4});
    return to.reshape(ordered, {shape[0] * shape[2], shape[1], shape[3], shape[4]});
  }
};

// The images of a volume whose first two axes, batch and depth, a reshape has split; null for other values.
mlir::Value imagesOf(mlir::Value volume) {
  auto reshape = volume.getDefiningOp<graph::ReshapeOp>();
  if (!reshape || !isVolume(volume))
    return {};
  const auto from = graph::shapeOf(reshape.getInput()), to = graph::shapeOf(volume);
  return from.size() == 4 && from.drop_front() == to.drop_front(2) ? reshape.getInput() : mlir::Value();
}

// Whether a convolution or pool computes the images, perhaps with elementwise operations behind it.
bool areComputed(mlir::Value images) {
  while (mlir::Operation *const operation = images.getDefiningOp()) {
    if (llvm::isa<graph::ConvOp, graph::ConvTransposeOp, graph::MaxPoolOp, graph::AveragePoolOp>(operation))
      return true;
    if (!operation->hasTrait<graph::Elementwise>())
      return false;
    images = operation->getOperand(0);
  }
  return false;
}

// Computes elementwise operations on the images before these become volumes again, so that they can be fused into the
// convolution that computes the images. This applies when the transposes between them are gone, in the second round of
// simplify-graph.
struct ElementwiseOnImages : mlir::RewritePattern {
  explicit ElementwiseOnImages(mlir::MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  mlir::LogicalResult matchAndRewrite(mlir::Operation *operation,
                                      mlir::PatternRewriter &rewriter) const override {
    if (!operation->hasTrait<graph::Elementwise>() || operation->getNumResults() != 1 ||
        !isVolume(operation->getResult(0)))
      return mlir::failure();
    const auto type = graph::tensorType(operation->getResult(0));
    llvm::SmallVector<mlir::Value> operands;
    mlir::Value first;
    for (const mlir::Value operand : operation->getOperands()) {
      if (operand.getDefiningOp<graph::ConstantOp>() && graph::shapeOf(operand).empty()) {
        operands.push_back(operand);
        continue;
      }
      const mlir::Value images = imagesOf(operand);
      if (!images || graph::shapeOf(operand) != type.getShape())
        return mlir::failure();
      first = first ? first : images;
      operands.push_back(images);
    }
    if (!first || !areComputed(first))
      return mlir::failure();
    mlir::Operation *const onImages = rewriter.clone(*operation);
    onImages->setOperands(operands);
    onImages->getResult(0).setType(mlir::RankedTensorType::get(graph::shapeOf(first), type.getElementType()));
    onImages->setLoc(graph::withTensor(operation->getLoc(), {}));
    rewriter.replaceOpWithNewOp<graph::ReshapeOp>(operation, type, onImages->getResult(0));
    return mlir::success();
  }
};

struct FlattenVolumesPass : impl::FlattenVolumesBase<FlattenVolumesPass> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<Convolution, TransposedConvolution, ElementwiseOnImages>(&getContext());
    addVolumePools(patterns);
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
