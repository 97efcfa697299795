// A plugin for tests. It registers no pass, unless a macro of CMakeLists.txt is defined: TELLS registers a
// pass `tell` that warns of each multiplication and remarks on each addition; CHANGES_PROGRAMS registers
// passes over the levels `tile` and `isa`; FAILS registers a pass that fails in several ways. Each of the other macros gives the plugin a defect.
#ifdef TELLS
#include "compiler/Graph/IR/Graph.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Pass/Pass.h>
#endif
#ifdef FAILS
#include "compiler/Graph/IR/Graph.h"

#include <csignal>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Pass/Pass.h>
#include <unistd.h>
#endif
#ifdef CHANGES_PROGRAMS
#include "compiler/Passes/RewriteAction.h"
#include "compiler/Tile/IR/Tile.h"

#include <mlir/Pass/Pass.h>
#endif
#include <mlir/Tools/Plugins/PassPlugin.h>

#ifndef ENTRY
#define ENTRY mlirGetPassPluginInfo
#endif
#ifdef VERSIONS
extern "C" const char *tilerigPassPluginVersions() { return VERSIONS; }
#endif

#ifdef USES_MISSING_SYMBOL
namespace tilerig {
int functionOfAnotherLibrary(int number);
int use() { return functionOfAnotherLibrary(1); }
} // namespace tilerig
#endif

#ifdef TELLS
namespace {

struct Tell : mlir::PassWrapper<Tell, mlir::OperationPass<mlir::func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Tell)
  llvm::StringRef getArgument() const override { return "tell"; }
  llvm::StringRef getDescription() const override { return "emits warnings and remarks"; }
  void runOnOperation() override {
    getOperation().walk([](tilerig::compiler::graph::MulOp op) {
      mlir::InFlightDiagnostic diagnostic = mlir::emitWarning(op.getLoc()) << "a multiplication is slow";
      diagnostic.attachNote(op.getLoc()) << "use an addition";
    });
    getOperation().walk(
        [](tilerig::compiler::graph::AddOp op) { mlir::emitRemark(op.getLoc()) << "an addition is fast"; });
  }
};

} // namespace
#define CALLBACK [] { mlir::PassRegistration<Tell>(); }
#endif

#ifdef FAILS
namespace {

using namespace tilerig::compiler;

// Crashes at a hyperbolic tangent, does not end at a sigmoid, and reports an error at an exponential. In networks of 2 to 6
// or at least 11 absolute values, it crashes, too: a failure that is not monotone.
struct Fail : mlir::PassWrapper<Fail, mlir::OperationPass<mlir::func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Fail)
  llvm::StringRef getArgument() const override { return "fail"; }
  llvm::StringRef getDescription() const override { return "fails in several ways"; }
  void runOnOperation() override {
    int absolutes = 0;
    getOperation().walk([&](mlir::Operation *operation) {
      const llvm::StringRef name = operation->getName().getStringRef();
      absolutes += name == "graph.abs";
      if (name == "graph.tanh")
        ::raise(SIGSEGV);
      while (name == "graph.sigmoid")
        ::pause();
      if (name == "graph.exp") {
        operation->emitError("this pass refuses exponentials");
        signalPassFailure();
      }
    });
    if ((absolutes >= 2 && absolutes <= 6) || absolutes >= 11)
      std::abort();
  }
};

} // namespace
#define CALLBACK [] { mlir::PassRegistration<Fail>(); }
#endif

// Passes over compiled programs: one that is correct and two that are wrong.
#ifdef CHANGES_PROGRAMS
namespace {

using namespace tilerig;
using namespace tilerig::compiler;

template <class Concrete>
struct ProgramPass : mlir::PassWrapper<Concrete, mlir::OperationPass<isa::ProgramOp>> {
  llvm::StringRef getArgument() const override { return Concrete::argument; }
  llvm::StringRef getDescription() const override { return "changes programs"; }
};

// Calls `change` for every addition of the program, and announces each call as a separate rewrite.
void rewriteAdditions(isa::ProgramOp program, llvm::StringRef name,
                      llvm::function_ref<void(Binary &)> change) {
  program.walk([&](isa::InstructionOp<Binary> operation) {
    Binary &instruction = std::get<Binary>(operation.getProperties());
    if (instruction.function == BinaryFunction::add)
      announceRewrite(operation, name, [&] { change(instruction); });
  });
}

struct ExchangeOperands : ProgramPass<ExchangeOperands> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExchangeOperands)
  static constexpr llvm::StringLiteral argument = "exchange-operands";
  void runOnOperation() override {
    rewriteAdditions(getOperation(), "Exchange", [](Binary &addition) {
      std::swap(addition.a, addition.b);
      std::swap(addition.aAffine, addition.bAffine);
    });
  }
};

struct Subtract : ProgramPass<Subtract> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Subtract)
  static constexpr llvm::StringLiteral argument = "subtract-instead";
  void runOnOperation() override {
    rewriteAdditions(getOperation(), "Subtract",
                     [](Binary &addition) { addition.function = BinaryFunction::sub; });
  }
};

// A wrong pass: removes every wait for an earlier task of the same tile.
struct DropSyncs : ProgramPass<DropSyncs> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropSyncs)
  static constexpr llvm::StringLiteral argument = "drop-syncs";
  void runOnOperation() override {
    getOperation().walk([](tile::LocalSyncOp sync) { sync.erase(); });
  }
};

} // namespace
#define CALLBACK                                                                                             \
  [] {                                                                                                       \
    mlir::PassRegistration<ExchangeOperands>();                                                              \
    mlir::PassRegistration<Subtract>();                                                                      \
    mlir::PassRegistration<DropSyncs>();                                                                     \
  }
#endif

#ifndef CALLBACK
#define CALLBACK [] {}
#endif

extern "C" mlir::PassPluginLibraryInfo ENTRY() { return {MLIR_PLUGIN_API_VERSION, "test", "1", CALLBACK}; }
