#include "compiler/Driver/CompileNetwork.h"

#include "compiler/Deciding/ApplyPrecision.h"
#include "compiler/Deciding/QuantiseEdges.h"
#include "compiler/DeviceOps/FormDeviceOps.h"
#include "compiler/Driver/DescribeLayers.h"
#include "compiler/Driver/NodeTypes.h"
#include "compiler/Driver/RunPasses.h"
#include "compiler/Driver/SettlePlaces.h"
#include "compiler/Import/Import.h"
#include "compiler/Import/UnusedConstants.h"
#include "compiler/Listing/Cards.h"
#include "compiler/PassCheck/PassWatch.h"
#include "compiler/Passes/Pipelines.h"

#include <filesystem>

namespace tilerig::compiler {

namespace {

PrecisionOptions precisionOf(const NetworkOptions &options) {
  PrecisionOptions precision;
  precision.precision = options.precision;
  precision.calibration = options.calibrationTable;
  return precision;
}

Result<std::string> decide(mlir::ModuleOp module, const NetworkOptions &options) {
  const auto maker = [&](const ExportedModel &layers) { return options.statistics(layers.proto); };
  return applyPrecision(module, precisionOf(options), maker);
}

} // namespace

Result<CompiledNetwork> compileNetwork(const OnnxFile &file, const NetworkOptions &options) {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  TILERIG_TRY(const mlir::OwningOpRef<mlir::ModuleOp> owned,
              importModel(context, file, ImportOptions{options.inputShapes}));
  mlir::ModuleOp module = *owned;
  std::optional<PassWatch> judge;
  if (options.passCheck)
    judge.emplace(*options.passCheck);
  PassWatch *const watch = judge ? &*judge : nullptr;
  TILERIG_CHECK_OK(runPasses(module, file.path(), [](auto &passes) { buildImproveGraph(passes); }, watch));
  releaseUnusedConstants(module);
  MakeLayersOptions fusions;
  TILERIG_TRY(fusions.roundsLast, roundsLast(precisionOf(options)));
  TILERIG_CHECK_OK(runPasses(module, file.path(), [&](auto &passes) { buildMakeLayers(passes, fusions); }, watch));
  releaseUnusedConstants(module);
  CompiledNetwork network;
  auto function = module.lookupSymbol<mlir::func::FuncOp>("main");
  TILERIG_TRY(ExportedModel layers, exported(module));
  network.floatLayers = describeLayers(function, options.machine, layers);
  network.layers = std::move(layers.proto);
  TILERIG_TRY(network.notes, decide(module, options));
  if (const Status quantised = quantiseEdges(function, options.edges); !quantised)
    return quantised.error().within(file.path());
  TILERIG_CHECK_OK(
      runPasses(module, file.path(), std::string("func.func(canonicalize,cse,partition-layers)")));
  TILERIG_CHECK_OK(settlePlaces(module, file.path(), options.machine, options.program.strategy));
  releaseUnusedConstants(module);

  TILERIG_TRY(ExportedModel oracle, exported(module));
  network.oracleLayers = describeLayers(function, options.machine, oracle);
  TILERIG_TRY(DeviceNetwork deviceOps, formDeviceOps(function, cardsOf(function, options.machine), oracle));
  deviceOps.name = std::filesystem::path(file.path()).stem().string();
  nameOperators(nodeTypesOf(file), deviceOps);
  TILERIG_TRY(GeneratedProgram generated, generateProgram(deviceOps, options.machine, options.program));
  network.program = std::move(generated.program);
  network.strategy = std::move(generated.strategy);
  network.oracle = std::move(oracle.proto);
  if (judge)
    network.passes = judge->result();
  if (options.keepsOps)
    network.deviceOps = std::make_shared<const DeviceNetwork>(std::move(deviceOps));
  return network;
}

} // namespace tilerig::compiler
