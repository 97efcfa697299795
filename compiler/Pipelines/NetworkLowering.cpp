#include "compiler/Pipelines/NetworkLowering.h"

#include "compiler/Export/Export.h"
#include "compiler/Graph/Import/Import.h"
#include "compiler/PassCheck/ProgramWatch.h"
#include "compiler/Pipelines/DescribeLayers.h"
#include "compiler/Pipelines/ProgramPasses.h"
#include "compiler/Pipelines/WatchedBug.h"

namespace tilerig::compiler {

namespace {

// Whether the bug is injected into the pass decide-precision, which runs later than most passes: when layers
// have been formed.
bool isInDecidePrecision(const Bug &bug) {
  const PassBug *const ofPass = findPassBug(bug.id);
  return ofPass && llvm::is_contained(ofPass->passes, "decide-precision");
}

} // namespace

Result<mlir::OwningOpRef<mlir::ModuleOp>> NetworkLowering::run(CompiledNetwork &network) {
  auto module = lower(network);
  if (watch) {
    network.passes = watch->result();
    if (options.onPasses)
      options.onPasses(network.passes, network.passBug);
  }
  return module;
}

Status NetworkLowering::runOnProgram(const TileLevel &level, CompiledNetwork &network) {
  std::optional<ProgramWatch> programWatch;
  if (options.passCheck && options.passCheck->programs)
    programWatch.emplace(*options.passCheck->programs, observers, network.passes);
  auto program = runProgramPasses(context, network.program, level, pipeline, [&](mlir::PassManager &manager) {
    if (programWatch)
      programWatch->follow(manager);
  });
  if (options.onPasses)
    options.onPasses(network.passes, network.passBug);
  if (!program)
    return program.error();
  network.program = *std::move(program);
  network.program.metadata.clear_allow_unproved();
  return success();
}

Result<NetworkLowering::Module> NetworkLowering::lower(CompiledNetwork &network) {
  if (options.passBug)
    return runWithBug(network);
  TILERIG_TRY(Module module, formLayers(nullptr, true));
  TILERIG_CHECK_OK(decideTypes(*module, nullptr, network));
  return module;
}

// Adds the pass check before the bug injector. MLIR calls the instrumentation that was added last first, so
// the bug has already been injected when the pass is checked.
PreparePasses NetworkLowering::follow(PassBugInjector *injector) {
  return [this, injector](mlir::PassManager &manager) {
    if (watch)
      watch->follow(manager);
    if (injector)
      injector->follow(manager);
  };
}

Result<NetworkLowering::Module> NetworkLowering::formLayers(PassBugInjector *injector, bool isJudged) {
  TILERIG_TRY(
      Module module,
      importModel(context, file, ImportOptions{.inputShapes = options.inputShapes, .tooLarge = tooLarge}));
  watch.reset();
  if (options.passCheck && isJudged)
    watch = std::make_unique<PassWatch>(*options.passCheck, observers,
                                        injector ? watchedBug(*injector) : WatchedBug());
  PipelineRun phases(*module, pipeline, follow(injector));
  TILERIG_CHECK_OK(phases.run(PipelinePhase::graph));
  TILERIG_CHECK_OK(phases.run(PipelinePhase::layers));
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

// Tries places for the injected bug. Each trial compiles only as far as layers, or, for a bug of the pass
// decide-precision, up to that pass.
Result<NetworkLowering::Module> NetworkLowering::runWithBug(CompiledNetwork &network) {
  const bool isInDecision = isInDecidePrecision(*options.passBug->bug);
  Module module;
  const auto compile = [&](PassBugInjector &injector) -> Status {
    TILERIG_TRY(module, formLayers(&injector, !injector.isCollecting()));
    CompiledNetwork unused;
    if (isInDecision)
      TILERIG_CHECK_OK(decideTypes(*module, &injector, injector.isCollecting() ? unused : network));
    if (watch)
      watch->forgetBug();
    return success();
  };
  TILERIG_TRY(PassInjection injection, injectIntoPass(*options.passBug, options.bugSeed, observers, compile));
  network.passBug = std::move(injection.injected);
  TILERIG_CHECK_OK(injection.compiled);
  if (!isInDecision)
    TILERIG_CHECK_OK(decideTypes(*module, nullptr, network));
  return module;
}

} // namespace tilerig::compiler
