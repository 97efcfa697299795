// Copies the operations that compute some values of a function into a module of their own.
#pragma once

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/OwningOpRef.h>
#include <vector>

namespace tilerig::compiler {

// A copy of some operations of a function (the original) in a module of its own.
struct Segment {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  // The value of the original function that each argument of the copy holds.
  std::vector<mlir::Value> operands;

  mlir::func::FuncOp function() { return module->lookupSymbol<mlir::func::FuncOp>("main"); }
  // Names of the tensors for arguments and results of the segment when it is exported as an ONNX model.
  static std::string operandName(size_t index) { return "passcheck.operand" + std::to_string(index); }
  static std::string resultName(size_t index) { return "passcheck.result" + std::to_string(index); }
};

// Copies the operations that compute `values` to a segment, a module of its own; result i of the segment's
// function is values[i]. `isGiven` decides whether an operation of the segment reads an operand as an
// argument of the segment. All other operands are computed by the segment.
Segment segmentOf(llvm::ArrayRef<mlir::Value> values, llvm::function_ref<bool(mlir::OpOperand &)> isGiven);

} // namespace tilerig::compiler
