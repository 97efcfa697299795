// Compares what two modules compute, before and after a pass.
#pragma once

#include "compiler/PassCheck/Expressions.h"
#include "compiler/PassCheck/PassCheck.h"

#include <set>

namespace tilerig::compiler {

// A tensor that two modules compute differently.
struct Difference {
  std::string tensor;
  double maxAbs = 0, bound = 0;
  mlir::Value before, after; // the values that hold the tensor
  Tensor expected, actual;   // in the order of axes of the model
};

struct Comparison {
  size_t compared = 0;             // tensors whose expressions differ
  std::optional<Difference> first; // the first wrong tensor in the order of computation
  std::string undecided;           // a tensor that differs, but no bound of its rounding error is known
};

class MeaningComparer {
public:
  // `known`: tensors whose elements are known, as PassCheckOptions has them. Both must outlive the comparer.
  MeaningComparer(const TensorMap &known, ModelRunner &runner, ModelRunner::Arithmetic arithmetic)
      : known(known), runner(runner), arithmetic(arithmetic) {}

  // Names of the tensors that both functions compute, by different expressions.
  std::set<std::string> changedTensors(mlir::func::FuncOp before, mlir::func::FuncOp after) const;
  // Computes the changed tensors from the known ones. Returns an error if a module cannot be run.
  Result<Comparison> compare(mlir::func::FuncOp before, mlir::func::FuncOp after) const;
  // Computes values of a function from known tensors.
  Result<std::vector<Tensor>> valuesOf(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Value> values) const;

private:
  struct Part;
  struct Computed;
  bool isKnown(llvm::StringRef name) const { return known.find(std::string_view(name)) != nullptr; }
  Expressions expressionsOf(mlir::func::FuncOp function) const {
    return Expressions(function, [this](llvm::StringRef name) { return isKnown(name); });
  }
  Result<Part> partOf(const Expressions &expressions, llvm::ArrayRef<mlir::Value> values) const;
  Result<Computed> compute(const Part &part, size_t values) const;
  Result<Tensor> operandOf(const graph::TensorOrigin &tensor, mlir::Type type) const;

  const TensorMap &known;
  ModelRunner &runner;
  ModelRunner::Arithmetic arithmetic;
};

} // namespace tilerig::compiler
