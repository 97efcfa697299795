#include "compiler/Passes/ApplyPatterns.h"

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Passes/Remarks.h"
#include "compiler/Passes/RewriteAction.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>
#include <regex>

namespace tilerig::compiler {

namespace {

// The name of a pattern class without namespaces: "IntoBias<AddOp>" for "tilerig::(anonymous
// namespace)::IntoBias<tilerig::compiler::graph::AddOp>".
std::string shortName(llvm::StringRef debugName) {
  static const std::regex scope(R"((\w+|\(anonymous namespace\)|\{anonymous\})::)");
  return std::regex_replace(patternName(debugName), scope, "");
}

// Observes each application of a rewrite pattern from its beginning to its end, and emits a remark about it.
class RewriteReporter : public mlir::RewriterBase::Listener {
public:
  RewriteReporter(llvm::StringRef pass, mlir::MLIRContext *context)
      : pass(pass), running{{}, nullptr, mlir::UnknownLoc::get(context), {}} {}

private:
  using Listener::notifyOperationReplaced;

  void notifyPatternBegin(const mlir::Pattern &pattern, mlir::Operation *operation) override {
    running = {shortName(pattern.getDebugName()), operation, operation->getLoc(),
               operation->getName().getStringRef().str()};
  }
  void notifyOperationInserted(mlir::Operation *operation, mlir::OpBuilder::InsertPoint) override {
    running.inserted.insert(operation);
  }
  void notifyOperationModified(mlir::Operation *operation) override { running.modified.insert(operation); }
  void notifyOperationReplaced(mlir::Operation *operation, mlir::ValueRange values) override {
    if (operation == running.root && !values.empty())
      running.replacement = values.front().getDefiningOp();
  }
  void notifyOperationErased(mlir::Operation *operation) override {
    if (operation == running.replacement)
      running.replacement = nullptr;
    running.inserted.erase(operation);
    running.modified.erase(operation);
  }
  void notifyPatternEnd(const mlir::Pattern &, mlir::LogicalResult status) override {
    if (mlir::succeeded(status))
      mlir::remark::passed(running.location, remarkOf(pass, running.pattern))
          << mlir::remark::add("{0}", textOf(running));
  }
  void notifyMatchFailure(mlir::Location location,
                          llvm::function_ref<void(mlir::Diagnostic &)> addReason) override {
    mlir::Diagnostic reason(location, mlir::DiagnosticSeverity::Remark);
    addReason(reason);
    mlir::remark::missed(location, remarkOf(pass, running.pattern)) << reason.str();
  }

  struct Running {
    std::string pattern;
    mlir::Operation *root = nullptr; // the operation that the pattern matches
    mlir::Location location;
    std::string rootName;
    mlir::Operation *replacement = nullptr;
    llvm::DenseSet<mlir::Operation *> inserted{}, modified{};
  };

  // The text of a remark about a rewrite: "graph.mul becomes graph.silu, which computes sigmoid1, mul1".
  static std::string textOf(const Running &done) {
    mlir::Operation *const result = done.replacement;
    if (!result && done.modified.contains(done.root))
      return done.rootName + " is changed" + nodesOf(done.root);
    const bool isNew = result && done.inserted.contains(result);
    if (!isNew && !done.modified.contains(result))
      return done.rootName + " is removed";
    return fmt::format("{} {} {}{}", done.rootName, isNew ? "becomes" : "is merged into",
                       result->getName().getStringRef().str(), nodesOf(result));
  }

  // The names of the model's nodes that an operation computes, if there are several.
  static std::string nodesOf(mlir::Operation *operation) {
    const auto nodes = graph::nodeNames(operation->getLoc());
    return nodes.size() < 2 ? "" : fmt::format(", which computes {}", fmt::join(nodes, ", "));
  }

  llvm::StringRef pass;
  Running running;
};

} // namespace

mlir::LogicalResult applyPatterns(llvm::StringRef pass, mlir::Operation *operation,
                                  mlir::RewritePatternSet patterns) {
  RewriteReporter reporter(pass, operation->getContext());
  mlir::GreedyRewriteConfig config;
  if (operation->getContext()->getRemarkEngine())
    config.setListener(&reporter);
  return mlir::applyPatternsGreedily(operation, std::move(patterns), config);
}

} // namespace tilerig::compiler
