// The patterns of the pass flatten-volumes for pools.
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Graph/Transforms/Volumes.h"

namespace tilerig::compiler {

namespace {

using graph::Dims;

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
    const mlir::Value volume = to.channelsLast(pool.getInput());
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
                          pool.getCountIncludePad(), true);
    else
      return Pool::create(to.rewriter, to.location, images, kernel, strides, dilations, pads, false, true);
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
    const mlir::Value volume = to.channelsLast(pool.getInput());
    const mlir::Value pooled =
        poolAs(to, pool, to.joinBatch(volume), ofImages(pool.getKernel()), ofImages(pool.getStrides()),
               ofImages(pool.getDilations()), padsOfImages(pads));
    const auto shape = graph::shapeOf(pooled);
    const auto outer = graph::shapeOf(volume);
    const mlir::Value result =
        poolAs(to, pool, to.reshape(pooled, {outer[0], outer[1], shape[1] * shape[2], shape[3]}),
               {pool.getKernel()[0], 1}, {pool.getStrides()[0], 1}, {pool.getDilations()[0], 1},
               {pads[0], 0, pads[3], 0});
    to.finish(to.reshape(result, {outer[0], graph::shapeOf(result)[1], shape[1], shape[2], shape[3]}));
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
    attributes.set("channelsLast", to.rewriter.getUnitAttr());
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
    const mlir::Value volume = to.channelsLast(pool.getInput());
    const auto shape = graph::shapeOf(volume);
    const mlir::Value image = to.reshape(volume, {shape[0], shape[1] * shape[2], shape[3], shape[4]});
    const mlir::Value result = Pool::create(
        rewriter, to.location,
        mlir::RankedTensorType::get({shape[0], 1, 1, shape[4]}, graph::tensorType(image).getElementType()),
        image, true);
    rewriter.replaceOpWithNewOp<graph::ReshapeOp>(pool, pool.getType(), result);
    return mlir::success();
  }
};

} // namespace

void addVolumePools(mlir::RewritePatternSet &patterns) {
  patterns.add<Pooling<graph::MaxPoolOp, graph::MaxOp>, Pooling<graph::AveragePoolOp, graph::AddOp>,
               PaddedPooling<graph::MaxPoolOp>, PaddedPooling<graph::AveragePoolOp>,
               PaddedPooling<graph::LpPoolOp>, GlobalPooling<graph::GlobalAveragePoolOp>,
               GlobalPooling<graph::GlobalMaxPoolOp>>(patterns.getContext());
}

} // namespace tilerig::compiler
