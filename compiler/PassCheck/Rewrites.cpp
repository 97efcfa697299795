#include "compiler/PassCheck/Rewrites.h"

#include "compiler/Dialect/Graph/Origins.h"

#include <llvm/Support/raw_ostream.h>
#include <mlir/IR/Action.h>
#include <mlir/IR/OperationSupport.h>
#include <mlir/IR/Unit.h>
#include <mlir/Rewrite/PatternApplicator.h>

namespace tilerig::compiler {

namespace {

mlir::Operation *operationOf(const mlir::tracing::Action &action) {
  const auto units = action.getContextIRUnits();
  return units.empty() ? nullptr : llvm::dyn_cast<mlir::Operation *>(units.front());
}

// The name of a pattern without its namespaces: "Silu" for "`apply-pattern pattern: tilerig::(anonymous
// namespace)::Silu".
std::string patternOf(const mlir::tracing::Action &action) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  action.print(stream);
  llvm::StringRef name = llvm::StringRef(text).split("pattern: ").second;
  const llvm::StringRef plain = name.take_until([](char letter) { return letter == '<'; });
  name = name.drop_front(plain.rfind("::") == llvm::StringRef::npos ? 0 : plain.rfind("::") + 2);
  return name.str();
}

bool isRewrite(const mlir::tracing::Action &action) {
  return llvm::isa<mlir::ApplyPatternAction>(action);
}

} // namespace

RewriteLimit::RewriteLimit(mlir::MLIRContext &context, size_t limit) : context(context), limit(limit) {
  context.registerActionHandler(
      [this](llvm::function_ref<void()> apply, const mlir::tracing::Action &action) { handle(apply, action); });
}

RewriteLimit::~RewriteLimit() { context.registerActionHandler({}); }

void RewriteLimit::handle(llvm::function_ref<void()> apply, const mlir::tracing::Action &action) {
  if (!isRewrite(action))
    return apply();
  const size_t attempt = count++;
  if (attempt >= limit)
    return;
  mlir::Operation *const operation = operationOf(action);
  mlir::Operation *const function = operation ? operation->getParentOp() : nullptr;
  if (!isRecording || !function)
    return apply();
  Rewrite rewrite{attempt, patternOf(action), operation->getName().getStringRef().str(),
                  graph::nodeName(operation->getLoc())};
  const mlir::OperationFingerPrint before(function);
  apply();
  if (before != mlir::OperationFingerPrint(function))
    list.push_back(std::move(rewrite));
}

} // namespace tilerig::compiler
