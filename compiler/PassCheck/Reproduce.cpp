#include "compiler/PassCheck/Reproduce.h"

#include "compiler/Layer/Precision/StatedRanges.h"
#include "compiler/PassCheck/Segment.h"

#include <llvm/ADT/SetVector.h>
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

using Operations = llvm::SetVector<mlir::Operation *, llvm::SmallVector<mlir::Operation *>>;

// Finds a small part of a function on which a pass is wrong. A part is a set of operations of the function; it
// is copied to a module of its own, the segment. Constants that a part reads always belong to it, because
// rewrite patterns match constants.
class Reduction {
public:
  Reduction(mlir::func::FuncOp before, mlir::Value wrong, const Rerun &pass, const MeaningComparer &values,
            const PassJudge &judge)
      : before(before), wrong(wrong), start(computingOrReading(wrong)), pass(pass), values(values),
        judge(judge) {}

  std::optional<Reproducer> run() {
    if (!start || (!growBackwards() && !growAround() && !takeAll()))
      return {};
    shrink();
    if (results == Results::all) {
      results = Results::last;
      if (isWrongOn(part))
        shrink();
    }
    while (bypass())
      ;
    return std::move(smallest);
  }

private:
  // The operation that computes a value; for an argument of the function, one that reads it, or null.
  static mlir::Operation *computingOrReading(mlir::Value value) {
    if (mlir::Operation *const operation = value.getDefiningOp())
      return operation;
    for (mlir::Operation *const user : value.getUsers())
      if (!user->hasTrait<mlir::OpTrait::IsTerminator>())
        return user;
    return nullptr;
  }

  // The values that a part returns: those that no other operation of the part reads, or all values that other
  // operations of the function read.
  enum class Results { last, all };

  using Visit = llvm::function_ref<void(mlir::Operation *)>;
  using Neighbours = void (*)(mlir::Operation *, Visit);

  static void visitProducers(mlir::Operation *operation, Visit visit) {
    for (const mlir::Value operand : operation->getOperands())
      visit(operand.getDefiningOp());
  }
  // Visits the operations that read a result of the operation, or read what the operation reads.
  static void visitReaders(mlir::Operation *operation, Visit visit) {
    for (const mlir::Value operand : operation->getOperands())
      llvm::for_each(operand.getUsers(), visit);
    llvm::for_each(operation->getUsers(), visit);
  }

  // Grows the part from the operation that computes the wrong value, one level of producing operations at a
  // time, until the pass is wrong on it.
  bool growBackwards() {
    results = Results::last;
    return grow({visitProducers});
  }

  // Grows the part in all directions, because passes also look at operations beside the wrong one and behind
  // it: they merge equal operations, or change an operation only if all readers of its result allow it.
  bool growAround() {
    results = Results::all;
    return grow({visitReaders, visitProducers});
  }

  // Takes all operations of the function. Parts that are not connected can matter, too: a pass that merges equal
  // operations also merges their equal operands.
  bool takeAll() {
    part.clear();
    for (mlir::Operation &operation : before.getBody().front().without_terminator())
      add(&operation);
    return isWrongOn(part);
  }

  void add(mlir::Operation *operation) {
    if (operation && !isConstant(operation) && !operation->hasTrait<mlir::OpTrait::IsTerminator>())
      part.insert(operation);
  }

  bool grow(llvm::ArrayRef<Neighbours> steps) {
    part.clear();
    part.insert(start);
    if (isWrongOn(part))
      return true;
    for (size_t size = 0; size < part.size();) {
      size = part.size();
      for (const Neighbours visitNeighbours : steps) {
        const size_t smaller = part.size();
        for (mlir::Operation *const operation : llvm::to_vector(part))
          visitNeighbours(operation, [this](mlir::Operation *neighbour) { add(neighbour); });
        if (part.size() > smaller && isWrongOn(part))
          return true;
      }
    }
    return false;
  }

  // Removes operations from the part as long as the pass is wrong on the rest: first many at once, finally
  // single ones.
  void shrink() {
    size_t count = std::max<size_t>(part.size() / 2, 1);
    for (bool hasShrunk = true; hasShrunk || count > 1;) {
      if (!hasShrunk)
        count /= 2;
      hasShrunk = false;
      for (size_t begin = 0; begin < part.size();) {
        const Operations rest = partWithout(begin, count);
        if (!rest.empty() && isWrongOn(rest)) {
          part = rest;
          hasShrunk = true;
        } else {
          begin += count;
        }
      }
    }
  }

  Operations partWithout(size_t begin, size_t count) const {
    Operations rest;
    for (const auto [i, operation] : llvm::enumerate(part))
      if (i < begin || i >= begin + count)
        rest.insert(operation);
    return rest;
  }

  // Whether the pass is wrong on the segment that consists of the operations of `tried`. If so, keeps this
  // segment.
  bool isWrongOn(const Operations &tried) {
    const llvm::SmallVector<mlir::Value> returned = resultsOf(tried);
    if (returned.empty())
      return false;
    Segment segment = segmentOf(returned, [&](mlir::OpOperand &operand) {
      mlir::Operation *const operation = operand.get().getDefiningOp();
      return operation && !isConstant(operation) && !tried.contains(operation);
    });
    auto tensors = values.valuesOf(before, segment.operands);
    if (!tensors)
      return false;
    TensorMap inputs;
    for (const auto [i, operand] : llvm::enumerate(segment.operands)) {
      stateRangeOfArgument(segment.function().getArgument(static_cast<unsigned>(i)), operand);
      if (!inputs.add(Segment::operandName(i), std::move((*tensors)[i])))
        return false;
    }
    return keepIfWrong(std::move(segment.module), std::move(inputs));
  }

  llvm::SmallVector<mlir::Value> resultsOf(const Operations &tried) const {
    const auto isInside = [&](mlir::Operation *user) { return tried.contains(user); };
    llvm::SmallVector<mlir::Value> returned;
    for (mlir::Operation *const operation : tried) {
      const bool isLast = llvm::none_of(operation->getUsers(), isInside);
      for (const mlir::Value result : operation->getResults()) {
        const bool isRead = results == Results::all ? !llvm::all_of(result.getUsers(), isInside)
                                                    : isLast && !result.use_empty();
        if (isRead || (isLast && result == wrong))
          returned.push_back(result);
      }
    }
    return returned;
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

  // Whether the pass is wrong on the module. If so, keeps the module as the smallest one.
  bool keepIfWrong(mlir::OwningOpRef<mlir::ModuleOp> module, TensorMap inputs) {
    const mlir::OwningOpRef<mlir::ModuleOp> after = pass.on(*module);
    if (!after)
      return false;
    auto function = module->lookupSymbol<mlir::func::FuncOp>("main");
    const auto wrongOperation = judge(function, after.get().lookupSymbol<mlir::func::FuncOp>("main"), inputs);
    if (!wrongOperation)
      return false;
    smallest = Reproducer{std::move(module), std::move(inputs), countOperations(function), *wrongOperation};
    return true;
  }

  mlir::func::FuncOp before;
  mlir::Value wrong;
  mlir::Operation *start; // the part grows from this operation
  const Rerun &pass;
  const MeaningComparer &values;
  const PassJudge &judge;
  Operations part;
  Results results = Results::last;
  std::optional<Reproducer> smallest;
};

} // namespace

std::optional<Reproducer> reproduce(mlir::func::FuncOp before, mlir::Value wrong, const Rerun &pass,
                                    const MeaningComparer &values, const PassJudge &judge) {
  return Reduction(before, wrong, pass, values, judge).run();
}

void noteExactComparison(mlir::ModuleOp module) {
  module->setAttr(exactAttribute, mlir::UnitAttr::get(module.getContext()));
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
