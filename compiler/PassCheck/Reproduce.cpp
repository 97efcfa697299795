#include "compiler/PassCheck/Reproduce.h"

#include "compiler/PassCheck/Segment.h"

#include <llvm/Support/raw_ostream.h>
#include <mlir/IR/AsmState.h>

namespace tilerig::compiler {

namespace {

// Attribute that marks a reproducer's module whose tensors have to be compared bit by bit.
constexpr llvm::StringLiteral exactAttribute = "passcheck.exact";

bool isConstant(mlir::Operation *operation) { return operation->hasTrait<mlir::OpTrait::ConstantLike>(); }

size_t countOperations(mlir::func::FuncOp function) {
  size_t count = 0;
  for (mlir::Operation &operation : function.getBody().front().without_terminator())
    count += !isConstant(&operation);
  return count;
}

class Reduction {
public:
  Reduction(mlir::func::FuncOp before, mlir::Value wrong, const Rerun &pass, const MeaningComparer &values,
            ModelRunner &runner, ModelRunner::Arithmetic arithmetic)
      : before(before), wrong(wrong), pass(pass), values(values), runner(runner), arithmetic(arithmetic) {}

  std::optional<Reproducer> run() {
    if (!wrong.getDefiningOp() || !grow())
      return {};
    shrink();
    return std::move(smallest);
  }

private:
  using Values = llvm::DenseSet<mlir::Value>;

  // Grows the segment backwards from the wrong value, one level of producing operations at a time, until the
  // pass computes the value wrongly on the segment.
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

  // Shrinks the segment: replaces each operation's results by arguments if the pass is then still wrong.
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

  // Whether the pass is wrong on the segment that computes `wrong` from `operands`; keeps this segment if so.
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
    const mlir::OwningOpRef<mlir::ModuleOp> after = pass.on(*segment.module);
    if (!after)
      return false;
    const KnownTensors knownInputs(inputs);
    const MeaningComparer comparer(knownInputs, runner, arithmetic);
    const auto comparison =
        comparer.compare(segment.function(), after.get().lookupSymbol<mlir::func::FuncOp>("main"));
    if (!comparison || !comparison->first)
      return false;
    const size_t count = countOperations(segment.function());
    smallest = Reproducer{std::move(segment.module), std::move(inputs), count};
    return true;
  }

  mlir::func::FuncOp before;
  mlir::Value wrong;
  const Rerun &pass;
  const MeaningComparer &values;
  ModelRunner &runner;
  ModelRunner::Arithmetic arithmetic;
  Values operands; // values that become arguments of the segment
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

bool isComparedExactly(mlir::ModuleOp module) { return module->hasAttr(exactAttribute); }

std::string textOf(const Reproducer &reproducer, const std::string &pipeline) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  // Prints the operations with their locations, which name the ONNX nodes.
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
