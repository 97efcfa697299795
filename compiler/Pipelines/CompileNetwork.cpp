#include "compiler/Pipelines/CompileNetwork.h"

#include "compiler/Export/Export.h"
#include "compiler/Graph/Import/UnusedConstants.h"
#include "compiler/Pipelines/DescribeLayers.h"
#include "compiler/Pipelines/NetworkLowering.h"
#include "compiler/Pipelines/NodeTypes.h"
#include "compiler/Pipelines/ProgramPasses.h"
#include "compiler/Pipelines/ResolvePasses.h"
#include "compiler/Pipelines/TooLargeLayers.h"
#include "compiler/Tile/FromLayer/FormDeviceOps.h"
#include "isa/Bugs/Binary.h"

#include <algorithm>
#include <filesystem>

namespace tilerig::compiler {

namespace {

// Sets up the compiler's pipeline as the options request. `notes` receives its messages for the user.
Result<PipelineOptions> pipelineOf(const OnnxFile &file, const NetworkOptions &options,
                                   PipelineNotes &notes) {
  TILERIG_TRY(PipelineOptions pipeline, resolvePasses(options.passes));
  // An injected bug may make the module invalid: MLIR's verifier then reports it before a later pass crashes.
  pipeline.verifiesEach = pipeline.verifiesEach || options.passBug;
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

// The program of the network; nullopt if a layer is too large for a tile and has been added to `tooLarge`, so that
// the model must be compiled again.
Result<std::optional<CompiledNetwork>> compileOnce(const OnnxFile &file, const NetworkOptions &options,
                                                   TooLargeLayers &tooLarge) {
  PipelineNotes notes;
  TILERIG_TRY(const PipelineOptions pipeline, pipelineOf(file, options, notes));
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  CompiledNetwork network;
  NetworkLowering lowering(context, file, options, pipeline, tooLarge.nodes());
  TILERIG_TRY(const mlir::OwningOpRef<mlir::ModuleOp> owned, lowering.run(network));
  mlir::ModuleOp module = *owned;
  auto function = module.lookupSymbol<mlir::func::FuncOp>("main");
  network.notes = std::move(notes.precision.calibration);
  network.warnings = tooLarge.warnings();
  std::ranges::move(notes.warnings, std::back_inserter(network.warnings));
  std::ranges::move(notes.remarks, std::back_inserter(network.warnings));

  TILERIG_TRY(ExportedModel oracle, exported(module));
  network.oracleLayers = describeLayers(function, options.machine, oracle);
  network.oracle = std::move(oracle.proto);

  // The module of level `tile` is built only if the user inserts passes. Otherwise the program is generated
  // without it.
  const bool hasModule = hasProgramPasses(pipeline);
  TileLevel level;
  TILERIG_TRY(DeviceNetwork deviceOps, formDeviceOps(module, pipeline.tiles));
  Result<GeneratedProgram> generated =
      generateProgram(deviceOps, options.machine, options.program, hasModule ? &level : nullptr);
  if (!generated && tooLarge.add(deviceOps, pipeline))
    return std::optional<CompiledNetwork>();
  TILERIG_CHECK_OK(generated);
  network.program = std::move(generated->program);
  network.strategy = std::move(generated->strategy);
  if (hasModule)
    TILERIG_CHECK_OK(lowering.runOnProgram(level, network));
  if (network.passBug)
    noteBug(network.passBug->bug, network.program);
  if (options.keepsOps)
    network.deviceOps = std::make_shared<const DeviceNetwork>(std::move(deviceOps));
  return std::optional(std::move(network));
}

} // namespace

Result<CompiledNetwork> compileNetwork(const OnnxFile &file, const NetworkOptions &options) {
  TooLargeLayers tooLarge;
  while (true) {
    Result<std::optional<CompiledNetwork>> network = compileOnce(file, options, tooLarge);
    if (!network)
      return tooLarge.explained(std::move(network).error());
    if (*network)
      return **std::move(network);
  }
}

} // namespace tilerig::compiler
