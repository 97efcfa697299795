#include "compiler/Pipelines/Pipelines.h"

#include "compiler/Layer/Partition/PlaceLayers.h"
#include "compiler/Layer/Precision/QuantiseEdges.h"
#include "compiler/Passes/Passes.h"
#include "compiler/Pipelines/ResolvePasses.h"

#include <llvm/Support/raw_ostream.h>
#include <mlir/Pass/PassRegistry.h>
#include <mlir/Transforms/Passes.h>

namespace tilerig::compiler {

namespace {

constexpr llvm::StringLiteral fusionsOfLayers[] = {"fuse-biases", "fuse-functions", "fuse-addends"};

Status addText(mlir::OpPassManager &module, const std::string &pipeline) {
  registerAllPasses();
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (mlir::failed(mlir::parsePassPipeline(pipeline, module, stream)))
    return usageError("--passes", "the pipeline cannot be parsed: " + problem.substr(0, problem.find('\n')),
                      "tilerig-opt --help lists the passes");
  return success();
}

void addGraphPhase(PassSequence &sequence, const PipelineOptions &options) {
  SimplifyGraphOptions simplify;
  for (const std::string &name : options.without)
    if (!llvm::is_contained(fusionsOfLayers, name))
      simplify.without.push_back(name);
  sequence.add(createSimplifyGraph(simplify, options.inserted));
  sequence.addAfter("");
}

// Canonicalises, removes common subexpressions, and groups consecutive layers into as few regions as
// possible. A region runs as a whole on the accelerator or on the host.
void addCleanUp(PassSequence &sequence) {
  sequence.add(mlir::createCanonicalizerPass());
  sequence.add(mlir::createCSEPass());
  sequence.add(createPartitionLayers());
}

Status addLayerPhase(PassSequence &sequence, const PipelineOptions &options) {
  const auto fuse = [&](std::unique_ptr<mlir::Pass> pass) {
    if (!llvm::is_contained(options.without, pass->getArgument()))
      sequence.add(std::move(pass));
  };
  FuseFunctionsOptions functions;
  FuseAddendsOptions addends;
  if (options.precision) {
    TILERIG_TRY(functions.roundsLast, roundsLast(*options.precision));
    TILERIG_TRY(addends.anyFunction, keepsFloats(*options.precision));
  }

  // Forms layers for the accelerator, and operators for the host. Most layers on images get one transpose in
  // front, to the machine's axis order, and one behind, to the model's. Between two such layers the
  // transposes cancel, and the canonicaliser removes them.
  sequence.add(createFormLayers({options.only}));
  sequence.add(mlir::createCanonicalizerPass());
  sequence.add(mlir::createCSEPass());

  // Fuses biases, activation functions and addends into products. Biases come first, because an addition
  // behind a function is no bias. Functions come before addends, because a function may also follow the
  // addition of an addend.
  fuse(createFuseBiases());
  fuse(createFuseFunctions(functions));
  // In models that are quantised already, fold-conversions turns products into integer products, into which
  // addends can be fused, too.
  sequence.add(createFoldConversions());
  fuse(createFuseAddends(addends));
  addCleanUp(sequence);
  return success();
}

void addPrecisionPhase(PassSequence &sequence, const PipelineOptions &options) {
  // Canonicalisation is needed, because the pass keep-first-layers adds layers that transpose the new outputs
  // to the model's axis order.
  if (options.maxLayers) {
    sequence.add(createKeepFirstLayers({*options.maxLayers}));
    addCleanUp(sequence);
  }
  if (!options.precision && !options.edges.inputs && !options.edges.outputs && options.saved.empty())
    return;
  if (options.precision)
    sequence.add(createDecidePrecision(*options.precision, options.calibration,
                                       options.notes ? &options.notes->precision : nullptr));
  // After the precisions are decided, which depends on who reads a result.
  if (!options.saved.empty()) {
    SaveResultsOptions saved;
    saved.tensors.assign(options.saved.begin(), options.saved.end());
    sequence.add(createSaveResults(saved));
  }
  sequence.add(createQuantiseEdges(options.edges, options.model));
  addCleanUp(sequence);
}

void addPlacePhase(PassSequence &sequence, const PipelineOptions &options) {
  sequence.add(createPlaceLayers(options.tiles.machine, options.tiles.program.strategy));
  sequence.addBefore("lower-to-tile");
}

Status addTo(PassSequence &sequence, PipelinePhase phase, const PipelineOptions &options) {
  switch (phase) {
  case PipelinePhase::graph:
    addGraphPhase(sequence, options);
    break;
  case PipelinePhase::layers:
    return addLayerPhase(sequence, options);
  case PipelinePhase::precision:
    addPrecisionPhase(sequence, options);
    break;
  case PipelinePhase::places:
    addPlacePhase(sequence, options);
    break;
  case PipelinePhase::tiles:
    sequence.addAlone(createLowerToTile(options.tiles));
    break;
  case PipelinePhase::tasks:
    sequence.addAfter("lower-to-tile");
    sequence.addBefore("lower-to-isa");
    break;
  case PipelinePhase::instructions:
    sequence.addAlone(createLowerToIsa());
    sequence.addAfter("lower-to-isa");
    break;
  }
  return success();
}

struct TextOptions : mlir::PassPipelineOptions<TextOptions> {
  Option<std::string> precision{*this, "precision", llvm::cl::desc("as for decide-precision"),
                                llvm::cl::init("fp32")};
  Option<std::string> calibration{*this, "calibration", llvm::cl::desc("as for decide-precision")};
  Option<std::string> machine{*this, "machine", llvm::cl::desc("as for lower-to-tile"),
                              llvm::cl::init("tr64")};
  Option<unsigned> tiles{*this, "tiles", llvm::cl::desc("as for lower-to-tile"), llvm::cl::init(0)};
  Option<std::string> strategy{*this, "strategy", llvm::cl::desc("as for lower-to-tile")};
  Option<std::string> name{*this, "name", llvm::cl::desc("as for lower-to-tile")};
};

void buildLowerToLayers(mlir::OpPassManager &module) {
  PassSequence sequence(module, {});
  // Adding passes fails only in phases that read a file, and these two read none.
  (void)addTo(sequence, PipelinePhase::graph, {});
  (void)addTo(sequence, PipelinePhase::layers, {});
}

// Builds the pipeline lower-to-instructions. Its options are not checked here, because the passes check them.
void buildLowerToInstructions(mlir::OpPassManager &module, const TextOptions &options) {
  PassSequence sequence(module, {});
  addGraphPhase(sequence, {});
  PipelineOptions layers;
  // If reading the precision plan fails, the pass decide-precision reports the error later.
  layers.precision = PrecisionOptions{.precision = options.precision};
  if (!roundsLast(*layers.precision))
    layers.precision.reset();
  (void)addLayerPhase(sequence, layers);
  sequence.add(createDecidePrecision({options.precision, options.calibration}));
  sequence.add(createQuantiseEdges());
  addCleanUp(sequence);
  sequence.add(createPlaceLayers({options.machine, options.strategy}));
  sequence.add(createLowerToTile({options.machine, options.tiles, options.strategy, options.name}));
  sequence.add(createLowerToIsa());
}

} // namespace

std::string_view nameOf(PipelinePhase phase) {
  constexpr std::array names = {"graph", "layers", "precision", "places", "tiles", "tasks", "instructions"};
  return names[static_cast<size_t>(phase)];
}

Status addPhase(mlir::OpPassManager &module, PipelinePhase phase, const PipelineOptions &options) {
  if (phase == PipelinePhase::graph && !options.graphPasses.empty())
    return addText(module, options.graphPasses);
  PassSequence sequence(module, options.inserted);
  return addTo(sequence, phase, options);
}

std::vector<std::string> optionalPasses() {
  std::vector<std::string> names = passesOfSimplifyGraph();
  names.insert(names.end(), std::begin(fusionsOfLayers), std::end(fusionsOfLayers));
  return names;
}

// Returns the names of the passes that run in one of `phases`. Users can insert passes before or after them.
static std::vector<std::string> passesOf(std::initializer_list<PipelinePhase> phases) {
  std::vector<std::string> names = passesOfSimplifyGraph();
  mlir::OpPassManager module(mlir::ModuleOp::getOperationName());
  PassSequence sequence(module, {}, &names);
  PipelineOptions options;
  options.maxLayers = 0;
  options.saved = {"all"};
  options.precision.emplace();
  for (const PipelinePhase phase : phases)
    (void)addTo(sequence, phase, options);
  return names;
}

std::vector<std::string> passesOfPipeline() {
  std::vector<std::string> names = anchorsOfPipeline();
  std::erase_if(names,
                [](const std::string &name) { return name == "lower-to-tile" || name == "lower-to-isa"; });
  return names;
}

std::vector<std::string> anchorsOfPipeline() {
  using enum PipelinePhase;
  return passesOf({graph, layers, precision, places, tasks, instructions});
}

void registerPipelines() {
  const mlir::PassPipelineRegistration<> lowerToLayers(
      "lower-to-layers", "lowers a module from level `graph` to level `layer`", buildLowerToLayers);
  const mlir::PassPipelineRegistration<TextOptions> lowerToInstructions(
      "lower-to-instructions", "runs the whole compiler: lowers a module from level `graph` to level `isa`",
      buildLowerToInstructions);
}

} // namespace tilerig::compiler
