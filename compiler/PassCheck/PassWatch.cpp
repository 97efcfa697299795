#include "compiler/PassCheck/PassWatch.h"

#include "compiler/Export/Export.h"
#include "compiler/Layer/IR/Layer.h"
#include "compiler/Layer/Precision/StatedRanges.h"

#include <llvm/Support/raw_ostream.h>
#include <mlir/Pass/Pass.h>
#include <mlir/Pass/PassInstrumentation.h>

namespace tilerig::compiler {

namespace {

using Module = mlir::OwningOpRef<mlir::ModuleOp>;

// After the pass decide-precision, layers compute in the device's arithmetic. The errors from rounding that
// the pass itself causes are measured later for each layer, with the ONNX model that the compiler writes.
constexpr llvm::StringLiteral decision = "decide-precision";

mlir::func::FuncOp mainOf(mlir::ModuleOp module) { return module.lookupSymbol<mlir::func::FuncOp>("main"); }

bool isGraph(mlir::ModuleOp module) {
  return !module
              .walk([](mlir::Operation *operation) {
                return llvm::isa<layer::LayerDialect>(operation->getDialect()) ? mlir::WalkResult::interrupt()
                                                                               : mlir::WalkResult::advance();
              })
              .wasInterrupted();
}

std::string textOf(mlir::Value value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (mlir::Operation *const operation = value.getDefiningOp())
    operation->print(stream, mlir::OpPrintingFlags().elideLargeElementsAttrs().elideLargeResourceString());
  return text;
}

// What the pass decide-precision decided wrongly first. The function `before` states its ranges.
Result<std::optional<WrongDecision>> findWrongDecision(mlir::func::FuncOp before, mlir::func::FuncOp after) {
  TILERIG_TRY(const std::optional<Ranges> ranges, statedRanges(before));
  TILERIG_TRY(std::optional<WrongDecision> wrong, findWrongRange(before, after, ranges.value_or(Ranges())));
  return wrong ? wrong : findWrongBias(before, after);
}

// Guesses which operation was changed or replaced by a pass that announces no rewrites. `before` and `after`
// hold the wrong tensor before and after the pass. The guess is the operation that computes `before`, if that
// was made from another ONNX node than the operation that computes `after`. Otherwise it is the operation
// behind the first operand whose tensor has changed, or, if no operand has changed, the operation that
// computes `after`.
mlir::Operation *changedOperation(mlir::Value before, mlir::Value after) {
  mlir::Operation *const right = before.getDefiningOp(), *const wrong = after.getDefiningOp();
  if (!right || !wrong || graph::nodeNames(right->getLoc()) != graph::nodeNames(wrong->getLoc()))
    return right;
  const auto tensorOf = [](mlir::Value value) {
    const auto origin = graph::tensorOrigin(value);
    return origin ? origin->name : std::string();
  };
  for (const auto [operand, other] : llvm::zip(right->getOperands(), wrong->getOperands()))
    if (operand.getDefiningOp() && tensorOf(operand) != tensorOf(other))
      return operand.getDefiningOp();
  return wrong;
}

// Names of an operation, which may be null: the wrong value can be an argument of the function.
WrongOperation named(mlir::Operation *operation) {
  if (!operation)
    return {};
  return {operation->getName().getStringRef().str(), graph::nodeName(operation->getLoc())};
}

} // namespace

class PassWatch::Instrumentation : public mlir::PassInstrumentation {
public:
  explicit Instrumentation(PassWatch &watch) : watch(watch) {}

private:
  void runBeforePass(mlir::Pass *pass, mlir::Operation *operation) override {
    if (!isAdaptor(*pass))
      watch.begin(*pass, operation);
  }
  void runAfterPass(mlir::Pass *pass, mlir::Operation *operation) override {
    if (!isAdaptor(*pass))
      watch.end(operation);
  }
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *) override {
    if (!isAdaptor(*pass))
      watch.drop();
  }

  PassWatch &watch;
};

void PassWatch::follow(mlir::PassManager &manager) {
  manager.addInstrumentation(std::make_unique<Instrumentation>(*this));
}

void PassWatch::begin(mlir::Pass &pass, mlir::Operation *operation) {
  running.push_back(
      {nameOf(pass),
       {pipelineOf(pass, operation), bug.prepareAgain},
       options.decisionsOnly && nameOf(pass) != decision ? Module() : Module(moduleOf(operation).clone()),
       judged.ran});
}

void PassWatch::end(mlir::Operation *operation) {
  Begun pass = std::move(running.back());
  running.pop_back();
  if (judged.ran != pass.ranBefore)
    return; // the pass itself ran other passes, and each of these was checked
  ++judged.ran;
  if (pass.name == decision) {
    judged.precisionIndex = judged.ran - 1;
    arithmetic = ModelRunner::Arithmetic::device;
    if (!judged.firstWrong)
      if (const Status compared = judgePrecision(pass, moduleOf(operation)); !compared)
        skip(pass, compared.error().message());
  } else if (!judged.firstWrong && !options.decisionsOnly) {
    judge(pass, moduleOf(operation));
  }
}

void PassWatch::judge(Begun &pass, mlir::ModuleOp after) {
  if (comparer().changedTensors(mainOf(*pass.before), mainOf(after)).empty())
    return;
  if (arithmetic == ModelRunner::Arithmetic::device && !known.hasStored())
    if (const Status computed = known.computeStored(*pass.before, *options.runner); !computed)
      return skip(pass, computed.error().message());
  auto proof = findProof(pass, after);
  if (!proof)
    return skip(pass, proof.error().message());
  ++judged.checked;
  if (*proof)
    blame(pass, std::move(**proof));
}

Status PassWatch::judgePrecision(Begun &pass, mlir::ModuleOp after) {
  const Module before = pass.before->clone();
  TILERIG_TRY(std::optional<Ranges> stated, statedRanges(mainOf(*before)));
  if (!stated && (!table || table->tensors.empty()))
    return success();
  if (!stated) {
    TILERIG_TRY(const TensorNames names, exportedNames(*before));
    TILERIG_TRY(stated, rangesOf(names, *table));
    stateRanges(mainOf(*before), *stated);
  }
  TILERIG_TRY(const auto wrong, findWrongDecision(mainOf(*before), mainOf(after)));
  if (wrong)
    blameDecision(pass, *wrong);
  return success();
}

WrongPass PassWatch::describe(const Begun &pass, mlir::Value before, mlir::Value after) const {
  WrongPass wrong;
  wrong.pass = pass.name;
  wrong.index = judged.ran - 1;
  wrong.before = textOf(before);
  wrong.after = textOf(after);
  return wrong;
}

void PassWatch::blameDecision(const Begun &pass, WrongDecision decision) {
  const WrongOperation operation = named(decision.after.getDefiningOp());
  WrongPass wrong = describe(pass, decision.before, decision.after);
  wrong.operation = operation.operation;
  wrong.onnxNode = operation.onnxNode;
  wrong.tensor = decision.tensor;
  wrong.maxAbs = decision.excess;
  wrong.bound = decision.bound;
  if (options.decisionsOnly) {
    judged.firstWrong = std::move(wrong);
    return;
  }
  const auto judge = [](mlir::func::FuncOp before, mlir::func::FuncOp after, const TensorMap &) {
    const auto found = findWrongDecision(before, after);
    return found && *found ? std::optional(named((*found)->after.getDefiningOp())) : std::nullopt;
  };
  const MeaningComparer values(known, *options.runner, ModelRunner::Arithmetic::doubles);
  auto function = llvm::cast<mlir::func::FuncOp>(decision.before.getParentBlock()->getParentOp());
  addReproducer(reproduce(function, decision.before, pass.again, values, judge), pass, wrong);
  judged.firstWrong = std::move(wrong);
}

void PassWatch::addReproducer(std::optional<Reproducer> reproducer, const Begun &pass, WrongPass &wrong) {
  if (!reproducer)
    return;
  if (bug.text)
    noteInjectedBug(*reproducer->module, bug.text());
  wrong.reproducer = textOf(*reproducer, pass.again.pipeline);
  wrong.reproducerInputs = std::move(reproducer->inputs);
  wrong.reproducerOperations = reproducer->operations;
}

// Repeats the pass on a copy of the module with floats widened to doubles, so that rounding hides no error.
// The pass may change less there; values that it changed only in the module itself are compared without
// widening.
Result<std::optional<PassWatch::Proof>> PassWatch::findProof(Begun &pass, mlir::ModuleOp after) {
  mlir::ModuleOp before = *pass.before;
  if (!isGraph(before) || !isGraph(after))
    return compare(pass, before, after);
  Module wideBefore = before.clone();
  widenFloats(wideBefore.get(), widened);
  Module wideAfter = pass.again.on(wideBefore.get());
  if (!wideAfter)
    return compare(pass, before, after);
  TILERIG_TRY(std::optional<Proof> proof, compare(pass, wideBefore.get(), wideAfter.get()));
  if (proof)
    return proof;
  const auto changed = comparer().changedTensors(mainOf(before), mainOf(after));
  const auto judgedWide = comparer().changedTensors(mainOf(wideBefore.get()), mainOf(wideAfter.get()));
  return std::ranges::includes(judgedWide, changed) ? std::optional<Proof>() : compare(pass, before, after);
}

Result<std::optional<PassWatch::Proof>> PassWatch::compare(const Begun &pass, mlir::ModuleOp before,
                                                           mlir::ModuleOp after) {
  Proof proof{before.clone(), after.clone(), {}};
  TILERIG_TRY(Comparison comparison, comparer().compare(mainOf(*proof.before), mainOf(*proof.after)));
  if (!comparison.undecided.empty())
    skip(pass, comparison.undecided);
  if (!comparison.first)
    return std::optional<Proof>();
  proof.difference = *std::move(comparison.first);
  return std::optional<Proof>(std::move(proof));
}

// Lists a pass as one whose results could not be compared. Lists it only once, since a pass is compared
// several times (for example with only some of its rewrites).
void PassWatch::skip(const Begun &pass, std::string reason) {
  if (judged.skipped.empty() || judged.skipped.back().index != judged.ran - 1)
    judged.skipped.push_back({pass.name, judged.ran - 1, std::move(reason)});
}

// The first rewrite of the pass after which the module computes a wrong tensor. Replaces the modules in
// `proof` by modules before and after a run of the pass that stops behind this rewrite.
std::optional<Rewrite> PassWatch::firstWrong(const Begun &pass, Proof &proof, size_t &number) {
  const std::vector<Rewrite> rewrites = rewritesOf(pass.again, *proof.before, observers);
  const auto isWrongAfter = [&](size_t attempts) {
    const RewriteLimit limit(observers, attempts);
    const Module module = pass.again.on(*proof.before);
    if (!module)
      return false;
    auto found = compare(pass, *proof.before, *module);
    if (!found || !*found)
      return false;
    proof = std::move(**found);
    return true;
  };
  const auto wrong = firstWrongRewrite(rewrites, isWrongAfter);
  if (!wrong)
    return {};
  number = *wrong;
  return rewrites[number];
}

void PassWatch::blame(const Begun &pass, Proof proof) {
  size_t number = 0;
  const std::optional<Rewrite> rewrite = firstWrong(pass, proof, number);
  Difference &difference = proof.difference;
  WrongPass wrong = describe(pass, difference.before, difference.after);
  if (rewrite) {
    wrong.rewrite = number;
    wrong.pattern = rewrite->pattern;
    wrong.operation = rewrite->operation;
    wrong.onnxNode = rewrite->node;
  }
  wrong.tensor = difference.tensor;
  wrong.maxAbs = difference.maxAbs;
  wrong.bound = difference.bound;
  wrong.contradiction = difference.contradiction;
  const auto judge = [this](mlir::func::FuncOp before, mlir::func::FuncOp after, const TensorMap &inputs) {
    const KnownTensors knownInputs(inputs);
    const auto found = MeaningComparer(knownInputs, *options.runner, arithmetic).compare(before, after);
    return found && found->first
               ? std::optional(named(changedOperation(found->first->before, found->first->after)))
               : std::nullopt;
  };
  auto reproducer = reproduce(mainOf(*proof.before), difference.before, pass.again, comparer(), judge);
  if (!wrong.rewrite) {
    const WrongOperation operation =
        reproducer ? reproducer->wrong : named(changedOperation(difference.before, difference.after));
    wrong.operation = operation.operation;
    wrong.onnxNode = operation.onnxNode;
  }
  if (reproducer && arithmetic == ModelRunner::Arithmetic::device)
    noteExactComparison(*reproducer->module);
  addReproducer(std::move(reproducer), pass, wrong);
  if (wrong.contradiction.empty())
    for (auto &[name, tensor] :
         {std::pair{"before", &difference.expected}, std::pair{"after", &difference.actual}})
      (void)wrong.values.add(name, std::move(*tensor));
  judged.firstWrong = std::move(wrong);
}

} // namespace tilerig::compiler
