// Compares the tensors that a module computes before a pass with those that it computes after the pass.
#pragma once

#include "compiler/PassCheck/ComputedModel.h"
#include "compiler/PassCheck/KnownTensors.h"

#include <set>

namespace tilerig::compiler {

// A tensor that differs between the module before a pass and the module after it.
struct Difference {
  std::string tensor;
  double maxAbs = 0, bound = 0;
  mlir::Value before, after;         // the MLIR values that hold the tensor in each module
  Tensor expected = {}, actual = {}; // elements of the tensor in each module, in the model's order of axes
  // Why the module after the pass cannot be run to compute the tensor: it contradicts itself, for example in
  // its shapes. `actual` is then missing. Empty if the module can be run.
  std::string contradiction = {};
};

struct Comparison {
  size_t firstIndex = 0;           // index of the first wrong tensor among the compared tensors
  size_t compared = 0;             // number of tensors whose expressions the pass changed
  std::optional<Difference> first; // the first wrong tensor in the order of computation
  std::string undecided;           // why a tensor could not be compared; empty if all were compared
};

class MeaningComparer {
public:
  MeaningComparer(const KnownTensors &known, ModelRunner &runner, ModelRunner::Arithmetic arithmetic)
      : known(known), runner(runner), arithmetic(arithmetic) {}

  // Names of the tensors that the two functions compute by different expressions.
  std::set<std::string> changedTensors(mlir::func::FuncOp before, mlir::func::FuncOp after) const;
  // Computes the changed tensors of both functions from known tensors (those of the original model), and
  // compares them. Returns an error if a function cannot be run.
  Result<Comparison> compare(mlir::func::FuncOp before, mlir::func::FuncOp after) const;
  // Returns the tensors that some values of a function hold, computed from known tensors (those of the
  // original model).
  Result<std::vector<Tensor>> valuesOf(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Value> values) const;

private:
  using Names = std::set<std::string>;
  struct Part;
  struct Computed;
  struct Pair;
  // The expressions of the values of `function`. They read a tensor of the original model only if the
  // function `other` has the tensor as well. If a pass removed the tensor from one of the functions, both
  // functions compute its readers from earlier tensors.
  Expressions expressionsOf(mlir::func::FuncOp function, mlir::func::FuncOp other) const;
  static std::vector<Pair> changedValues(const Expressions &before, const Expressions &after);
  Result<Part> partOf(const Expressions &expressions, llvm::ArrayRef<mlir::Value> values,
                      const Names &expanded) const;
  Result<Computed> compute(Part part, size_t values) const;
  Result<Tensor> operandOf(const graph::TensorOrigin &tensor, mlir::Type type) const;
  // Compares the values of `pairs` before and after the pass. Their expressions compute the tensors of
  // `expanded`, although elements of these tensors are known from the original model. If the module after the
  // pass contradicts itself, the first value that cannot be computed counts as wrong.
  Status compareValues(const Expressions &before, const Expressions &after, llvm::ArrayRef<Pair> pairs,
                       const Names &expanded, Comparison &comparison) const;
  Status compareContradiction(const Expressions &before, const Expressions &after, llvm::ArrayRef<Pair> pairs,
                              const Names &expanded, const Error &error, Comparison &comparison) const;
  // The largest difference, explained by rounding alone, between the results of the models before and after
  // the pass. The difference is infinite if no error bound is known for an operator, which the string then
  // names.
  std::pair<double, std::string> boundOf(const ComputedModel &before, const ComputedModel &after,
                                         size_t result) const;

  const KnownTensors &known;
  ModelRunner &runner;
  ModelRunner::Arithmetic arithmetic;
};

} // namespace tilerig::compiler
