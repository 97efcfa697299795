// One layer that is being written: nodes one after the other, the last of which gives the layer's result.
//
// What a layer gives is what the device stores: quantised integers, halves, floats. Arithmetic is in float
// between a DequantizeLinear or Cast and a QuantizeLinear or Cast, or in integers, as the oracle says. In
// form `qdq` it is always in float where there are integers of scales, also where elements only move.
#pragma once

#include "compiler/Dialect/Graph/Shapes.h"
#include "compiler/Dialect/Layer/Layer.h"
#include "compiler/Export/Export.h"
#include "compiler/Export/OrderedNames.h"

namespace tilerig {

// A tensor of the file, and what its elements stand for; where scales are along an axis, that of the tensor.
struct WrittenOperand {
  std::string name;
  mlir::Type element;
  int64_t axis = 0;
};

class LayerWriting {
public:
  using Sizes = llvm::ArrayRef<int64_t>;
  using Names = llvm::ArrayRef<std::string>;

  LayerWriting(mlir::Operation *operation, ModelWriter &writer, OrderedNames &names, OnnxForm form)
      : operation(operation), writer(writer), names(names), form(form) {}

  bool isExact() const { return form == OnnxForm::exact; }

  // --- Operands ---

  // As stored, in an order; nothing for a null value.
  std::string in(mlir::Value value, Sizes order) { return value ? names.in(value, order) : ""; }
  std::string plain(mlir::Value value) { return value ? in(value, identityOrder(rankOf(value))) : ""; }
  // What the form has nodes read: the tensor as stored, or the reals of its integers.
  WrittenOperand operand(mlir::Value value, Sizes order);
  // The same where it broadcasts to a result whose axes stand in `order`.
  WrittenOperand broadcast(mlir::Value value, Sizes order);
  // The reals that an operand stands for; a truth as it is.
  std::string real(const WrittenOperand &it);
  std::string real(mlir::Value value, Sizes order) { return real(operand(value, order)); }
  std::string plainReal(mlir::Value value) { return real(value, identityOrder(rankOf(value))); }
  std::string truth(const WrittenOperand &it);
  Sizes home() { return names.homeOf(operation->getResult(0)); }
  Sizes homeOf(mlir::Value value) { return names.homeOf(value); }

  // --- Nodes in between: their result's name ---

  onnx::NodeProto &stepNode(llvm::StringRef type, Names inputs);
  std::string step(llvm::StringRef type, Names inputs) { return stepNode(type, inputs).output(0); }
  std::string cast(std::string input, DType type);
  std::string tensor(const Tensor &value) { return writer.addConstant(value, base() + ".constant"); }
  std::string ints(Sizes values);
  // A scalar in which an element type's reals are computed, and a tensor of it.
  std::string number(double value, mlir::Type element);
  std::string filled(double value, mlir::Type element, Sizes shape);
  // An integer in which a quantised type is stored.
  std::string storedInteger(int64_t value, mlir::Type element);
  std::string scales(mlir::Type element);
  std::string zeroPoint(mlir::Type element);

  // --- Ends of layers ---

  // A function of reals, or of truths where it is `not`.
  std::string apply(layer::FunctionAttr function, std::string input, mlir::Type element);
  // A function of stored integers, from one quantised type to another: a table, or less where that is enough.
  std::string lookUp(layer::FunctionAttr function, std::string input, mlir::Type from, mlir::Type to);
  // Reals, or truths, as the type stores them.
  std::string store(std::string reals, mlir::Type element);
  // What was moved or picked from operands of the type.
  std::string keep(std::string name, mlir::Type element);
  // The integer that a scaled sum rounds to, with the zero point, in the type's bounds.
  std::string land(std::string scaled, mlir::Type element);

  // `name` is the result, in that order: the node that made it is renamed.
  void give(const std::string &name, Sizes order);
  void give(const std::string &name) { give(name, identityOrder(rankOf(operation->getResult(0)))); }
  // What a product stores before its addend or function: calibration asks for its range.
  void markSum(const std::string &name) { names.setSum(operation, name); }

private:
  static size_t rankOf(mlir::Value value) { return graph::shapeOf(value).size(); }
  std::string base() { return writer.nameOf(operation->getResult(0)); }

  mlir::Operation *operation;
  ModelWriter &writer;
  OrderedNames &names;
  OnnxForm form;
  onnx::NodeProto *last = nullptr;
};

} // namespace tilerig
