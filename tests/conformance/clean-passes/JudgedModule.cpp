#include "tests/conformance/clean-passes/JudgedModule.h"

#include "compiler/Export/Export.h"
#include "compiler/Graph/Import/Import.h"
#include "compiler/Layer/IR/Layer.h"
#include "compiler/PassCheck/PassWatch.h"
#include "compiler/Pipelines/RunPasses.h"
#include "reference/Model/Load.h"
#include "reference/Tools/Inputs.h"
#include "verify/Check/CompileStep.h"
#include "verify/Passes/JudgePasses.h"

#include <mlir/Parser/Parser.h>

namespace tilerig::meaning {
using namespace compiler;

Result<JudgedModule> JudgedModule::import(const verify::SourceModel &source, const TensorMap &inputs,
                                          reference::Threads &threads) {
  TILERIG_TRY(TensorMap original, verify::originalTensors(source, inputs, threads));
  TILERIG_TRY(OnnxFile file, source.forCompiler());
  ImportOptions options;
  for (const NamedTensor &input : inputs)
    options.inputShapes[input.name] = input.tensor.shape();
  const Load load = [file = std::move(file), options](mlir::MLIRContext &context) {
    return importModel(context, file, options);
  };
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  TILERIG_CHECK_OK(load(context));
  return JudgedModule(load, source.name(), inputs, std::move(original), threads);
}

Result<JudgedModule> JudgedModule::of(const std::string &text, std::string name, uint64_t seed,
                                      reference::Threads &threads) {
  const Load load = [text](mlir::MLIRContext &context) -> Result<Module> {
    context.loadDialect<graph::GraphDialect, layer::LayerDialect, mlir::func::FuncDialect>();
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  };
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  TILERIG_TRY(Module module, load(context));
  TILERIG_TRY(const ExportedModel model, exported(*module));
  const std::string bytes = model.proto.SerializeAsString();
  TILERIG_TRY(const reference::Model loaded,
              reference::parseModel(std::as_bytes(std::span(bytes)), name, ""));
  TILERIG_TRY(const reference::NamedTensors drawn, reference::makeInputs(loaded, {}, seed));
  TensorMap inputs;
  for (const auto &[input, tensor] : drawn)
    TILERIG_CHECK_OK(inputs.add(input, tensor));
  return JudgedModule(load, std::move(name), {}, std::move(inputs), threads);
}

Status JudgedModule::lower(mlir::ModuleOp module, const PassRun &run, PassWatch &watch) const {
  PipelineOptions pipeline;
  PipelineNotes notes;
  pipeline.model = name;
  pipeline.graphPasses = run.pipeline;
  pipeline.without = run.without;
  if (!run.precision.empty())
    pipeline.precision = PrecisionOptions{.precision = run.precision};
  pipeline.calibration = [&](const ExportedModel &layers) {
    return verify::statisticsOf(layers.proto, name, inputs, *threads);
  };
  pipeline.notes = &notes;
  TILERIG_TRY(pipeline.tiles.machine, loadMachine("tr64"));
  watch.judgeRanges(notes.precision.table);
  PipelineRun passes(module, pipeline, [&](mlir::PassManager &manager) { watch.follow(manager); });
  TILERIG_CHECK_OK(passes.run(PipelinePhase::graph));
  if (!run.makesLayers)
    return success();
  TILERIG_CHECK_OK(passes.run(PipelinePhase::layers));
  if (run.precision.empty())
    return success();
  TILERIG_CHECK_OK(passes.run(PipelinePhase::precision));
  return passes.run(PipelinePhase::places);
}

Result<PassJudgement> JudgedModule::judge(const PassRun &run) const {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  TILERIG_TRY(Module module, load(context));
  verify::ReferenceRunner runner(*threads);
  const PassCheckOptions options{.runner = &runner, .original = original};
  RewriteObservers observers(context);
  PassWatch watch(options, observers);
  const Status status = lower(*module, run, watch);
  // The compiler may refuse a model with the error "unsupported", or with "invalid input" because no range
  // can be calibrated on inputs that are NaN or infinite.
  const bool isRefusal = !status && (status.error().kind == ErrorKind::unsupported ||
                                     status.error().kind == ErrorKind::invalidInput);
  if (!status && !isRefusal)
    return status.error();
  return PassJudgement{watch.result(), status ? std::string() : status.error().what};
}

} // namespace tilerig::meaning
