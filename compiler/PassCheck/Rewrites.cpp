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

} // namespace tilerig::compiler
