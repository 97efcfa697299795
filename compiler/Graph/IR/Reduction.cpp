// Shape and type inference for the operations of Reduction.td.
#include "compiler/Graph/IR/Shapes.h"

#include <llvm/ADT/STLExtras.h>

namespace tilerig::compiler::graph {

namespace {

llvm::LogicalResult inferReduced(Complaint complain, mlir::Value input, llvm::ArrayRef<int64_t> axes,
                                 bool keepdims, mlir::Type element, Types &types) {
  const auto shape = shapeOf(input);
  Dims result;
  for (int64_t axis : axes)
    if (axis < 0 || axis >= static_cast<int64_t>(shape.size()))
      return complain("axis ", axis, " does not exist in shape ", text(shape));
  for (size_t i = 0; i < shape.size(); ++i) {
    const bool isReduced = llvm::is_contained(axes, static_cast<int64_t>(i));
    if (!isReduced || keepdims)
      result.push_back(isReduced ? 1 : shape[i]);
  }
  types.push_back(mlir::RankedTensorType::get(result, element));
  return llvm::success();
}

} // namespace

#define REDUCTION(Op)                                                                                        \
  llvm::LogicalResult Op::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,      \
                                           Adaptor adaptor, Types &types) {                                  \
    return inferReduced({location}, adaptor.getInput(), adaptor.getAxes(), adaptor.getKeepdims(),            \
                        tensorType(adaptor.getInput()).getElementType(), types);                             \
  }
REDUCTION(ReduceL1Op)
REDUCTION(ReduceL2Op)
REDUCTION(ReduceLogSumOp)
REDUCTION(ReduceLogSumExpOp)
REDUCTION(ReduceMaxOp)
REDUCTION(ReduceMeanOp)
REDUCTION(ReduceMinOp)
REDUCTION(ReduceProdOp)
REDUCTION(ReduceSumOp)
REDUCTION(ReduceSumSquareOp)
#undef REDUCTION

#define EXTREME(Op)                                                                                          \
  llvm::LogicalResult Op::inferReturnTypes(                                                                  \
      mlir::MLIRContext *context, std::optional<mlir::Location> location, Adaptor adaptor, Types &types) {   \
    return inferReduced({location}, adaptor.getInput(), {static_cast<int64_t>(adaptor.getAxis())},           \
                        adaptor.getKeepdims(), mlir::IntegerType::get(context, 64), types);                  \
  }
EXTREME(ArgMaxOp)
EXTREME(ArgMinOp)
#undef EXTREME

} // namespace tilerig::compiler::graph
