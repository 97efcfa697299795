// Follows a compilation pass by pass, and judges each pass that changed the module (PassCheck.h).
#pragma once

#include "compiler/Graph/Transforms/WidenFloats.h"
#include "compiler/PassCheck/QuantisedRanges.h"
#include "compiler/PassCheck/Reproduce.h"
#include "compiler/PassCheck/Rewrites.h"

#include <mlir/Pass/PassManager.h>

namespace tilerig::compiler {

class PassWatch {
public:
  // `prepareAgain` is called with the pass managers that run a pass again, on a copy. All arguments must
  // outlive this object.
  PassWatch(const PassCheckOptions &options, RewriteObservers &observers,
            std::function<void(mlir::PassManager &)> prepareAgain = {})
      : options(options), observers(observers), prepareAgain(std::move(prepareAgain)),
        known(options.original) {}

  // Judges the passes that the manager will run. This object must outlive the manager.
  void follow(mlir::PassManager &manager);
  // From now on, every bit counts.
  void compareExactly() { arithmetic = ModelRunner::Arithmetic::device; }
  // From now on, passes that run again are not prepared.
  void stopPreparing() { prepareAgain = {}; }
  // Judges the types that decide-precision gives to tensors by the ranges in this table, which it has filled
  // when it ends. The table must outlive this object.
  void judgeRanges(const CalibrationTable &table) { ranges = &table; }
  const PassCheckResult &result() const { return judged; }

private:
  class Instrumentation;
  // A pass that has begun.
  struct Begun {
    std::string name;
    Rerun again;
    mlir::OwningOpRef<mlir::ModuleOp> before;
    size_t ranBefore;
  };
  // What shows that a pass is wrong: a module, and the tensor that the pass computes wrongly from it.
  struct Proof {
    mlir::OwningOpRef<mlir::ModuleOp> before, after;
    Difference difference;
  };

  void begin(mlir::Pass &pass, mlir::Operation *operation);
  void end(mlir::Operation *operation);
  void drop() { running.pop_back(); }
  void judge(Begun &pass, mlir::ModuleOp after);
  void judgeTypes(Begun &pass, mlir::ModuleOp after);
  Result<std::optional<Proof>> findProof(Begun &pass, mlir::ModuleOp after);
  Result<std::optional<Proof>> compare(const Begun &pass, mlir::ModuleOp before, mlir::ModuleOp after);
  void skip(const Begun &pass, std::string reason);
  void blame(const Begun &pass, Proof proof);
  std::optional<Rewrite> firstWrong(const Begun &pass, Proof &proof, size_t &number);
  MeaningComparer comparer() const { return {known, *options.runner, arithmetic}; }

  const PassCheckOptions &options;
  RewriteObservers &observers;
  std::function<void(mlir::PassManager &)> prepareAgain;
  KnownTensors known;
  PassCheckResult judged;
  std::vector<Begun> running; // outermost first
  // Before precisions are decided, passes are judged in doubles; afterwards every bit counts.
  ModelRunner::Arithmetic arithmetic = ModelRunner::Arithmetic::doubles;
  const CalibrationTable *ranges = nullptr;
  WidenedConstants widened;
};

} // namespace tilerig::compiler
