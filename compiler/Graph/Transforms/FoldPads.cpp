#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/Transforms/Constants.h"
#include "compiler/Graph/Transforms/Fusion.h"
#include "compiler/Passes/ApplyPatterns.h"
#include "compiler/Passes/Passes.h"

#include <limits>
#include <llvm/ADT/Sequence.h>

namespace tilerig::compiler {

#define GEN_PASS_DEF_FOLDPADS
#include "compiler/Passes/Passes.h.inc"

namespace {

using Ints = llvm::SmallVector<int64_t>;

// The pads of a pad operation along the rows and columns (spatial axes) of an image. Nullopt if the operation
// pads other axes, if a pad is negative, or if the padding value differs from the number `with`.
std::optional<Ints> spatialPads(graph::PadOp pad, double with, bool channelsLast) {
  const size_t rank = pad.getPads().size() / 2;
  const Ints order = channelsLast ? graph::toChannelsFirst(rank) : llvm::to_vector(llvm::seq<int64_t>(rank));
  Ints pads = graph::permuted(pad.getPads().take_front(rank), order);
  pads.append(graph::permuted(pad.getPads().drop_front(rank), order));
  const bool isValue = pad.getValue() ? isNumber(pad.getValue(), with) : with == 0;
  if (pad.getMode() != graph::PadMode::constant || !isValue || rank < 3)
    return {};
  Ints spatial;
  for (size_t i = 0; i < pads.size(); ++i) {
    if (pads[i] < 0 || (i % rank < 2 && pads[i] != 0))
      return {};
    if (i % rank >= 2)
      spatial.push_back(pads[i]);
  }
  return spatial;
}

Ints sum(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  Ints result;
  for (const auto &[x, y] : llvm::zip_equal(a, b))
    result.push_back(x + y);
  return result;
}

template <class Op>
struct IntoWindows : mlir::OpRewritePattern<Op> {
  IntoWindows(mlir::MLIRContext *context, double with) : mlir::OpRewritePattern<Op>(context), with(with) {}

  mlir::LogicalResult matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    auto pad = op.getInput().template getDefiningOp<graph::PadOp>();
    const auto pads = pad ? spatialPads(pad, with, op.getChannelsLast()) : std::nullopt;
    if (!pads)
      return mlir::failure();
    const mlir::Location location = locationOf({pad, op});
    rewriter.modifyOpInPlace(op, [&] {
      op.setPads(sum(op.getPads(), *pads));
      op.getInputMutable().assign(pad.getInput());
      op->setLoc(location);
    });
    return mlir::success();
  }

  double with;
};

struct FoldPadsPass : impl::FoldPadsBase<FoldPadsPass> {
  void runOnOperation() override {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<IntoWindows<graph::ConvOp>>(&getContext(), 0.0);
    patterns.add<IntoWindows<graph::MaxPoolOp>>(&getContext(), -std::numeric_limits<double>::infinity());
    if (mlir::failed(applyPatterns(getArgumentName(), getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilerig::compiler
