// Injects a bug into one rewrite of a pass while the pass runs.
#pragma once

#include "compiler/Inject/Passes/InjectedPassBug.h"
#include "compiler/Inject/Passes/PassBugs.h"
#include "compiler/Passes/RewriteObservers.h"

#include <mlir/IR/IRMapping.h>
#include <mlir/IR/OwningOpRef.h>
#include <mlir/Pass/PassManager.h>

namespace tilerig::compiler {

// A place in which a bug can be injected: the first rewrite by one pass of the operation of one ONNX node.
struct PassBugSite {
  std::string pass, node;

  bool operator==(const PassBugSite &) const = default;
};

class PassBugInjector : RewriteObserver {
public:
  // Collects the sites of the bug, and changes nothing.
  PassBugInjector(RewriteObservers &observers, const PassBug &bug);
  // Injects the bug at the site; `draw` gives its parameters, and must outlive the injector.
  PassBugInjector(RewriteObservers &observers, const PassBug &bug, PassBugSite site, BugDraw &draw);
  ~PassBugInjector() override;

  // Lets the passes of the manager have the bug.
  void follow(mlir::PassManager &manager);
  // For a pass that runs again, on a copy, right after it ran for the first time: it has the bug if it had it
  // then.
  void followAgain(mlir::PassManager &manager);

  // Whether it collects the sites of the bug.
  bool isCollecting() const { return !wanted; }
  // One site for each ONNX node, in the order of the passes.
  const std::vector<PassBugSite> &sites() const { return found; }
  // Whether the bug is injected; else the reason why not.
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
  std::optional<BugDraw> drawAgain; // as `draw` was at first

  std::string pass;           // that runs now
  bool runsAgain = false;     // it runs on a copy
  bool isInjectedNow = false; // the pass that ran last on the module itself got the bug
  bool isDone = false;        // the bug is in the module itself
  bool isDoneAgain = false;   // and in the present copy
  bool announces = false;     // the pass has announced a rewrite
  std::string node;           // last ONNX node of the operation that is rewritten
  mlir::IRMapping copies;
  mlir::OwningOpRef<mlir::Operation *> copy;                 // of the function before the rewrite
  llvm::DenseMap<mlir::Operation *, llvm::hash_code> hashes; // of its operations
  std::vector<PassBugSite> found;
  std::optional<Error> failure;
};

// The result of injectIntoPass().
struct PassInjection {
  InjectedPassBug injected;
  Status compiled = success(); // whether the passes succeeded with the bug
};

// Runs the passes with an injector, which has to follow their managers.
using CompileWithInjector = std::function<Status(PassBugInjector &injector)>;

// Injects a bug into a pass of a compilation. `compile` is called once to collect the sites of the bug, then with
// the bug at one site after the other, in an order drawn from the seed, until the bug is possible at a site.
Result<PassInjection> injectIntoPass(const BugChoice &choice, uint64_t seed, RewriteObservers &observers,
                                     const CompileWithInjector &compile);

} // namespace tilerig::compiler
