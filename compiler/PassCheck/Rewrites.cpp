#include "compiler/PassCheck/Rewrites.h"

#include "compiler/Graph/IR/Origins.h"

namespace tilerig::compiler {

void RewriteRecorder::before(const RewriteAttempt &attempt) {
  current = {count++, attempt.pattern, attempt.operation->getName().getStringRef().str(),
             graph::nodeName(attempt.operation->getLoc())};
  fingerprint.emplace(attempt.function);
}

void RewriteRecorder::after(const RewriteAttempt &attempt) {
  if (*fingerprint != mlir::OperationFingerPrint(attempt.function))
    list.push_back(std::move(current));
}

std::vector<Rewrite> rewritesOf(const Rerun &pass, mlir::ModuleOp module, RewriteObservers &observers) {
  RewriteRecorder recorder(observers);
  return pass.on(module) ? recorder.rewrites() : std::vector<Rewrite>();
}

std::optional<size_t> firstWrongRewrite(llvm::ArrayRef<Rewrite> rewrites,
                                        llvm::function_ref<bool(size_t attempts)> isWrongAfter) {
  if (rewrites.empty() || isWrongAfter(0))
    return {};
  // The results of the module are right after the first `right` rewrites, and wrong after the first `wrong`
  // rewrites.
  size_t right = 0, wrong = rewrites.size();
  while (wrong - right > 1) {
    const size_t middle = (right + wrong) / 2;
    (isWrongAfter(rewrites[middle - 1].attempt + 1) ? wrong : right) = middle;
  }
  return wrong - 1;
}

} // namespace tilerig::compiler
