#include "compiler/Pipelines/NetworkLowering.h"

#include "compiler/Export/Export.h"
#include "compiler/Graph/Import/Import.h"
#include "compiler/Pipelines/DescribeLayers.h"

namespace tilerig::compiler {

namespace {

// Whether the bug arises when precisions are decided, after layers are formed.
bool isInDecision(const PassBug &bug) { return llvm::is_contained(bug.passes, "decide-precision"); }

} // namespace

Result<mlir::OwningOpRef<mlir::ModuleOp>> NetworkLowering::run(CompiledNetwork &network) {
  auto module = lower(network);
  if (watch) {
    network.passes = watch->result();
    if (options.onPasses)
      options.onPasses(network.passes);
  }
  return module;
}

Result<NetworkLowering::Module> NetworkLowering::lower(CompiledNetwork &network) {
  if (options.passBug)
    return runWithBug(network);
  TILERIG_TRY(Module module, formLayers(nullptr, true));
  TILERIG_CHECK_OK(decideTypes(*module, nullptr, network));
  return module;
}

// MLIR calls the instrumentation that was added last first: the bug is there when the pass is judged.
PreparePasses NetworkLowering::follow(PassBugInjector *injector) {
  return [this, injector](mlir::PassManager &manager) {
    if (watch)
      watch->follow(manager);
    if (injector)
      injector->follow(manager);
  };
}

Result<NetworkLowering::Module> NetworkLowering::formLayers(PassBugInjector *injector, bool isJudged) {
  TILERIG_TRY(Module module, importModel(context, file, ImportOptions{options.inputShapes}));
  watch.reset();
  if (options.passCheck && isJudged)
    watch =
        std::make_unique<PassWatch>(*options.passCheck, observers, [injector](mlir::PassManager &manager) {
          if (injector)
            injector->followAgain(manager);
        });
  PipelineRun phases(*module, pipeline, follow(injector));
  TILERIG_CHECK_OK(phases.run(PipelinePhase::graph));
  TILERIG_CHECK_OK(phases.run(PipelinePhase::layers));
  if (watch)
    watch->stopPreparing();
  return module;
}

Status NetworkLowering::decideTypes(mlir::ModuleOp module, PassBugInjector *injector,
                                    CompiledNetwork &network) {
  TILERIG_TRY(ExportedModel layers, exported(module));
  network.floatLayers =
      describeLayers(module.lookupSymbol<mlir::func::FuncOp>("main"), options.machine, layers);
  network.layers = std::move(layers.proto);
  if (watch)
    watch->judgeRanges(pipeline.notes->precision.table);
  PipelineRun phases(module, pipeline, follow(injector));
  TILERIG_CHECK_OK(phases.run(PipelinePhase::precision));
  return phases.run(PipelinePhase::places);
}

// Collects the places of the bug in a run of the passes, then injects it into the first of them, in an order
// drawn from the seed, where that is possible.
Result<NetworkLowering::Module> NetworkLowering::runWithBug(CompiledNetwork &network) {
  const PassBug *const bug = findPassBug(options.passBug->bug->id);
  if (!bug)
    return internalError(std::string(options.passBug->bug->id), "this bug has no implementation");
  TILERIG_TRY(const std::vector<PassBugSite> sites, sitesOf(*bug));
  std::vector<std::string> names;
  for (const PassBugSite &site : sites)
    names.push_back(site.node);
  if (names.empty())
    return unsupported(std::string(bug->id), "no pass rewrites anything that can have this bug");
  Module module;
  const auto inject = [&](uint32_t place, BugDraw &draw) -> Status {
    PassBugInjector injector(observers, *bug, sites[place], draw);
    TILERIG_TRY(module, formLayers(&injector, true));
    if (isInDecision(*bug))
      TILERIG_CHECK_OK(decideTypes(*module, &injector, network));
    return injector.outcome();
  };
  TILERIG_TRY(network.passBug, injectSomewhere(*options.passBug, options.bugSeed, names, inject));
  network.passWithBug = sites[network.passBug->layer].pass;
  if (!isInDecision(*bug))
    TILERIG_CHECK_OK(decideTypes(*module, nullptr, network));
  return module;
}

Result<std::vector<PassBugSite>> NetworkLowering::sitesOf(const PassBug &bug) {
  PassBugInjector collector(observers, bug);
  TILERIG_TRY(const Module clean, formLayers(&collector, false));
  CompiledNetwork unused;
  if (isInDecision(bug))
    TILERIG_CHECK_OK(decideTypes(*clean, &collector, unused));
  return collector.sites();
}

} // namespace tilerig::compiler
