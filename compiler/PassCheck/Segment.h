// Copies the operations that compute some values of a function into a module of their own.
#pragma once

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/OwningOpRef.h>
#include <vector>

namespace tilerig::compiler {

// A module with a copy of some operations of another function, the original.
struct Segment {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<mlir::Value> operands; // for each argument, the value of the original function that it holds

  mlir::func::FuncOp function() { return module->lookupSymbol<mlir::func::FuncOp>("main"); }
  // The name, in the exported ONNX model, of an argument and of a result.
  static std::string operandName(size_t index) { return "passcheck.operand" + std::to_string(index); }
  static std::string resultName(size_t index) { return "passcheck.result" + std::to_string(index); }
};

// The segment that computes `values`; result i of its function is values[i]. `isGiven` decides whether an
// operation of the segment reads an operand as an argument of the segment, or the segment also computes it.
Segment segmentOf(llvm::ArrayRef<mlir::Value> values, llvm::function_ref<bool(mlir::OpOperand &)> isGiven);

} // namespace tilerig::compiler
