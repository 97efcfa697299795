#include "compiler/Pipelines/CompileNetwork.h"

#include "compiler/Export/Export.h"
#include "compiler/Graph/Import/Import.h"
#include "compiler/Graph/Import/UnusedConstants.h"
#include "compiler/Inject/Passes/InjectIntoPass.h"
#include "compiler/PassCheck/PassWatch.h"
#include "compiler/Pipelines/DescribeLayers.h"
#include "compiler/Pipelines/NodeTypes.h"
#include "compiler/Pipelines/ResolvePasses.h"
#include "compiler/Pipelines/RunPasses.h"
#include "compiler/Tile/FromLayer/FormDeviceOps.h"
#include "isa/Bugs/Binary.h"

#include <filesystem>
#include <mlir/Pass/Pass.h>
#include <mlir/Pass/PassInstrumentation.h>

namespace tilerig::compiler {

namespace {

using Module = mlir::OwningOpRef<mlir::ModuleOp>;

// The pipeline that the options ask for. `notes` receives what to tell the user about precisions.
Result<PipelineOptions> pipelineOf(const OnnxFile &file, const NetworkOptions &options,
                                   PrecisionNotes &notes) {
  TILERIG_TRY(PipelineOptions pipeline, resolvePasses(options.passes));
  pipeline.model = file.path();
  pipeline.precision =
      PrecisionOptions{.precision = options.precision, .calibration = options.calibrationTable};
  pipeline.calibration = [&options](const ExportedModel &layers) { return options.statistics(layers.proto); };
  pipeline.notes = &notes;
  pipeline.edges = options.edges;
  pipeline.tiles = {.name = std::filesystem::path(file.path()).stem().string(),
                    .machine = options.machine,
                    .nodeTypes = nodeTypesOf(file),
                    .program = options.program};
  return pipeline;
}

// Imports a model and lowers it to layers, with a bug in a pass and a judgement of each pass as requested.
class LayerMaker {
public:
  LayerMaker(mlir::MLIRContext &context, RewriteObservers &observers, const OnnxFile &file,
             const NetworkOptions &options, const PipelineOptions &pipeline)
      : context(context), observers(observers), file(file), options(options), pipeline(pipeline) {}

  Result<Module> make() { return options.passBug ? makeWithBug() : run(nullptr); }
  // Follows the later phases, if passes are judged; else null.
  PassWatch *watch() { return watcher.get(); }
  const std::optional<InjectedBug> &injected() const { return injectedBug; }
  const std::string &passWithBug() const { return wrongPass; }

private:
  Result<Module> run(PassBugInjector *injector, bool isJudged = true) {
    TILERIG_TRY(Module owned, importModel(context, file, ImportOptions{options.inputShapes}));
    mlir::ModuleOp module = *owned;
    watcher.reset();
    if (options.passCheck && isJudged)
      watcher =
          std::make_unique<PassWatch>(*options.passCheck, observers, [injector](mlir::PassManager &manager) {
            if (injector)
              injector->followAgain(manager);
          });
    // MLIR calls the instrumentation that was added last first: the bug is there when the pass is judged.
    const auto prepare = [&](mlir::PassManager &manager) {
      if (watcher)
        watcher->follow(manager);
      if (injector)
        injector->follow(manager);
    };
    PipelineRun phases(module, pipeline, prepare);
    TILERIG_CHECK_OK(phases.run(PipelinePhase::graph));
    TILERIG_CHECK_OK(phases.run(PipelinePhase::layers));
    if (watcher)
      watcher->stopPreparing();
    return owned;
  }

  // Collects the places of the bug in a run of the passes, then injects it into the first of them, in an order
  // drawn from the seed, where that is possible.
  Result<Module> makeWithBug() {
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
    TILERIG_TRY(injectedBug, injectSomewhere(*options.passBug, options.bugSeed, names,
                                             [&](uint32_t place, BugDraw &draw) -> Status {
                                               PassBugInjector injector(observers, *bug, sites[place], draw);
                                               TILERIG_TRY(module, run(&injector));
                                               return injector.outcome();
                                             }));
    wrongPass = sites[injectedBug->layer].pass;
    return module;
  }

  Result<std::vector<PassBugSite>> sitesOf(const PassBug &bug) {
    PassBugInjector collector(observers, bug);
    TILERIG_TRY(const Module clean, run(&collector, false));
    return collector.sites();
  }

  mlir::MLIRContext &context;
  RewriteObservers &observers;
  const OnnxFile &file;
  const NetworkOptions &options;
  const PipelineOptions &pipeline;
  std::unique_ptr<PassWatch> watcher;
  std::optional<InjectedBug> injectedBug;
  std::string wrongPass;
};

} // namespace

Result<CompiledNetwork> compileNetwork(const OnnxFile &file, const NetworkOptions &options) {
  PrecisionNotes notes;
  TILERIG_TRY(const PipelineOptions pipeline, pipelineOf(file, options, notes));
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  RewriteObservers observers(context);
  LayerMaker maker(context, observers, file, options, pipeline);
  TILERIG_TRY(const Module owned, maker.make());
  mlir::ModuleOp module = *owned;
  CompiledNetwork network;
  auto function = module.lookupSymbol<mlir::func::FuncOp>("main");
  TILERIG_TRY(ExportedModel layers, exported(module));
  network.floatLayers = describeLayers(function, options.machine, layers);
  network.layers = std::move(layers.proto);

  if (maker.watch())
    maker.watch()->judgeRanges(notes.table);
  PipelineRun phases(module, pipeline, [&](mlir::PassManager &manager) {
    if (maker.watch())
      maker.watch()->follow(manager);
  });
  TILERIG_CHECK_OK(phases.run(PipelinePhase::precision));
  TILERIG_CHECK_OK(phases.run(PipelinePhase::places));
  network.notes = std::move(notes.calibration);
  network.warnings = std::move(notes.warnings);

  TILERIG_TRY(ExportedModel oracle, exported(module));
  network.oracleLayers = describeLayers(function, options.machine, oracle);
  network.oracle = std::move(oracle.proto);

  // Level `tile` is not built as a module: lower-to-tile makes it from the same program.
  TILERIG_TRY(DeviceNetwork deviceOps, formDeviceOps(module, pipeline.tiles));
  TILERIG_TRY(GeneratedProgram generated, generateProgram(deviceOps, options.machine, options.program));
  network.program = std::move(generated.program);
  network.strategy = std::move(generated.strategy);
  if (maker.watch())
    network.passes = maker.watch()->result();
  network.passBug = maker.injected();
  if (network.passBug)
    noteBug(*network.passBug, network.program);
  network.passWithBug = maker.passWithBug();
  if (options.keepsOps)
    network.deviceOps = std::make_shared<const DeviceNetwork>(std::move(deviceOps));
  return network;
}

} // namespace tilerig::compiler
