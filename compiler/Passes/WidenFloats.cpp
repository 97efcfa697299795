#include "compiler/Dialect/Graph/Shapes.h"
#include "compiler/Import/Constants.h"
#include "compiler/Passes/Passes.h"

#include <mlir/IR/Builders.h>

namespace tilerig::compiler {

#define GEN_PASS_DEF_WIDENFLOATS
#include "compiler/Passes/Passes.h.inc"

namespace {

mlir::Type widened(mlir::Type type) {
  const auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.getElementType().isF32()
             ? mlir::RankedTensorType::get(tensor.getShape(), mlir::Float64Type::get(type.getContext()))
             : type;
}

struct WidenFloatsPass : impl::WidenFloatsBase<WidenFloatsPass> {
  void runOnOperation() override {
    getOperation().walk([&](mlir::Operation *operation) {
      if (auto constant = llvm::dyn_cast<graph::ConstantOp>(operation))
        widen(constant);
      for (mlir::Value result : operation->getResults())
        result.setType(widened(result.getType()));
      if (auto function = llvm::dyn_cast<mlir::func::FuncOp>(operation))
        widen(function);
    });
  }

  void widen(graph::ConstantOp constant) {
    const Tensor tensor = tensorOf(constant.getValue());
    if (tensor.dtype() != DType::f32)
      return;
    Tensor wide(DType::f64, tensor.shape());
    std::ranges::copy(tensor.as<float>(), wide.mutableAs<double>().begin());
    constant.setValueAttr(attributeOf(getContext(), wide, "wide"));
  }
  static void widen(mlir::func::FuncOp function) {
    llvm::SmallVector<mlir::Type> arguments, results;
    for (mlir::BlockArgument argument : function.getArguments()) {
      argument.setType(widened(argument.getType()));
      arguments.push_back(argument.getType());
    }
    for (mlir::Type type : function.getResultTypes())
      results.push_back(widened(type));
    function.setType(mlir::FunctionType::get(function.getContext(), arguments, results));
  }
};

} // namespace

} // namespace tilerig::compiler
