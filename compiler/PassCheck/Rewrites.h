// Records the rewrites that a pass makes, and limits their number.
#pragma once

#include "compiler/PassCheck/Rerun.h"
#include "compiler/Passes/RewriteObservers.h"

#include <mlir/IR/OperationSupport.h>
#include <optional>

namespace tilerig::compiler {

struct Rewrite {
  size_t attempt = 0;    // index of the rewrite among the pass's attempts to apply rewrite patterns
  std::string pattern;   // name of the rewrite pattern
  std::string operation; // the operation that it matched, as "graph.mul"
  std::string node;      // last ONNX node from which the matched operation was made
};

// While an object of this class exists, only the first `limit` attempts of a pass to apply a rewrite pattern
// are allowed.
class RewriteLimit : public RewriteObserver {
public:
  RewriteLimit(RewriteObservers &observers, size_t limit) : observers(observers), limit(limit) {
    observers.add(*this);
  }
  ~RewriteLimit() override { observers.remove(*this); }

private:
  bool allows() override { return count++ < limit; }

  RewriteObservers &observers;
  size_t limit, count = 0;
};

// While an object of this class exists, it records every rewrite of a pass that changes the function.
class RewriteRecorder : public RewriteObserver {
public:
  explicit RewriteRecorder(RewriteObservers &observers) : observers(observers) { observers.add(*this); }
  ~RewriteRecorder() override { observers.remove(*this); }
  const std::vector<Rewrite> &rewrites() const { return list; }

private:
  void before(const RewriteAttempt &attempt) override;
  void after(const RewriteAttempt &attempt) override;

  RewriteObservers &observers;
  size_t count = 0;
  Rewrite current;
  std::optional<mlir::OperationFingerPrint> fingerprint;
  std::vector<Rewrite> list;
};

// Repeats the pass on a copy of the module, and returns the rewrites that the pass made.
std::vector<Rewrite> rewritesOf(const Rerun &pass, mlir::ModuleOp module, RewriteObservers &observers);

// Finds by bisection the first rewrite after which the module's results are wrong, and returns its index in
// `rewrites`. isWrongAfter(n) tells whether the results are wrong after the first n attempts to apply a
// rewrite pattern. Returns nullopt if the results are wrong even without reported rewrites.
std::optional<size_t> firstWrongRewrite(llvm::ArrayRef<Rewrite> rewrites,
                                        llvm::function_ref<bool(size_t attempts)> isWrongAfter);

} // namespace tilerig::compiler
