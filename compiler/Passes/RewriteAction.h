// Announces the rewrites of passes that have no rewrite patterns, by MLIR's action framework. MLIR's pattern
// driver announces the patterns that it applies (mlir::ApplyPatternAction).
#pragma once

#include <mlir/IR/Action.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/IR/Operation.h>
#include <mlir/IR/Unit.h>
#include <string>

namespace tilerig::compiler {

class RewriteAction : public mlir::tracing::ActionImpl<RewriteAction> {
public:
  static constexpr llvm::StringLiteral tag = "tilerig-rewrite";

  RewriteAction(llvm::ArrayRef<mlir::IRUnit> units, llvm::StringRef name)
      : ActionImpl(units), rewriteName(name) {}
  llvm::StringRef name() const { return rewriteName; }
  void print(llvm::raw_ostream &stream) const override { stream << rewriteName; }

private:
  llvm::StringRef rewriteName;
};

// Calls the function `rewrite`, which changes or replaces `operation`. If an observer of rewrites in the MLIR
// context prevents the rewrite, does not call the function, and the operation must stay unchanged.
inline void announceRewrite(mlir::Operation *operation, llvm::StringRef name,
                            llvm::function_ref<void()> rewrite) {
  operation->getContext()->executeAction<RewriteAction>(rewrite, {operation}, name);
}

// The name of a pattern without its namespaces: "Silu" for "tilerig::(anonymous namespace)::Silu".
std::string patternName(llvm::StringRef debugName);

} // namespace tilerig::compiler
