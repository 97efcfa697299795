// Observes and limits the rewrites of passes, as MLIR's action framework announces them: each application of
// a rewrite pattern, and each rewrite that a pass without patterns announces (announceRewrite).
#pragma once

#include <functional>
#include <mlir/IR/MLIRContext.h>
#include <mlir/IR/Operation.h>
#include <string>
#include <vector>

namespace tilerig::compiler {

// A rewrite that changed the module.
struct Rewrite {
  size_t attempt = 0;    // number among all attempts to apply a pattern, counted from 0
  std::string pattern;   // name of the pattern or of the step
  std::string operation; // the operation to which the pattern was applied, as "graph.mul"
  std::string node;      // last ONNX node of that operation
};

// While it exists, counts the attempts to rewrite in its context, and suppresses those from `limit` on.
class RewriteLimit {
public:
  explicit RewriteLimit(mlir::MLIRContext &context, size_t limit = SIZE_MAX);
  ~RewriteLimit();
  RewriteLimit(const RewriteLimit &) = delete;
  RewriteLimit &operator=(const RewriteLimit &) = delete;

  // Also records which attempts change the function in which they are made.
  void record() { isRecording = true; }
  const std::vector<Rewrite> &rewrites() const { return list; }

private:
  void handle(llvm::function_ref<void()> apply, const mlir::tracing::Action &action);

  mlir::MLIRContext &context;
  size_t limit, count = 0;
  bool isRecording = false;
  std::vector<Rewrite> list;
};

} // namespace tilerig::compiler
