#include "compiler/Graph/Transforms/WidenFloats.h"

#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/IR/TensorAttributes.h"
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

void widen(graph::ConstantOp constant, WidenedConstants &widenedBefore) {
  const auto type = llvm::dyn_cast<mlir::RankedTensorType>(constant.getType());
  if (!type || !type.getElementType().isF32())
    return;
  mlir::ElementsAttr &wide = widenedBefore[constant.getValue()];
  if (!wide) {
    const Tensor tensor = tensorOf(constant.getValue());
    Tensor doubles(DType::f64, tensor.shape());
    std::ranges::copy(tensor.as<float>(), doubles.mutableAs<double>().begin());
    wide = attributeOf(*constant.getContext(), doubles, "wide");
  }
  constant.setValueAttr(wide);
}

void widen(mlir::func::FuncOp function) {
  llvm::SmallVector<mlir::Type> arguments, results;
  for (mlir::BlockArgument argument : function.getArguments()) {
    argument.setType(widened(argument.getType()));
    arguments.push_back(argument.getType());
  }
  for (mlir::Type type : function.getResultTypes())
    results.push_back(widened(type));
  function.setType(mlir::FunctionType::get(function.getContext(), arguments, results));
}

struct WidenFloatsPass : impl::WidenFloatsBase<WidenFloatsPass> {
  void runOnOperation() override {
    WidenedConstants none;
    widenFloats(getOperation(), none);
  }
};

} // namespace

void widenFloats(mlir::ModuleOp module, WidenedConstants &widenedBefore) {
  module.walk([&](mlir::Operation *operation) {
    if (auto constant = llvm::dyn_cast<graph::ConstantOp>(operation))
      widen(constant, widenedBefore);
    for (mlir::Value result : operation->getResults())
      result.setType(widened(result.getType()));
    if (auto function = llvm::dyn_cast<mlir::func::FuncOp>(operation))
      widen(function);
  });
}

} // namespace tilerig::compiler
