// One layer that is being written: nodes one after the other, the last of which gives the layer's result.
#pragma once

#include "compiler/Dialect/Graph/Shapes.h"
#include "compiler/Dialect/Layer/Layer.h"
#include "compiler/Export/OrderedNames.h"

namespace tilerig {

class LayerWriting {
public:
  LayerWriting(mlir::Operation *operation, ModelWriter &writer, OrderedNames &names)
      : operation(operation), writer(writer), names(names) {}

  // --- Operands ---

  std::string in(mlir::Value value, llvm::ArrayRef<int64_t> order) {
    return value ? names.in(value, order) : "";
  }
  std::string plain(mlir::Value value) { return value ? in(value, identityOrder(rankOf(value))) : ""; }
  // An operand that broadcasts to the result, whose axes stand in `order`.
  std::string broadcast(mlir::Value value, llvm::ArrayRef<int64_t> order);
  llvm::ArrayRef<int64_t> home() { return names.homeOf(operation->getResult(0)); }
  llvm::ArrayRef<int64_t> homeOf(mlir::Value value) { return names.homeOf(value); }

  // --- Nodes in between: their result's name ---

  std::string step(llvm::StringRef type, llvm::ArrayRef<std::string> inputs);
  onnx::NodeProto &stepNode(llvm::StringRef type, llvm::ArrayRef<std::string> inputs);
  std::string ints(llvm::ArrayRef<int64_t> values);
  // A scalar of the layer's type.
  std::string number(double value, mlir::Type element);
  std::string tensor(const Tensor &value) { return writer.addConstant(value, base() + ".constant"); }
  // The function of an epilogue, applied to a tensor.
  std::string apply(layer::FunctionAttr function, std::string input, mlir::Type element);

  // --- The result ---

  // `name` is the result, in that order: the node that made it is renamed.
  void give(const std::string &name, llvm::ArrayRef<int64_t> order);
  void give(const std::string &name) { give(name, identityOrder(rankOf(operation->getResult(0)))); }
  mlir::Operation *op() const { return operation; }

private:
  static size_t rankOf(mlir::Value value) { return graph::shapeOf(value).size(); }
  std::string base() { return writer.nameOf(operation->getResult(0)); }

  mlir::Operation *operation;
  ModelWriter &writer;
  OrderedNames &names;
  onnx::NodeProto *last = nullptr;
};

} // namespace tilerig
