// Writes one layer as a sequence of ONNX nodes. The last node computes the layer's result in the type that
// the device stores: quantised integers, half-precision floats or floats.
//
// In form `exact`, the nodes do the exact arithmetic of the device, in integers or in floats. In form `qdq`,
// they process quantised tensors as dequantised floats, even where a layer only moves elements.
#pragma once

#include "compiler/Export/Export.h"
#include "compiler/Export/OrderedNames.h"
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Layer/IR/Layer.h"

namespace tilerig::compiler {

// A tensor of the exported model, the element type that it represents, and the axis of the tensor along which
// its scales vary, if it has several.
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

  // Name of the tensor that holds the value as stored, in this axis order; empty for a null value.
  std::string in(mlir::Value value, Sizes order) { return value ? names.in(value, order) : ""; }
  std::string plain(mlir::Value value) { return value ? in(value, identityOrder(rankOf(value))) : ""; }
  // The tensor of an operand that the nodes of a layer read: the stored tensor in form `exact`, its
  // dequantised reals in form `qdq`.
  WrittenOperand operand(mlir::Value value, Sizes order);
  // The tensor of an operand that the nodes of a layer read, shaped so that it broadcasts to a result whose
  // axes are in `order`.
  WrittenOperand broadcast(mlir::Value value, Sizes order);
  // Name of the tensor with the real values of an operand, dequantised if necessary; booleans stay unchanged.
  std::string real(const WrittenOperand &writtenOperand);
  std::string real(mlir::Value value, Sizes order) { return real(operand(value, order)); }
  std::string plainReal(mlir::Value value) { return real(value, identityOrder(rankOf(value))); }
  std::string truth(const WrittenOperand &writtenOperand);
  Sizes home() { return names.homeOf(operation->getResult(0)); }
  Sizes homeOf(mlir::Value value) { return names.homeOf(value); }

  // Each of the following functions adds an intermediate node and returns the name of the node's result.

  onnx::NodeProto &stepNode(llvm::StringRef type, Names inputs);
  std::string step(llvm::StringRef type, Names inputs) { return stepNode(type, inputs).output(0); }
  std::string cast(std::string input, DType type);
  std::string tensor(const Tensor &value) { return writer.addConstant(value, base() + ".constant"); }
  std::string ints(Sizes values);
  // number() adds a scalar constant in the float type in which values of type `element` are computed;
  // filled() adds a tensor of the given shape that is filled with such a number. Both return the name.
  std::string number(double value, mlir::Type element);
  std::string filled(double value, mlir::Type element, Sizes shape);
  // Adds a scalar constant in the storage type of the quantised type `element` and returns its name.
  std::string storedInteger(int64_t value, mlir::Type element);
  std::string scales(mlir::Type element);
  std::string zeroPoint(mlir::Type element);

  // Applies a function to reals, or, if the function is `not`, to booleans.
  std::string apply(layer::FunctionAttr function, std::string input, mlir::Type element);
  // Applies a function to stored integers of one quantised type, with a result of another: by a table, or by
  // fewer nodes if possible.
  std::string lookUp(layer::FunctionAttr function, std::string input, mlir::Type from, mlir::Type to);
  // Converts reals or booleans to the type in which the device stores them.
  std::string store(std::string reals, mlir::Type element);
  // Converts the result of moving or selecting elements to the stored type `element` of the operands. In form
  // `qdq` reals were moved, so they are quantised again; in form `exact` nothing has to be done.
  std::string keep(std::string name, mlir::Type element);
  // Rounds a scaled sum to an integer, adds the zero point, and clamps to the range of the type.
  std::string land(std::string scaled, mlir::Type element);
  // Name of a tensor with the stored integers minus their zero point, as floats.
  std::string difference(std::string stored, mlir::Type element);

  // Makes the tensor `name`, whose axes are in this order, the result of the layer, by renaming the output of
  // the node that computes it.
  void give(const std::string &name, Sizes order);
  void give(const std::string &name) { give(name, identityOrder(rankOf(operation->getResult(0)))); }
  // Marks the tensor `name` as the sum of a product before the addend is added and the function applied, so
  // that calibration can ask for its range.
  void markSum(const std::string &name) { names.setSum(operation, name); }

private:
  static size_t rankOf(mlir::Value value) { return graph::shapeOf(value).size(); }
  std::string base() { return writer.nameOf(operation->getResult(0)); }
  std::string clampedToNineBits(std::string reals, double scale, mlir::Type element);

  mlir::Operation *operation;
  ModelWriter &writer;
  OrderedNames &names;
  OnnxForm form;
  onnx::NodeProto *last = nullptr;
};

} // namespace tilerig::compiler
