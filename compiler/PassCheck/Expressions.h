// The MLIR values of a function that hold tensors of the ONNX model, and the expression of each value.
//
// The expression of a value consists of the operations that compute it from constants, arguments of the
// function, and other values that hold tensors of the model. Two functions compute the same if their values
// have the same names and expressions, so only expressions that a pass changed have to be computed again.
#pragma once

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Layer/IR/DequantisedOutput.h"

#include <map>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <set>

namespace tilerig::compiler {

// A value of a function that holds a tensor of the model, or that the function returns.
struct NamedValue {
  // Name of the model's tensor that the value holds; if it holds none, name of the function's result.
  std::string name;
  graph::Order order; // axis i of the model's tensor is axis order[i] of the value
  mlir::Value value;
  llvm::hash_code expression;
  // For a result that the machine returns as integers: how the host dequantises them to the model's output.
  std::optional<layer::DequantisedOutput> dequantised = {};
};

// Names of the model's tensors that a function's arguments and the results of its operations hold.
std::set<std::string> tensorNames(mlir::func::FuncOp function);

class Expressions {
public:
  // Predicate that is true for the values of a function at which expressions end: `name` is a tensor of the
  // original model whose elements are known in the type `type`.
  using IsKnown = llvm::function_ref<bool(llvm::StringRef name, mlir::Type type)>;
  Expressions(mlir::func::FuncOp function, IsKnown isKnown);

  const std::vector<NamedValue> &namedValues() const { return named; }
  // The tensor of the original model that a value holds, if the elements of this tensor are known; else null.
  const graph::TensorOrigin *knownTensor(mlir::Value value) const;
  // Whether an expression ends at this operand because its elements are known from the original model. It
  // does not end if the operation only transposes the operand: the expression of the operation's result would
  // be empty.
  bool endsAt(mlir::OpOperand &operand) const;
  // The tensors with known elements at which the expression of a value ends. The expression does not end at
  // tensors of `expanded`, except at those that are arguments of the function.
  std::map<std::string, mlir::Value> ends(mlir::Value value, const std::set<std::string> &expanded) const;
  // All tensors with known elements on the paths of the computation from `tensors` to a value; nullopt if the
  // value depends on arguments of the function that are not in `tensors`.
  std::optional<std::set<std::string>> tensorsBetween(const std::map<std::string, mlir::Value> &tensors,
                                                      mlir::Value value) const;
  bool endsAt(mlir::OpOperand &operand, const std::set<std::string> &expanded) const;

private:
  void addArguments(mlir::func::FuncOp function, IsKnown isKnown);
  void addResults(mlir::func::FuncOp function);
  llvm::hash_code hashOf(mlir::Operation &operation) const;
  llvm::hash_code tensorHash(mlir::Value value) const;

  llvm::DenseMap<mlir::Value, graph::TensorOrigin> known;
  llvm::DenseMap<mlir::Value, llvm::hash_code> hashes; // hash of the expression of each value
  std::vector<NamedValue> named;
};

} // namespace tilerig::compiler
