// Observers of the rewrites that passes make, for example to count them, to stop after some of them, or to
// inject a bug into one. A context has at most one list of observers.
#pragma once

#include <mlir/IR/MLIRContext.h>
#include <mlir/IR/Operation.h>
#include <string>
#include <vector>

namespace tilerig::compiler {

// An attempt of a pass to rewrite an operation. A pattern may find that it does not match: then the attempt
// changes nothing.
struct RewriteAttempt {
  std::string pattern;        // name of the rewrite pattern, or name that the pass gives to the rewrite
  mlir::Operation *operation; // the operation that the pattern matches
  mlir::Operation *function;  // the function that contains `operation`
};

class RewriteObserver {
public:
  virtual ~RewriteObserver() = default;
  // Returns whether the pass may rewrite the operation.
  virtual bool allows() { return true; }
  virtual void before(const RewriteAttempt &attempt) { (void)attempt; }
  // Called after the attempt. Its `operation` may have been erased by then, but its `function` still exists.
  virtual void after(const RewriteAttempt &attempt) { (void)attempt; }
};

class RewriteObservers {
public:
  explicit RewriteObservers(mlir::MLIRContext &context);
  ~RewriteObservers();
  RewriteObservers(const RewriteObservers &) = delete;
  RewriteObservers &operator=(const RewriteObservers &) = delete;

  void add(RewriteObserver &observer) { list.push_back(&observer); }
  void remove(RewriteObserver &observer) { std::erase(list, &observer); }

private:
  void handle(llvm::function_ref<void()> rewrite, const mlir::tracing::Action &action);

  mlir::MLIRContext &context;
  std::vector<RewriteObserver *> list;
};

} // namespace tilerig::compiler
