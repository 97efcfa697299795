// Follows a compilation pass by pass, and checks for each pass that changed the module whether the results
// are still the same (PassCheck.h).
#pragma once

#include "compiler/Graph/Transforms/WidenFloats.h"
#include "compiler/PassCheck/PrecisionDecisions.h"
#include "compiler/PassCheck/Reproduce.h"
#include "compiler/PassCheck/Rewrites.h"

#include <mlir/Pass/PassManager.h>

namespace tilerig::compiler {

// A bug that is injected into passes that PassWatch checks. Both functions may be empty.
struct WatchedBug {
  // Makes a pass manager that runs a pass again, on a copy of the module, inject the bug again.
  std::function<void(mlir::PassManager &)> prepareAgain = {};
  // Text of the bug (isa/Bugs/Choice.h) if the latest pass has it; else empty.
  std::function<std::string()> text = {};
};

class PassWatch {
public:
  // All arguments must outlive this object.
  PassWatch(const PassCheckOptions &options, RewriteObservers &observers, WatchedBug bug = {})
      : options(options), observers(observers), bug(std::move(bug)), known(options.original) {}

  // Checks the passes that the manager will run. This object must outlive the manager.
  void follow(mlir::PassManager &manager);
  // From the next pass on, compares tensors before and after a pass bit for bit, in the device's arithmetic.
  void compareExactly() { arithmetic = ModelRunner::Arithmetic::device; }
  // From now on, no bug is injected any more.
  void forgetBug() { bug = {}; }
  // Compares the ranges of the quantised types that decide-precision gives to tensors with the ranges in the
  // calibration table, which decide-precision fills. The table must outlive this object. Ranges that a module
  // states (StatedRanges.h) come before those of the table.
  void judgeRanges(const CalibrationTable &calibrated) { table = &calibrated; }
  const PassCheckResult &result() const { return judged; }

private:
  class Instrumentation;
  // State of a pass that is running.
  struct Begun {
    std::string name;
    Rerun again;
    mlir::OwningOpRef<mlir::ModuleOp> before;
    size_t ranBefore;
  };
  // Proof that a pass is wrong: a module before and after the pass, and a tensor that differs between them.
  struct Proof {
    mlir::OwningOpRef<mlir::ModuleOp> before, after;
    Difference difference;
  };

  void begin(mlir::Pass &pass, mlir::Operation *operation);
  void end(mlir::Operation *operation);
  void drop() { running.pop_back(); }
  void judge(Begun &pass, mlir::ModuleOp after);
  Status judgePrecision(Begun &pass, mlir::ModuleOp after);
  Result<std::optional<Proof>> findProof(Begun &pass, mlir::ModuleOp after);
  Result<std::optional<Proof>> compare(const Begun &pass, mlir::ModuleOp before, mlir::ModuleOp after);
  void skip(const Begun &pass, std::string reason);
  // The wrong pass, with the operations that compute the wrong value before and after it.
  WrongPass describe(const Begun &pass, mlir::Value before, mlir::Value after) const;
  void blame(const Begun &pass, Proof proof);
  void blameDecision(const Begun &pass, WrongDecision decision);
  void addReproducer(std::optional<Reproducer> reproducer, const Begun &pass, WrongPass &wrong);
  std::optional<Rewrite> firstWrong(const Begun &pass, Proof &proof, size_t &number);
  MeaningComparer comparer() const { return {known, *options.runner, arithmetic}; }

  const PassCheckOptions &options;
  RewriteObservers &observers;
  WatchedBug bug;
  KnownTensors known;
  PassCheckResult judged;
  std::vector<Begun> running; // outermost first
  // Passes before decide-precision are compared in doubles; later passes must keep every bit.
  ModelRunner::Arithmetic arithmetic = ModelRunner::Arithmetic::doubles;
  const CalibrationTable *table = nullptr;
  WidenedConstants widened;
};

} // namespace tilerig::compiler
