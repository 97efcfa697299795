#include "compiler/Graph/Transforms/ElementBuilder.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"

#include <algorithm>

namespace tilerig::compiler {

#define GEN_PASS_DEF_SPLITDILATIONS
#include "compiler/Passes/Passes.h.inc"

namespace {

using graph::Dims;

// The largest dilation that is split: more parts would be too many images.
constexpr int64_t largestDilation = 256;

// One spatial axis of a convolution with rows and columns.
struct SpatialAxis {
  SpatialAxis(graph::ConvOp conv, size_t number)
      : number(number), axis(number + (conv.getChannelsLast() ? 1 : 2)),
        size(graph::shapeOf(conv.getInput())[axis]), result(graph::shapeOf(conv.getOutput())[axis]),
        taps(graph::shapeOf(conv.getWeights())[number + 2]), dilation(conv.getDilations()[number]),
        stride(conv.getStrides()[number]), before(conv.getPads()[number]) {}

  // Elements from the first to the last that a window reads.
  int64_t reach() const { return (taps - 1) * dilation + 1; }
  // Whether the axis can be split into every `dilation`-th element: a window then reads neighbours of one of these parts.
  bool canSplit() const {
    return dilation > 1 && dilation <= largestDilation && taps > 1 && stride == 1 && before % dilation == 0;
  }

  int64_t partSize() const { return (size + dilation - 1) / dilation; }
  int64_t partResult() const { return (result + dilation - 1) / dilation; }
  int64_t padBefore() const { return before / dilation; }
  // As many elements behind each part as its results need.
  int64_t padAfter() const {
    return std::max<int64_t>(0, partResult() + taps - 1 - padBefore() - partSize());
  }

  size_t number, axis;
  int64_t size, result, taps, dilation, stride, before;
};

// Element i * dilation + r of the axis becomes element i of part r; the parts become elements of the batch.
mlir::Value split(ElementBuilder &to, mlir::Value image, const SpatialAxis &its) {
  image = to.padEnd(image, its.axis, its.partSize() * its.dilation - its.size);
  Dims shape(graph::shapeOf(image)), apart = shape;
  apart[its.axis] = its.partSize();
  apart.insert(apart.begin() + static_cast<std::ptrdiff_t>(its.axis) + 1, its.dilation);
  Dims perm = {0, 1, 2, 3, 4};
  std::rotate(perm.begin() + 1, perm.begin() + static_cast<std::ptrdiff_t>(its.axis) + 1,
              perm.begin() + static_cast<std::ptrdiff_t>(its.axis) + 2);
  shape[0] *= its.dilation;
  shape[its.axis] = its.partSize();
  return to.reshape(to.transpose(to.reshape(image, apart), perm), shape);
}

// The inverse for results.
mlir::Value join(ElementBuilder &to, mlir::Value parts, const SpatialAxis &its) {
  Dims shape(graph::shapeOf(parts)), apart = shape;
  shape[0] /= its.dilation;
  apart[0] = shape[0];
  apart.insert(apart.begin() + 1, its.dilation);
  shape[its.axis] *= its.dilation;
  Dims perm = {0, 1, 2, 3, 4};
  std::rotate(perm.begin() + 1, perm.begin() + 2, perm.begin() + static_cast<std::ptrdiff_t>(its.axis) + 2);
  return to.slice(to.reshape(to.transpose(to.reshape(parts, apart), perm), shape), its.axis, 0, its.result);
}

struct SplitDilation : mlir::OpRewritePattern<graph::ConvOp> {
  SplitDilation(mlir::MLIRContext *context, int64_t mostElements)
      : OpRewritePattern(context), mostElements(mostElements) {}

  mlir::LogicalResult matchAndRewrite(graph::ConvOp conv, mlir::PatternRewriter &rewriter) const override {
    if (graph::shapeOf(conv.getInput()).size() != 4)
      return mlir::failure();
    const SpatialAxis rows(conv, 0), columns(conv, 1);
    if (elementsOfWindow(conv, rows, columns) <= mostElements || (!rows.canSplit() && !columns.canSplit()))
      return mlir::failure();
    ElementBuilder to(rewriter, conv);
    Dims dilations(conv.getDilations()), pads(conv.getPads());
    mlir::Value input = conv.getInput();
    for (const SpatialAxis *axis : {&rows, &columns})
      if (axis->canSplit()) {
        input = split(to, input, *axis);
        dilations[axis->number] = 1;
        pads[axis->number] = axis->padBefore();
        pads[axis->number + 2] = axis->padAfter();
      }
    mlir::Value result =
        to.make<graph::ConvOp>(input, conv.getWeights(), conv.getBias(), conv.getGroups(),
                               Dims(conv.getStrides()), dilations, pads, conv.getChannelsLast());
    for (const SpatialAxis *axis : {&columns, &rows})
      if (axis->canSplit())
        result = join(to, result, *axis);
    result.getDefiningOp()->setLoc(conv.getLoc());
    rewriter.replaceOp(conv, result);
    return mlir::success();
  }

  // Elements of the rectangle of the image that a window spans, over all channels.
  static int64_t elementsOfWindow(graph::ConvOp conv, const SpatialAxis &rows, const SpatialAxis &columns) {
    return std::min(rows.reach(), rows.size) * std::min(columns.reach(), columns.size) *
           graph::shapeOf(conv.getInput())[conv.getChannelsLast() ? 3 : 1];
  }

  int64_t mostElements;
};

struct SplitDilationsPass : impl::SplitDilationsBase<SplitDilationsPass> {
  using SplitDilationsBase::SplitDilationsBase;

  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<SplitDilation>(&getContext(), mostElements);
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
