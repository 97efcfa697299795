// A plugin for tests that registers no pass, or has the defect that a macro of CMakeLists.txt selects. If the
// macro TELLS is defined, it has a pass, `tell`, that warns of each multiplication and remarks on each
// addition.
#ifdef TELLS
#include "compiler/Graph/IR/Graph.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
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

#ifndef CALLBACK
#define CALLBACK [] {}
#endif

extern "C" mlir::PassPluginLibraryInfo ENTRY() { return {MLIR_PLUGIN_API_VERSION, "test", "1", CALLBACK}; }
