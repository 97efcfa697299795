#include "compiler/PassCheck/Reproduce.h"

#include "compiler/PassCheck/Segment.h"

#include <llvm/Support/raw_ostream.h>
#include <mlir/IR/AsmState.h>

namespace tilerig::compiler {

namespace {

// Attribute that marks a reproducer's module whose tensors have to be compared bit by bit.
constexpr llvm::StringLiteral exactAttribute = "passcheck.exact";
// Attribute of a reproducer's module: the text of the bug that was injected into the pass.
constexpr llvm::StringLiteral injectedAttribute = "passcheck.injected";

bool isConstant(mlir::Operation *operation) { return operation->hasTrait<mlir::OpTrait::ConstantLike>(); }

size_t countOperations(mlir::func::FuncOp function) {
  size_t count = 0;
  for (mlir::Operation &operation : function.getBody().front().without_terminator())
    count += !isConstant(&operation);
  return count;
}

mlir::Block &blockOf(mlir::ModuleOp module) {
  return module.lookupSymbol<mlir::func::FuncOp>("main").getBody().front();
}

class Reduction {
public:
  Reduction(mlir::func::FuncOp before, mlir::Value wrong, const Rerun &pass, const MeaningComparer &values,
            ModelRunner &runner, ModelRunner::Arithmetic arithmetic)
      : before(before), wrong(wrong), pass(pass), values(values), runner(runner), arithmetic(arithmetic) {}

  std::optional<Reproducer> run() {
    if (!wrong.getDefiningOp() || !grow())
      return {};
    do
      shrink();
    while (shorten());
    while (bypass())
      ;
    return std::move(smallest);
  }

private:
  using Values = llvm::DenseSet<mlir::Value>;

  // Grows the segment (the copied part of the function) backwards from the wrong value, one level of
  // producing operations at a time, until the pass computes the value wrongly on the segment.
  bool grow() {
    operands = Values(wrong.getDefiningOp()->operand_begin(), wrong.getDefiningOp()->operand_end());
    while (!isWrong()) {
      Values next;
      bool hasGrown = false;
      for (const mlir::Value operand : operands)
        if (mlir::Operation *const operation = operand.getDefiningOp()) {
          next.insert(operation->operand_begin(), operation->operand_end());
          hasGrown = true;
        } else {
          next.insert(operand);
        }
      if (!hasGrown)
        return false;
      operands = std::move(next);
    }
    return true;
  }

  // Shrinks the segment (the copied part of the function): replaces each operation's results by arguments if
  // the pass is then still wrong.
  void shrink() {
    llvm::SmallVector<mlir::Operation *> inside;
    const auto collect = [&](auto &self, mlir::Value value) -> void {
      mlir::Operation *const operation = value.getDefiningOp();
      if (!operation || llvm::is_contained(inside, operation))
        return;
      inside.push_back(operation);
      for (const mlir::Value operand : operation->getOperands())
        if (!operands.contains(operand))
          self(self, operand);
    };
    collect(collect, wrong);
    for (mlir::Operation *operation : llvm::drop_begin(inside)) {
      const Values all = operands;
      operands.insert(operation->result_begin(), operation->result_end());
      if (!isWrong())
        operands = all;
    }
  }

  // Removes the last operation of the segment (the copied part of the function), so that an operand of it
  // becomes the result, if the pass is then still wrong.
  bool shorten() {
    for (const mlir::Value operand : wrong.getDefiningOp()->getOperands()) {
      mlir::Operation *const operation = operand.getDefiningOp();
      if (!operation || isConstant(operation) || operands.contains(operand))
        continue;
      const mlir::Value last = wrong;
      wrong = operand;
      if (isWrong())
        return true;
      wrong = last;
    }
    return false;
  }

  // Replaces an operation of the smallest module so far by its operand of the same type, if the pass is then
  // still wrong.
  bool bypass() {
    const size_t count = blockOf(*smallest->module).getOperations().size();
    for (size_t i = 0; i < count; ++i) {
      mlir::OwningOpRef<mlir::ModuleOp> module = smallest->module->clone();
      if (removeOperation(*module, i) && keepIfWrong(std::move(module), smallest->inputs))
        return true;
    }
    return false;
  }

  static bool removeOperation(mlir::ModuleOp module, size_t index) {
    mlir::Block &block = blockOf(module);
    mlir::Operation &operation = *std::next(block.begin(), static_cast<std::ptrdiff_t>(index));
    if (operation.getNumResults() != 1)
      return false;
    const auto hasType = [&](mlir::Value operand) {
      return operand.getType() == operation.getResult(0).getType();
    };
    const auto operand = llvm::find_if(operation.getOperands(), hasType);
    if (operand == operation.getOperands().end())
      return false;
    operation.getResult(0).replaceAllUsesWith(*operand);
    // Erases the operation, and then the operations whose results nothing else reads.
    llvm::SmallVector<mlir::Operation *> operations;
    for (mlir::Operation &each : block.without_terminator())
      operations.push_back(&each);
    for (mlir::Operation *each : llvm::reverse(operations))
      if (each->use_empty())
        each->erase();
    return true;
  }

  // Whether the pass computes a wrong result on the segment (a copy of some operations of the function) that
  // computes `wrong` from `operands`. If so, keeps this segment.
  bool isWrong() {
    // Constants stay in the segment and do not become arguments, because rewrite patterns match constants.
    Segment segment = segmentOf(wrong, [this](mlir::OpOperand &operand) {
      mlir::Operation *const operation = operand.get().getDefiningOp();
      return operands.contains(operand.get()) && !(operation && isConstant(operation));
    });
    auto tensors = values.valuesOf(before, segment.operands);
    if (!tensors)
      return false;
    TensorMap inputs;
    for (size_t i = 0; i < tensors->size(); ++i)
      if (!inputs.add(Segment::operandName(i), std::move((*tensors)[i])))
        return false;
    return keepIfWrong(std::move(segment.module), std::move(inputs));
  }

  // Whether the pass computes a wrong result on the module. If so, keeps the module as the smallest one.
  bool keepIfWrong(mlir::OwningOpRef<mlir::ModuleOp> module, TensorMap inputs) {
    const mlir::OwningOpRef<mlir::ModuleOp> after = pass.on(*module);
    if (!after)
      return false;
    const KnownTensors knownInputs(inputs);
    const MeaningComparer comparer(knownInputs, runner, arithmetic);
    auto function = module->lookupSymbol<mlir::func::FuncOp>("main");
    const auto comparison = comparer.compare(function, after.get().lookupSymbol<mlir::func::FuncOp>("main"));
    if (!comparison || !comparison->first)
      return false;
    smallest = Reproducer{std::move(module), std::move(inputs), countOperations(function)};
    return true;
  }

  mlir::func::FuncOp before;
  mlir::Value wrong;
  const Rerun &pass;
  const MeaningComparer &values;
  ModelRunner &runner;
  ModelRunner::Arithmetic arithmetic;
  // Values of the function that become arguments of the segment (the copied part of the function).
  Values operands;
  std::optional<Reproducer> smallest;
};

} // namespace

std::optional<Reproducer> reproduce(mlir::func::FuncOp before, mlir::Value wrong, const Rerun &pass,
                                    const KnownTensors &known, ModelRunner &runner,
                                    ModelRunner::Arithmetic arithmetic) {
  const MeaningComparer values(known, runner, arithmetic);
  std::optional<Reproducer> reproducer = Reduction(before, wrong, pass, values, runner, arithmetic).run();
  if (reproducer && arithmetic == ModelRunner::Arithmetic::device) {
    mlir::ModuleOp module = *reproducer->module;
    module->setAttr(exactAttribute, mlir::UnitAttr::get(module.getContext()));
  }
  return reproducer;
}

void noteInjectedBug(mlir::ModuleOp module, const std::string &bug) {
  if (!bug.empty())
    module->setAttr(injectedAttribute, mlir::StringAttr::get(module.getContext(), bug));
}

std::string injectedBugOf(mlir::ModuleOp module) {
  const auto bug = module->getAttrOfType<mlir::StringAttr>(injectedAttribute);
  return bug ? bug.str() : "";
}

bool isComparedExactly(mlir::ModuleOp module) { return module->hasAttr(exactAttribute); }

std::string textOf(const Reproducer &reproducer, const std::string &pipeline) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  // Prints the operations of a reproducer with their locations, which name the ONNX nodes.
  mlir::AsmState state(reproducer.module.get(), mlir::OpPrintingFlags().enableDebugInfo(true, false));
  state.attachResourcePrinter("mlir_reproducer", [&](mlir::Operation *, mlir::AsmResourceBuilder &builder) {
    builder.buildString("pipeline", "builtin.module(" + pipeline + ")");
    builder.buildBool("disable_threading", true);
    builder.buildBool("verify_each", true);
  });
  reproducer.module.get()->print(stream, state);
  return text + "\n";
}

} // namespace tilerig::compiler
