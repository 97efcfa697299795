#include "compiler/Layer/IR/DequantisedOutput.h"

#include <mlir/IR/Builders.h>

namespace tilerig::compiler::layer {

static constexpr llvm::StringLiteral shapeAttribute = "layer.dequantised_shape",
                                     orderAttribute = "layer.dequantised_order";

std::optional<DequantisedOutput> dequantisedOutput(mlir::func::FuncOp function, unsigned result) {
  using Integers = mlir::DenseI64ArrayAttr;
  const auto shape = function.getResultAttrOfType<Integers>(result, shapeAttribute),
             order = function.getResultAttrOfType<Integers>(result, orderAttribute);
  if (!shape || !order)
    return {};
  return DequantisedOutput{llvm::SmallVector<int64_t>(shape.asArrayRef()),
                           llvm::SmallVector<int64_t>(order.asArrayRef())};
}

void setDequantisedOutput(mlir::func::FuncOp function, unsigned result, const DequantisedOutput &output) {
  mlir::Builder builder(function.getContext());
  function.setResultAttr(result, shapeAttribute, builder.getDenseI64ArrayAttr(output.shape));
  function.setResultAttr(result, orderAttribute, builder.getDenseI64ArrayAttr(output.order));
}

} // namespace tilerig::compiler::layer
