#include "compiler/Passes/RewriteObservers.h"

#include "compiler/Passes/RewriteAction.h"

#include <llvm/Support/raw_ostream.h>
#include <mlir/Rewrite/PatternApplicator.h>

namespace tilerig::compiler {

namespace {

bool isRewrite(const mlir::tracing::Action &action) {
  return llvm::isa<mlir::ApplyPatternAction, RewriteAction>(action);
}

// The name of the pattern in MLIR's description of an action, such as "`apply-pattern pattern:
// tilerig::(anonymous namespace)::Silu".
std::string patternOf(const mlir::tracing::Action &action) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  action.print(stream);
  const auto [front, behind] = llvm::StringRef(text).split("pattern: ");
  return patternName(behind.empty() ? front : behind);
}

// The function (or other isolated operation) that contains an operation; for a function, the function itself.
mlir::Operation *functionOf(mlir::Operation *operation) {
  while (operation && !operation->hasTrait<mlir::OpTrait::IsIsolatedFromAbove>())
    operation = operation->getParentOp();
  return operation;
}

} // namespace

std::string patternName(llvm::StringRef debugName) {
  const size_t colons = debugName.take_until([](char letter) { return letter == '<'; }).rfind("::");
  return debugName.drop_front(colons == llvm::StringRef::npos ? 0 : colons + 2).str();
}

RewriteObservers::RewriteObservers(mlir::MLIRContext &context) : context(context) {
  context.registerActionHandler([this](llvm::function_ref<void()> rewrite,
                                       const mlir::tracing::Action &action) { handle(rewrite, action); });
}

RewriteObservers::~RewriteObservers() { context.registerActionHandler({}); }

void RewriteObservers::handle(llvm::function_ref<void()> rewrite, const mlir::tracing::Action &action) {
  const auto units = action.getContextIRUnits();
  auto *const operation = units.empty() ? nullptr : llvm::dyn_cast<mlir::Operation *>(units.front());
  if (list.empty() || !isRewrite(action) || !operation)
    return rewrite();
  if (!llvm::all_of(list, [](RewriteObserver *observer) { return observer->allows(); }))
    return;
  const RewriteAttempt attempt{patternOf(action), operation, functionOf(operation)};
  for (RewriteObserver *observer : list)
    observer->before(attempt);
  rewrite();
  for (RewriteObserver *observer : list)
    observer->after(attempt);
}

} // namespace tilerig::compiler
