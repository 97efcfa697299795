#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"

namespace tilerig::compiler {

#define GEN_PASS_DEF_FLATTENVOLUMES
#include "compiler/Passes/Passes.h.inc"

namespace {

using graph::Dims;

// Whether a value is a batch of volumes: it has the axes batch, channels, depth, rows and columns.
bool isVolume(mlir::Value value) { return graph::shapeOf(value).size() == 5; }

// Creates the operations that replace an operation on volumes. Only the result of the last one gets the name
// of a tensor of the model.
class VolumeBuilder {
public:
  VolumeBuilder(mlir::PatternRewriter &rewriter, mlir::Operation *operation)
      : rewriter(rewriter), operation(operation), location(graph::withTensor(operation->getLoc(), {})) {}

  mlir::Value reshape(mlir::Value value, Dims shape) {
    const auto type = mlir::RankedTensorType::get(shape, graph::tensorType(value).getElementType());
    return graph::ReshapeOp::create(rewriter, location, type, value);
  }
  // Transposes axes 1 and 2: from channels, depth to depth, channels or back.
  mlir::Value exchange(mlir::Value value) {
    return graph::TransposeOp::create(rewriter, location, value, Dims{0, 2, 1, 3, 4});
  }
  mlir::Value padDepth(mlir::Value value, int64_t before, int64_t after) {
    if (before == 0 && after == 0)
      return value;
    return graph::PadOp::create(rewriter, location, value, mlir::Value(),
                                Dims{0, 0, before, 0, 0, 0, 0, after, 0, 0}, graph::PadMode::constant);
  }
  // Slices axis 1, which is the depth: takes `count` images, at the depths first, first + step, first + 2
  // step, …
  mlir::Value images(mlir::Value value, int64_t first, int64_t step, int64_t count) {
    Dims starts(5, 0), ends(graph::shapeOf(value)), steps(5, 1);
    starts[1] = first;
    ends[1] = first + (count - 1) * step + 1;
    steps[1] = step;
    if (starts[1] == 0 && step == 1 && ends[1] == graph::shapeOf(value)[1])
      return value;
    return graph::SliceOp::create(rewriter, location, value, starts, ends, steps);
  }
  // Merges axis 1, the depth, into the batch axis, so that the image at each depth becomes an element of the
  // batch.
  mlir::Value joinBatch(mlir::Value value) {
    const auto shape = graph::shapeOf(value);
    return reshape(value, {shape[0] * shape[1], shape[2], shape[3], shape[4]});
  }
  mlir::Value splitBatch(mlir::Value value, int64_t depth) {
    const auto shape = graph::shapeOf(value);
    return reshape(value, {shape[0] / depth, depth, shape[1], shape[2], shape[3]});
  }
  // Replaces the operation by `value`, after a transpose: axis 1 of `value` is the depth, which belongs
  // behind the channels.
  void finish(mlir::Value value) {
    rewriter.replaceOpWithNewOp<graph::TransposeOp>(operation, value, Dims{0, 2, 1, 3, 4});
  }

  mlir::PatternRewriter &rewriter;
  mlir::Operation *operation;
  mlir::Location location;
};

// The strides, dilations and pads along rows and columns: all of them except those along the depth.
Dims ofImages(llvm::ArrayRef<int64_t> numbers) { return Dims(numbers.drop_front()); }
Dims padsOfImages(llvm::ArrayRef<int64_t> pads) { return {pads[1], pads[2], pads[4], pads[5]}; }

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

  // Reshapes images: splits the channels into groups, and joins rows and columns into one axis. The axes of
  // the result are batch, depth, groups, channels of a group, pixels.
  static mlir::Value grouped(VolumeBuilder &to, mlir::Value images, int64_t groups) {
    const auto shape = graph::shapeOf(images);
    return to.reshape(images, {shape[0], shape[1], groups, shape[2] / groups, shape[3] * shape[4]});
  }
  // Concatenates the images that the kernel reads at its different depths, along the channels of each group.
  static mlir::Value joined(VolumeBuilder &to, llvm::ArrayRef<mlir::Value> images, mlir::Value volume,
                            int64_t depth) {
    const auto shape = graph::shapeOf(volume);
    const mlir::Value all =
        images.size() == 1
            ? images.front()
            : mlir::Value(graph::ConcatOp::create(to.rewriter, to.location, images, uint64_t{3}));
    return to.reshape(all,
                      {shape[0] * depth, shape[1] * static_cast<int64_t>(images.size()), shape[3], shape[4]});
  }
  static mlir::Value weights(VolumeBuilder &to, mlir::Value weights) {
    const auto shape = graph::shapeOf(weights);
    return to.reshape(to.exchange(weights), {shape[0], shape[1] * shape[2], shape[3], shape[4]});
  }
};

// Whether windows of a pool lie inside the volume along the depth, whatever its size.
template <class Pool>
bool isInsideDepth(Pool pool) {
  return !pool.getCeilMode() && pool.getPads()[0] == 0 && pool.getPads()[3] == 0;
}

// Turns pooling of volumes into pooling of images, followed by a maximum or mean over the depth of each
// window, which must lie inside the volume.
template <class Pool, class Join>
struct Pooling : mlir::OpRewritePattern<Pool> {
  using mlir::OpRewritePattern<Pool>::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(Pool pool, mlir::PatternRewriter &rewriter) const override {
    if (!isVolume(pool.getInput()) || pool.getChannelsLast() || !isInsideDepth(pool))
      return mlir::failure();
    VolumeBuilder to(rewriter, pool);
    const mlir::Value volume = to.exchange(pool.getInput());
    const int64_t inner = graph::shapeOf(volume)[1], depth = graph::shapeOf(pool.getOutput())[2];
    const mlir::Value pooled = to.splitBatch(poolOfImages(to, pool, to.joinBatch(volume)), inner);
    const int64_t taps = pool.getKernel()[0];
    mlir::Value result = to.images(pooled, 0, pool.getStrides()[0], depth);
    for (int64_t tap = 1; tap < taps; ++tap)
      result = Join::create(rewriter, to.location, result,
                            to.images(pooled, tap * pool.getDilations()[0], pool.getStrides()[0], depth));
    if constexpr (std::is_same_v<Pool, graph::AveragePoolOp>)
      if (taps > 1)
        result = graph::MulOp::create(rewriter, to.location, result, share(to, result, taps));
    to.finish(result);
    return mlir::success();
  }

  static mlir::Value poolOfImages(VolumeBuilder &to, Pool pool, mlir::Value images) {
    const Dims kernel = ofImages(pool.getKernel()), strides = ofImages(pool.getStrides()),
               dilations = ofImages(pool.getDilations()), pads = padsOfImages(pool.getPads());
    if constexpr (std::is_same_v<Pool, graph::AveragePoolOp>)
      return Pool::create(to.rewriter, to.location, images, kernel, strides, dilations, pads, false,
                          pool.getCountIncludePad(), false);
    else
      return Pool::create(to.rewriter, to.location, images, kernel, strides, dilations, pads, false, false);
  }
  static mlir::Value share(VolumeBuilder &to, mlir::Value result, int64_t taps) {
    const DType type = *dtypeOfElement(graph::tensorType(result).getElementType());
    const Tensor number = floatTensor(type, {}, {1.0 / static_cast<double>(taps)});
    return graph::ConstantOp::create(to.rewriter, to.location,
                                     attributeOf(*to.rewriter.getContext(), number, "share"));
  }
};

// Turns pooling of volumes whose windows reach outside along the depth into two pools of images: over rows and
// columns of the image at each depth, then along the depth, in an image whose rows are the depths and whose
// columns are all pixels. A maximum, a mean and a p-norm of windows can be computed in two such steps: all images
// of a volume have the same padding, so each mean over an image has the same weight.
template <class Pool>
struct PaddedPooling : mlir::OpRewritePattern<Pool> {
  using mlir::OpRewritePattern<Pool>::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(Pool pool, mlir::PatternRewriter &rewriter) const override {
    constexpr bool isNorm = std::is_same_v<Pool, graph::LpPoolOp>;
    if (!isVolume(pool.getInput()) || pool.getChannelsLast() || (!isNorm && isInsideDepth(pool)))
      return mlir::failure();
    VolumeBuilder to(rewriter, pool);
    const auto pads = pool.getPads();
    const mlir::Value volume = to.exchange(pool.getInput());
    const mlir::Value pooled = to.exchange(
        to.splitBatch(poolAs(to, pool, to.joinBatch(volume), ofImages(pool.getKernel()),
                             ofImages(pool.getStrides()), ofImages(pool.getDilations()), padsOfImages(pads)),
                      graph::shapeOf(volume)[1]));
    const auto shape = graph::shapeOf(pooled);
    const mlir::Value result =
        poolAs(to, pool, to.reshape(pooled, {shape[0], shape[1], shape[2], shape[3] * shape[4]}),
               {pool.getKernel()[0], 1}, {pool.getStrides()[0], 1}, {pool.getDilations()[0], 1},
               {pads[0], 0, pads[3], 0});
    rewriter.replaceOpWithNewOp<graph::ReshapeOp>(pool, pool.getType(), result);
    return mlir::success();
  }

  // The same pool, of images with windows of this form.
  static mlir::Value poolAs(VolumeBuilder &to, Pool pool, mlir::Value images, Dims kernel, Dims strides,
                            Dims dilations, Dims pads) {
    mlir::NamedAttrList attributes(pool->getAttrDictionary());
    attributes.set("kernel", to.rewriter.getDenseI64ArrayAttr(kernel));
    attributes.set("strides", to.rewriter.getDenseI64ArrayAttr(strides));
    attributes.set("dilations", to.rewriter.getDenseI64ArrayAttr(dilations));
    attributes.set("pads", to.rewriter.getDenseI64ArrayAttr(pads));
    return Pool::create(to.rewriter, to.location, mlir::ValueRange{images}, attributes.getAttrs());
  }
};

// Turns global pooling of a volume into global pooling of one tall image, which has the rows of all depths.
template <class Pool>
struct GlobalPooling : mlir::OpRewritePattern<Pool> {
  using mlir::OpRewritePattern<Pool>::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(Pool pool, mlir::PatternRewriter &rewriter) const override {
    if (!isVolume(pool.getInput()) || pool.getChannelsLast())
      return mlir::failure();
    VolumeBuilder to(rewriter, pool);
    const auto shape = graph::shapeOf(pool.getInput());
    const mlir::Value image =
        to.reshape(pool.getInput(), {shape[0], shape[1], shape[2] * shape[3], shape[4]});
    const mlir::Value result = Pool::create(
        rewriter, to.location,
        mlir::RankedTensorType::get({shape[0], shape[1], 1, 1}, graph::tensorType(image).getElementType()),
        image, false);
    rewriter.replaceOpWithNewOp<graph::ReshapeOp>(pool, pool.getType(), result);
    return mlir::success();
  }
};

struct FlattenVolumesPass : impl::FlattenVolumesBase<FlattenVolumesPass> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<Convolution, Pooling<graph::MaxPoolOp, graph::MaxOp>,
                 Pooling<graph::AveragePoolOp, graph::AddOp>, PaddedPooling<graph::MaxPoolOp>,
                 PaddedPooling<graph::AveragePoolOp>, PaddedPooling<graph::LpPoolOp>,
                 GlobalPooling<graph::GlobalAveragePoolOp>, GlobalPooling<graph::GlobalMaxPoolOp>>(
        &getContext());
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
