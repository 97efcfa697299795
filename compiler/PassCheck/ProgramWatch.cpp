#include "compiler/PassCheck/ProgramWatch.h"

#include "compiler/PassCheck/Rerun.h"
#include "compiler/Tile/IR/Tile.h"

#include <mlir/Pass/PassInstrumentation.h>

namespace tilerig::compiler {

// A pass that is running. MLIR's fingerprint of the module tells whether the pass changes the module.
struct ProgramWatch::Begun {
  std::string name;
  Rerun again;
  mlir::OwningOpRef<mlir::ModuleOp> before;
  mlir::OperationFingerPrint fingerprint;
};

class ProgramWatch::Instrumentation : public mlir::PassInstrumentation {
public:
  explicit Instrumentation(ProgramWatch &watch) : watch(watch) {}

private:
  void runBeforePass(mlir::Pass *pass, mlir::Operation *operation) override {
    if (isAdaptor(*pass))
      return;
    mlir::ModuleOp module = moduleOf(operation);
    begun.push_back({nameOf(*pass),
                     {pipelineOf(*pass, operation), {}},
                     module.clone(),
                     mlir::OperationFingerPrint(module)});
  }
  void runAfterPass(mlir::Pass *pass, mlir::Operation *operation) override {
    if (isAdaptor(*pass))
      return;
    const Begun ended = std::move(begun.back());
    begun.pop_back();
    ++watch.judged.ran;
    mlir::ModuleOp module = moduleOf(operation);
    if (!watch.judged.firstWrong && ended.fingerprint != mlir::OperationFingerPrint(module))
      watch.judge(ended, module);
  }
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *) override {
    if (!isAdaptor(*pass))
      begun.pop_back();
  }

  ProgramWatch &watch;
  std::vector<Begun> begun; // outermost first
};

namespace {

bool hasTasks(mlir::ModuleOp module) {
  return module.walk([](tile::SequenceOp) { return mlir::WalkResult::interrupt(); }).wasInterrupted();
}

} // namespace

void ProgramWatch::follow(mlir::PassManager &manager) {
  manager.addInstrumentation(std::make_unique<Instrumentation>(*this));
}

// Compares the results of the program before and after a pass, except after the pass that lowers tasks to
// instructions: `tilerig check` later compares the results of the instructions with those of the layers.
void ProgramWatch::judge(const Begun &pass, mlir::ModuleOp after) {
  if (hasTasks(*pass.before) && !hasTasks(after))
    return;
  auto difference = comparePrograms(*pass.before, after, runner);
  if (!difference) {
    judged.skipped.push_back({pass.name, judged.ran - 1, difference.error().message()});
    return;
  }
  ++judged.checked;
  if (*difference)
    blame(pass, std::move(**difference));
}

void ProgramWatch::blame(const Begun &pass, ProgramDifference difference) {
  WrongPass wrong;
  wrong.pass = pass.name;
  wrong.index = judged.ran - 1;
  const std::vector<Rewrite> rewrites = rewritesOf(pass.again, *pass.before, observers);
  const auto isWrongAfter = [&](size_t attempts) {
    const RewriteLimit limit(observers, attempts);
    const mlir::OwningOpRef<mlir::ModuleOp> module = pass.again.on(*pass.before);
    if (!module)
      return false;
    auto found = comparePrograms(*pass.before, *module, runner);
    if (!found || !*found)
      return false;
    difference = std::move(**found);
    return true;
  };
  wrong.rewrite = firstWrongRewrite(rewrites, isWrongAfter);
  wrong.operation = wrong.rewrite ? rewrites[*wrong.rewrite].operation : difference.kind;
  wrong.onnxNode = wrong.rewrite ? rewrites[*wrong.rewrite].node : difference.node;
  if (wrong.rewrite)
    wrong.pattern = rewrites[*wrong.rewrite].pattern;
  wrong.tensor = difference.tensor;
  wrong.maxAbs = difference.maxAbs;
  wrong.contradiction = difference.contradiction;
  wrong.values = std::move(difference.values);
  judged.firstWrong = std::move(wrong);
}

} // namespace tilerig::compiler
