#include "compiler/Graph/Transforms/Volumes.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"

namespace tilerig::compiler {

#define GEN_PASS_DEF_FLATTENVOLUMES
#include "compiler/Passes/Passes.h.inc"

namespace {

using graph::Dims;

// Reshapes images: splits the channels into groups, and joins rows and columns into one axis. The axes of the result are
// batch, depth, groups, channels of a group, pixels.
mlir::Value grouped(VolumeBuilder &to, mlir::Value images, int64_t groups) {
  const auto shape = graph::shapeOf(images);
  return to.reshape(images, {shape[0], shape[1], groups, shape[2] / groups, shape[3] * shape[4]});
}
// Concatenates the images that the kernel reads at its different depths, along the channels of each group.
mlir::Value joined(VolumeBuilder &to, llvm::ArrayRef<mlir::Value> images, mlir::Value volume, int64_t depth) {
  const auto shape = graph::shapeOf(volume);
  const mlir::Value all =
      images.size() == 1
          ? images.front()
          : mlir::Value(graph::ConcatOp::create(to.rewriter, to.location, images, uint64_t{3}));
  return to.reshape(all,
                    {shape[0] * depth, shape[1] * static_cast<int64_t>(images.size()), shape[3], shape[4]});
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
        to.exchange(to.padDepth(conv.getInput(), conv.getPads()[0], conv.getPads()[3]));
    llvm::SmallVector<mlir::Value> images;
    for (int64_t tap = 0; tap < taps; ++tap)
      images.push_back(
          grouped(to, to.images(padded, tap * conv.getDilations()[0], conv.getStrides()[0], depth), groups));
    const mlir::Value input = joined(to, images, conv.getInput(), depth);
    const mlir::Value result = graph::ConvOp::create(
        rewriter, to.location, input, weights(to, conv.getWeights()), conv.getBias(), conv.getGroups(),
        ofImages(conv.getStrides()), ofImages(conv.getDilations()), padsOfImages(conv.getPads()), false);
    to.finish(to.splitBatch(result, depth));
    return mlir::success();
  }

  static mlir::Value weights(VolumeBuilder &to, mlir::Value weights) {
    const auto shape = graph::shapeOf(weights);
    return to.reshape(to.exchange(weights), {shape[0], shape[1] * shape[2], shape[3], shape[4]});
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
    const mlir::Value volume = to.exchange(
        spread(to, conv.getInput(), conv.getStrides()[0], reach - conv.getPads()[0], depth + reach));
    llvm::SmallVector<mlir::Value> images;
    for (int64_t tap = 0; tap < taps; ++tap)
      images.push_back(grouped(to, to.images(volume, (taps - 1 - tap) * dilation, 1, depth), groups));
    const mlir::Value input = joined(to, images, conv.getInput(), depth);
    const mlir::Value result = graph::ConvTransposeOp::create(
        rewriter, to.location, input, weights(to, conv.getWeights(), groups), conv.getBias(),
        conv.getGroups(), ofImages(conv.getStrides()), ofImages(conv.getDilations()),
        padsOfImages(conv.getPads()), ofImages(conv.getOutputPadding()), false);
    to.finish(to.splitBatch(result, depth));
    return mlir::success();
  }

  // A volume of `depth` images, of which image `first` + i * stride is image i of the given volume; the others are zeros.
  static mlir::Value spread(VolumeBuilder &to, mlir::Value volume, int64_t stride, int64_t first,
                            int64_t depth) {
    const Dims shape(graph::shapeOf(volume));
    if (stride > 1) {
      const mlir::Value apart = to.reshape(volume, {shape[0], shape[1], shape[2], 1, shape[3] * shape[4]});
      const Dims pads = {0, 0, 0, 0, 0, 0, 0, 0, stride - 1, 0};
      const mlir::Value between = graph::PadOp::create(to.rewriter, to.location, apart, mlir::Value(), pads,
                                                       graph::PadMode::constant);
      volume = to.reshape(between, {shape[0], shape[1], shape[2] * stride, shape[3], shape[4]});
    }
    const int64_t size = graph::shapeOf(volume)[2];
    const mlir::Value padded =
        to.padDepth(volume, std::max<int64_t>(first, 0), std::max<int64_t>(depth - first - size, 0));
    Dims starts(5, 0), ends(graph::shapeOf(padded));
    starts[2] = std::max<int64_t>(-first, 0);
    ends[2] = starts[2] + depth;
    if (starts[2] == 0 && ends[2] == graph::shapeOf(padded)[2])
      return padded;
    return graph::SliceOp::create(to.rewriter, to.location, padded, starts, ends, Dims(5, 1));
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

struct FlattenVolumesPass : impl::FlattenVolumesBase<FlattenVolumesPass> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<Convolution, TransposedConvolution>(&getContext());
    addVolumePools(patterns);
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
