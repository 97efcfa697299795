// Compares what two modules compute, before and after a pass.
#pragma once

#include "compiler/PassCheck/ComputedModel.h"
#include "compiler/PassCheck/KnownTensors.h"

#include <set>

namespace tilerig::compiler {

// A tensor that two modules compute differently.
struct Difference {
  std::string tensor;
  double maxAbs = 0, bound = 0;
  mlir::Value before, after;         // the values that hold the tensor
  Tensor expected = {}, actual = {}; // in the order of axes of the model
  // Why the tensor cannot be computed after the pass: the module contradicts itself. Empty if it can; else
  // `actual` is missing.
  std::string contradiction = {};
};

struct Comparison {
  size_t firstIndex = 0;           // number of the first wrong tensor among the compared ones
  size_t compared = 0;             // tensors whose expressions differ
  std::optional<Difference> first; // the first wrong tensor in the order of computation
  std::string undecided;           // why a tensor that differs could not be judged; empty if there is none
};

class MeaningComparer {
public:
  // Both must outlive the comparer.
  MeaningComparer(const KnownTensors &known, ModelRunner &runner, ModelRunner::Arithmetic arithmetic)
      : known(known), runner(runner), arithmetic(arithmetic) {}

  // Names of the tensors that both functions compute, by different expressions.
  std::set<std::string> changedTensors(mlir::func::FuncOp before, mlir::func::FuncOp after) const;
  // Computes the changed tensors from the known ones. Returns an error if a module cannot be run.
  Result<Comparison> compare(mlir::func::FuncOp before, mlir::func::FuncOp after) const;
  // Computes values of a function from known tensors.
  Result<std::vector<Tensor>> valuesOf(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Value> values) const;

private:
  using Names = std::set<std::string>;
  struct Part;
  struct Computed;
  struct Pair;
  // Expressions end at known tensors that both functions have: a function from which a pass removed a tensor
  // computes the tensor's readers from other tensors, which the other function has to do as well.
  Expressions expressionsOf(mlir::func::FuncOp function, mlir::func::FuncOp other) const;
  static std::vector<Pair> changedValues(const Expressions &before, const Expressions &after);
  Result<Part> partOf(const Expressions &expressions, llvm::ArrayRef<mlir::Value> values,
                      const Names &expanded) const;
  Result<Computed> compute(Part part, size_t values) const;
  Result<Tensor> operandOf(const graph::TensorOrigin &tensor, mlir::Type type) const;
  // Compares values whose expressions end at the same tensors. If a module contradicts itself after the pass, the
  // first value that cannot be computed is wrong.
  Status compareValues(const Expressions &before, const Expressions &after, llvm::ArrayRef<Pair> pairs,
                       const Names &expanded, Comparison &comparison) const;
  Status compareContradiction(const Expressions &before, const Expressions &after, llvm::ArrayRef<Pair> pairs,
                              const Names &expanded, const Error &error, Comparison &comparison) const;
  // The bound of the difference of a result, and the operator for which none is known.
  std::pair<double, std::string> boundOf(const ComputedModel &before, const ComputedModel &after,
                                         size_t result) const;

  const KnownTensors &known;
  ModelRunner &runner;
  ModelRunner::Arithmetic arithmetic;
};

} // namespace tilerig::compiler
