#include "compiler/Layer/Transforms/ModelOrder.h"

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Layer/IR/Layer.h"

namespace tilerig::compiler {

mlir::Value inModelOrder(mlir::OpBuilder &builder, mlir::Value value) {
  const auto origin = graph::tensorOrigin(value);
  if (!origin || origin->order.empty())
    return value;
  llvm::SmallVector<int64_t> shape;
  for (const int64_t axis : origin->order)
    shape.push_back(graph::shapeOf(value)[static_cast<size_t>(axis)]);
  const auto type = mlir::RankedTensorType::get(shape, graph::tensorType(value).getElementType());
  return layer::TransposeOp::create(builder,
                                    graph::locationBehind(value, graph::TensorOrigin{origin->name, {}}), type,
                                    value, builder.getDenseI64ArrayAttr(origin->order));
}

} // namespace tilerig::compiler
