#include "compiler/Pipelines/ReplayPass.h"

#include "compiler/Graph/IR/Graph.h"
#include "compiler/Layer/IR/Layer.h"
#include "compiler/Pipelines/ResolvePasses.h"
#include "compiler/Pipelines/WatchedBug.h"

#include <llvm/Support/SourceMgr.h>
#include <mlir/Parser/Parser.h>
#include <mlir/Pass/PassRegistry.h>

namespace tilerig::compiler {

namespace {

constexpr const char *remedy = "give a reproducer.mlir that a check with --after-each-pass has written";

class Replay {
public:
  Replay(const std::string &path, const PassCheckOptions &options)
      : path(path), options(options), observers(context),
        handler(&context, [this](mlir::Diagnostic &diagnostic) {
          if (problem.empty())
            problem = diagnostic.str();
        }) {
    context.loadDialect<graph::GraphDialect, layer::LayerDialect, mlir::func::FuncDialect>();
  }

  Result<PassCheckResult> run() {
    TILERIG_CHECK_OK(read());
    const std::string bug = injectedBugOf(*module);
    TILERIG_CHECK_OK(bug.empty() ? runPasses(nullptr) : runPassesWithBug(bug));
    return std::move(result);
  }

private:
  // Reads the module, and the pipeline of passes to run, which a comment in the file states.
  Status read() {
    mlir::ParserConfig config(&context);
    passes.attachResourceParser(config);
    module = mlir::parseSourceFile<mlir::ModuleOp>(path, config);
    return module && module->lookupSymbol<mlir::func::FuncOp>("main")
               ? success()
               : Status(invalidInput(path, problemOr("the file is not an MLIR module with a function 'main'"),
                                     remedy));
  }

  Status runPasses(PassBugInjector *injector) {
    mlir::PassManager manager(&context);
    if (mlir::failed(passes.apply(manager)) || manager.size() == 0)
      return invalidInput(
          path,
          problemOr(
              "no comment of the file states a pipeline, or the pipeline has passes that are not loaded"),
          std::string(remedy) + "; load passes of plugins with --load-pass-plugin");
    PassWatch watch(options, observers, injector ? watchedBug(*injector) : WatchedBug());
    if (isComparedExactly(*module))
      watch.compareExactly();
    watch.follow(manager);
    if (injector)
      injector->follow(manager);
    const mlir::OwningOpRef<mlir::ModuleOp> copy = module->clone();
    if (mlir::failed(manager.run(*copy)))
      return unsupported(path, "the pass fails: " + problem);
    result = watch.result();
    return success();
  }

  Status runPassesWithBug(const std::string &bug) {
    const auto choice = parseBugChoice(bug);
    if (!choice || !choice->bug->isInPass())
      return invalidInput(path, "the file states the injected bug '" + bug + "', which is no bug of a pass",
                          remedy);
    TILERIG_TRY(const PassInjection injection,
                injectIntoPass(*choice, 0, observers,
                               [this](PassBugInjector &injector) { return runPasses(&injector); }));
    return injection.compiled;
  }

  std::string problemOr(const char *text) const { return problem.empty() ? text : problem; }

  const std::string &path;
  const PassCheckOptions &options;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  RewriteObservers observers;
  std::string problem; // text of the first diagnostic that MLIR emits; later ones are consequences of it
  mlir::ScopedDiagnosticHandler handler;
  mlir::PassReproducerOptions passes;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  PassCheckResult result;
};

} // namespace

Result<PassCheckResult> replayPass(const std::string &path, const PassRequests &requests,
                                   const PassCheckOptions &options) {
  TILERIG_CHECK_OK(loadPlugins(requests.plugins));
  return Replay(path, options).run();
}

} // namespace tilerig::compiler
