// Injects a bug into one rewrite of a pass while the pass runs.
#pragma once

#include "compiler/Inject/Passes/InjectedPassBug.h"
#include "compiler/Inject/Passes/PassBugs.h"
#include "compiler/Passes/RewriteObservers.h"

#include <mlir/IR/IRMapping.h>
#include <mlir/IR/OwningOpRef.h>
#include <mlir/Pass/PassManager.h>

namespace tilerig::compiler {

// A place at which a bug can be injected: the first rewrite by the pass `pass` of an operation that was made
// from the ONNX node `node`.
struct PassBugSite {
  std::string pass, node;

  bool operator==(const PassBugSite &) const = default;
};

class PassBugInjector : RewriteObserver {
public:
  // Creates an injector that only collects the places (sites) at which the bug could be injected, and changes
  // nothing.
  PassBugInjector(RewriteObservers &observers, const PassBug &bug);
  // Creates an injector that injects the bug at the place `site`. `draw` chooses the bug's parameters, and
  // must outlive the injector.
  PassBugInjector(RewriteObservers &observers, const PassBug &bug, PassBugSite site, BugDraw &draw);
  ~PassBugInjector() override;

  // Observes the passes that the manager runs, and injects the bug into them.
  void follow(mlir::PassManager &manager);
  // Observes another pass manager, which runs the latest pass again on a copy of the module. If the bug was
  // injected into this pass, it is injected into the second run, too.
  void followAgain(mlir::PassManager &manager);

  // Whether the injector only collects the places (sites) at which the bug could be injected.
  bool isCollecting() const { return !wanted; }
  // The places (sites) at which the bug could be injected: one for each ONNX node, in the order of the
  // passes.
  const std::vector<PassBugSite> &sites() const { return found; }
  // Text of the bug with its drawn parameters and its ONNX node (isa/Bugs/Choice.h), if the latest pass on the
  // module itself has the bug; else empty.
  std::string textIfInjectedNow() const;
  // Success if the bug was injected; otherwise an error with the reason why it was not.
  Status outcome() const;

private:
  class Instrumentation;

  void beginPass(llvm::StringRef pass, mlir::Operation *operation, bool isAgain);
  void endPass(mlir::Operation *operation);
  void before(const RewriteAttempt &attempt) override;
  void after(const RewriteAttempt &attempt) override;
  bool isConcerned() const;
  void snapshot(mlir::Operation *function);
  void offer(mlir::Operation *function, mlir::Operation *matched, const std::string &node);
  void offer(const RewriteView &rewrite, std::string node);

  RewriteObservers &observers;
  const PassBug &bug;
  std::optional<PassBugSite> wanted;
  BugDraw *draw = nullptr;
  // copy of the random generator before the bug's parameters were drawn, so that repetitions of the pass draw
  // them again
  std::optional<BugDraw> drawAgain;

  std::string pass;           // name of the pass that is running
  bool runsAgain = false;     // whether the running pass is a repetition on a copy of the module
  bool isInjectedNow = false; // whether the bug was injected into the latest pass on the module itself
  bool isDone = false;        // whether the module itself (not a copy) contains the bug
  bool isDoneAgain = false;   // whether the current copy of the module contains the bug
  bool announces = false;     // whether the running pass has reported a rewrite
  // whether the bug is in a rewrite that the pass reported, not in the pass as a whole
  bool isInRewrite = false;
  // ONNX node of the operation that is being rewritten; of several nodes, the last
  std::string node;
  mlir::IRMapping copies;
  mlir::OwningOpRef<mlir::Operation *> copy;                 // copy of the function before a rewrite
  llvm::DenseMap<mlir::Operation *, llvm::hash_code> hashes; // hash of each operation before a rewrite
  std::vector<PassBugSite> found;
  std::optional<Error> failure;
};

// The result of injectIntoPass(), a compilation with an injected bug.
struct PassInjection {
  InjectedPassBug injected;
  Status compiled = success(); // success if all passes succeeded; they may fail because of the bug
};

// Runs all passes of a compilation. Must call injector.follow() for each pass manager that it uses.
using CompileWithInjector = std::function<Status(PassBugInjector &injector)>;

// Injects a bug into a pass of a compilation. Calls `compile` once to collect the places (sites) at which the
// bug could be injected, then once per place, in an order drawn from the seed, until the injection succeeds.
Result<PassInjection> injectIntoPass(const BugChoice &choice, uint64_t seed, RewriteObservers &observers,
                                     const CompileWithInjector &compile);

} // namespace tilerig::compiler
