#include "compiler/Pipelines/ReplayPass.h"

#include "compiler/Graph/IR/Graph.h"
#include "compiler/Layer/IR/Layer.h"
#include "compiler/PassCheck/PassWatch.h"
#include "compiler/Pipelines/ResolvePasses.h"

#include <llvm/Support/SourceMgr.h>
#include <mlir/Parser/Parser.h>
#include <mlir/Pass/PassRegistry.h>

namespace tilerig::compiler {

Result<PassCheckResult> replayPass(const std::string &path, const PassRequests &requests,
                                   const PassCheckOptions &options) {
  TILERIG_CHECK_OK(loadPlugins(requests.plugins));
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  context.loadDialect<graph::GraphDialect, layer::LayerDialect, mlir::func::FuncDialect>();
  std::string problem; // text of the first diagnostic; later ones are consequences
  const mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (problem.empty())
      problem = diagnostic.str();
  });
  mlir::PassReproducerOptions reproducer;
  mlir::ParserConfig config(&context);
  reproducer.attachResourceParser(config);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(path, config);
  if (!module || !module->lookupSymbol<mlir::func::FuncOp>("main"))
    return invalidInput(path, problem.empty() ? "is not an MLIR module with a function 'main'" : problem,
                        "give a reproducer.mlir that a check with --after-each-pass has written");
  mlir::PassManager manager(&context);
  if (mlir::failed(reproducer.apply(manager)) || manager.size() == 0)
    return invalidInput(
        path,
        problem.empty() ? "has no pipeline in a comment, or one with passes that are not loaded" : problem,
        "give a reproducer.mlir that a check with --after-each-pass has written; "
        "--load-pass-plugin loads its pass");
  RewriteObservers observers(context);
  PassWatch watch(options, observers);
  if (isComparedExactly(*module))
    watch.compareExactly();
  watch.follow(manager);
  if (mlir::failed(manager.run(*module)))
    return unsupported(path, "the pass fails: " + problem);
  return watch.result();
}

} // namespace tilerig::compiler
