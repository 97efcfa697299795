// Shape and type inference for the operations of Elementwise.td.
#include "compiler/Graph/IR/Shapes.h"

namespace tilerig::compiler::graph {

namespace {

// Infers the type of the result from the shapes of the operands, with the given element type.
llvm::LogicalResult inferShape(Complaint complain, mlir::Value a, mlir::Value b, mlir::Type element,
                               Types &types) {
  const auto shape = broadcast(shapeOf(a), shapeOf(b));
  if (!shape)
    return complain("shapes ", text(shapeOf(a)), " and ", text(shapeOf(b)), " cannot be broadcast");
  types.push_back(mlir::RankedTensorType::get(*shape, element));
  return llvm::success();
}

// Infers the type of the result of operands that broadcast; an error if their element types differ.
llvm::LogicalResult inferBroadcast(Complaint complain, mlir::Value a, mlir::Value b, mlir::Type element,
                                   Types &types) {
  if (tensorType(a).getElementType() != tensorType(b).getElementType())
    return complain("operands have different element types, ", tensorType(a).getElementType(), " and ",
                    tensorType(b).getElementType());
  return inferShape(complain, a, b, element, types);
}

} // namespace

llvm::LogicalResult inferArithmetic(std::optional<mlir::Location> location, mlir::Value a, mlir::Value b,
                                    Types &types) {
  return inferBroadcast({location}, a, b, tensorType(a).getElementType(), types);
}

llvm::LogicalResult inferComparison(std::optional<mlir::Location> location, mlir::Value a, mlir::Value b,
                                    Types &types) {
  return inferBroadcast({location}, a, b, mlir::IntegerType::get(a.getContext(), 1), types);
}

llvm::LogicalResult inferPower(std::optional<mlir::Location> location, mlir::Value base, mlir::Value exponent,
                               Types &types) {
  return inferShape({location}, base, exponent, tensorType(base).getElementType(), types);
}

llvm::LogicalResult WhereOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                              Adaptor adaptor, llvm::SmallVectorImpl<mlir::Type> &types) {
  const Complaint complain{location};
  if (llvm::failed(inferBroadcast(complain, adaptor.getA(), adaptor.getB(),
                                  tensorType(adaptor.getA()).getElementType(), types)))
    return llvm::failure();
  const auto chosen = llvm::cast<mlir::RankedTensorType>(types.back());
  const auto shape = broadcast(chosen.getShape(), shapeOf(adaptor.getCondition()));
  if (!shape)
    return complain("condition of shape ", text(shapeOf(adaptor.getCondition())),
                    " cannot be broadcast with shape ", text(chosen.getShape()));
  types.back() = mlir::RankedTensorType::get(*shape, chosen.getElementType());
  return llvm::success();
}

} // namespace tilerig::compiler::graph
