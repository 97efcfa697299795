// The values of a function that hold tensors of the ONNX model, and how each is computed from the others.
//
// An expression is the operations that compute a value from other values that hold tensors of the model, from
// arguments, and from constants. Two functions whose values have the same names and the same expressions
// compute the same, so only expressions that a pass changed have to be computed again.
#pragma once

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Layer/IR/DequantisedOutput.h"

#include <map>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <set>

namespace tilerig::compiler {

// A value that holds a tensor of the model, or that the function returns.
struct NamedValue {
  std::string name;   // of the model's tensor; of a returned value that holds none, the name of the result
  graph::Order order; // axis i of the tensor is axis order[i] of the value
  mlir::Value value;
  llvm::hash_code expression;
  // For a result that leaves the machine as integers: how the host makes the output of the model from it.
  std::optional<layer::DequantisedOutput> dequantised = {};
};

// Names of the model's tensors that arguments and results of operations hold.
std::set<std::string> tensorNames(mlir::func::FuncOp function);

class Expressions {
public:
  // `isKnown` decides by the name of a tensor and the type of a value that holds it whether it ends an
  // expression, because its elements are known in this type.
  using IsKnown = llvm::function_ref<bool(llvm::StringRef name, mlir::Type type)>;
  Expressions(mlir::func::FuncOp function, IsKnown isKnown);

  const std::vector<NamedValue> &namedValues() const { return named; }
  // The tensor that a value holds, if its elements are known.
  const graph::TensorOrigin *knownTensor(mlir::Value value) const;
  // Whether an expression ends at this operand, because it is a known tensor. It does not end where an
  // operation only changes the order of axes of a tensor: else nothing would be left of the expression.
  bool endsAt(mlir::OpOperand &operand) const;
  // The known tensors at which the expression of a value ends if it does not end at those of `expanded`,
  // unless these are arguments.
  std::map<std::string, mlir::Value> ends(mlir::Value value, const std::set<std::string> &expanded) const;
  // If a value is computed from `tensors` and constants alone: the known tensors on the way from these to the
  // value.
  std::optional<std::set<std::string>> tensorsBetween(const std::map<std::string, mlir::Value> &tensors,
                                                      mlir::Value value) const;
  bool endsAt(mlir::OpOperand &operand, const std::set<std::string> &expanded) const;

private:
  void addArguments(mlir::func::FuncOp function, IsKnown isKnown);
  void addResults(mlir::func::FuncOp function);
  llvm::hash_code hashOf(mlir::Operation &operation) const;
  llvm::hash_code tensorHash(mlir::Value value) const;

  llvm::DenseMap<mlir::Value, graph::TensorOrigin> known;
  llvm::DenseMap<mlir::Value, llvm::hash_code> hashes; // of the expression that computes a value
  std::vector<NamedValue> named;
};

} // namespace tilerig::compiler
