// Shape and type inference for the operations of Elementwise.td.
#include "compiler/Graph/IR/Shapes.h"

namespace tilerig::compiler::graph {

namespace {

// Infers the broadcast type of two operands of equal element types; the result has the given element type.
llvm::LogicalResult inferBroadcast(Complaint complain, mlir::Value a, mlir::Value b, mlir::Type element,
                                   llvm::SmallVectorImpl<mlir::Type> &types) {
  if (tensorType(a).getElementType() != tensorType(b).getElementType())
    return complain("operands have different element types, ", tensorType(a).getElementType(), " and ",
                    tensorType(b).getElementType());
  const auto shape = broadcast(shapeOf(a), shapeOf(b));
  if (!shape)
    return complain("shapes ", text(shapeOf(a)), " and ", text(shapeOf(b)), " cannot be broadcast");
  types.push_back(mlir::RankedTensorType::get(*shape, element));
  return llvm::success();
}

} // namespace

#define ARITHMETIC(Op)                                                                                       \
  llvm::LogicalResult Op::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,      \
                                           Adaptor adaptor, llvm::SmallVectorImpl<mlir::Type> &types) {      \
    return inferBroadcast({location}, adaptor.getA(), adaptor.getB(),                                        \
                          tensorType(adaptor.getA()).getElementType(), types);                               \
  }
ARITHMETIC(AddOp)
ARITHMETIC(AndOp)
ARITHMETIC(BitShiftOp)
ARITHMETIC(BitwiseAndOp)
ARITHMETIC(BitwiseOrOp)
ARITHMETIC(BitwiseXorOp)
ARITHMETIC(DivOp)
ARITHMETIC(MaxOp)
ARITHMETIC(MinOp)
ARITHMETIC(ModOp)
ARITHMETIC(MulOp)
ARITHMETIC(OrOp)
ARITHMETIC(PReluOp)
ARITHMETIC(SubOp)
ARITHMETIC(XorOp)
#undef ARITHMETIC

// Infers the type of a power: the shapes broadcast; the exponent may have another element type than the base.
llvm::LogicalResult PowOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                            Adaptor adaptor, llvm::SmallVectorImpl<mlir::Type> &types) {
  const auto shape = broadcast(shapeOf(adaptor.getA()), shapeOf(adaptor.getB()));
  if (!shape)
    return Complaint{location}("shapes ", text(shapeOf(adaptor.getA())), " and ",
                               text(shapeOf(adaptor.getB())), " cannot be broadcast");
  types.push_back(mlir::RankedTensorType::get(*shape, tensorType(adaptor.getA()).getElementType()));
  return llvm::success();
}

#define COMPARISON(Op)                                                                                       \
  llvm::LogicalResult Op::inferReturnTypes(mlir::MLIRContext *context,                                       \
                                           std::optional<mlir::Location> location, Adaptor adaptor,          \
                                           llvm::SmallVectorImpl<mlir::Type> &types) {                       \
    return inferBroadcast({location}, adaptor.getA(), adaptor.getB(), mlir::IntegerType::get(context, 1),    \
                          types);                                                                            \
  }
COMPARISON(EqualOp)
COMPARISON(GreaterOp)
COMPARISON(GreaterOrEqualOp)
COMPARISON(LessOp)
COMPARISON(LessOrEqualOp)
#undef COMPARISON

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
