#include "compiler/Layer/IR/LayerKind.h"

#include "compiler/Layer/IR/Layer.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

using namespace layer;

namespace {

template <class Kind>
std::string camel(Kind kind) {
  return llvm::convertToCamelFromSnakeCase(nameOfKind(kind), /*capitalizeFirst=*/true);
}

} // namespace

std::string kindOf(mlir::Operation *layer) {
  return llvm::TypeSwitch<mlir::Operation *, std::string>(layer)
      .Case([](ActivateOp op) { return op.getFunction() ? "Activation" : "Convert"; })
      .Case([](BinaryOp op) { return camel(op.getKind().getValue()); })
      .Case([](ConcatOp) { return "Concat"; })
      .Case([](ConvOp) { return "Conv"; })
      .Case([](DilateOp) { return "Dilate"; })
      .Case([](ExpandOp) { return "Expand"; })
      .Case([](GatherOp) { return "Gather"; })
      .Case([](HostOp op) {
        const auto ofFramework = op.getParameters().getAs<mlir::StringAttr>("operator");
        return (ofFramework ? ofFramework.getValue() : op.getKernel()).str();
      })
      .Case([](MatMulOp) { return "MatMul"; })
      .Case([](NormalizeOp op) {
        return op.getKind().getValue() == NormalizeMode::rootMeanSquare ? "RmsNorm" : "Norm";
      })
      .Case([](PadOp) { return "Pad"; })
      .Case([](PoolOp op) { return camel(op.getKind().getValue()) + "Pool"; })
      .Case([](ReduceOp op) { return "Reduce" + camel(op.getKind().getValue()); })
      .Case([](ReshapeOp) { return "Reshape"; })
      .Case([](ResizeOp) { return "Resize"; })
      .Case([](SelectOp) { return "Select"; })
      .Case([](SliceOp) { return "Slice"; })
      .Case([](SoftmaxOp op) { return op.getLogarithm() ? "LogSoftmax" : "Softmax"; })
      .Case([](TransposeOp) { return "Transpose"; })
      .Default([](mlir::Operation *op) { return op->getName().stripDialect().str(); });
}

} // namespace tilerig::compiler
