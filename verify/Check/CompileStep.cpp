#include "verify/Check/CompileStep.h"

#include "compiler/Planning/Quantisation/Samples.h"
#include "reference/Model/Load.h"
#include "verify/Check/ReferenceStatistics.h"
#include "verify/Passes/JudgePasses.h"

#include <fmt/core.h>

namespace tilerig::verify {

namespace {

Result<reference::Model> forReference(const onnx::ModelProto &model, const std::string &name) {
  TILERIG_TRY(const std::string bytes, bytesOf(model, name));
  return reference::parseModel(std::as_bytes(std::span(bytes)), name, "");
}

std::vector<compiler::ModelInput> inputsOf(const reference::Graph &graph) {
  std::vector<compiler::ModelInput> inputs;
  for (const reference::ValueId id : graph.inputs) {
    const reference::Value &value = graph.values[static_cast<size_t>(id)];
    compiler::ModelInput input{value.name, value.declared ? value.declared->type : DType::f32, {}};
    if (value.declared && value.declared->shape)
      for (const auto &size : *value.declared->shape)
        input.shape.push_back(size.value_or(-1));
    inputs.push_back(std::move(input));
  }
  return inputs;
}

// Marks uint16 tensors of a calibration sample as bfloat16 where the model's input is bfloat16: numpy has no
// bfloat16, so its files store such numbers as uint16.
Status readBits(TensorMap &sample, const std::vector<compiler::ModelInput> &inputs) {
  for (const compiler::ModelInput &input : inputs)
    if (Tensor *tensor = sample.find(input.name); tensor && input.type == DType::bf16) {
      TILERIG_TRY(*tensor, tensor->reinterpreted(DType::bf16));
    }
  return success();
}

Result<std::vector<TensorMap>> samplesOf(const std::string &path, const reference::Graph &graph) {
  const std::vector<compiler::ModelInput> wanted = inputsOf(graph);
  TILERIG_TRY(std::vector<TensorMap> samples, compiler::readSamples(path, wanted));
  for (TensorMap &sample : samples)
    TILERIG_CHECK_OK(readBits(sample, wanted));
  return samples;
}

Result<std::unique_ptr<compiler::CalibrationSource>>
statisticsOf(const onnx::ModelProto &layers, const SourceModel &source, const TensorMap &inputs,
             const CompileOptions &options, reference::Threads &threads) {
  TILERIG_TRY(reference::Model model, forReference(layers, source.name() + " (layers)"));
  TILERIG_TRY(ReferenceRun run, ReferenceRun::load(std::move(model), reference::Arithmetic::fast, threads));
  std::vector<TensorMap> samples = {options.calibrationInputs.value_or(inputs)};
  std::string words = options.inputsInWords;
  if (!options.calibration.empty()) {
    TILERIG_TRY(samples, samplesOf(options.calibration, run.graph()));
    words =
        fmt::format("{} sample{} of {}", samples.size(), samples.size() == 1 ? "" : "s", options.calibration);
  }
  return std::unique_ptr<compiler::CalibrationSource>(
      std::make_unique<ReferenceStatistics>(std::move(run), std::move(samples), std::move(words)));
}

} // namespace

Result<std::unique_ptr<compiler::CalibrationSource>> statisticsOf(const onnx::ModelProto &layers,
                                                                  const std::string &name,
                                                                  const TensorMap &sample,
                                                                  reference::Threads &threads) {
  TILERIG_TRY(reference::Model model, forReference(layers, name + " (layers)"));
  TILERIG_TRY(ReferenceRun run, ReferenceRun::load(std::move(model), reference::Arithmetic::fast, threads));
  return std::unique_ptr<compiler::CalibrationSource>(
      std::make_unique<ReferenceStatistics>(std::move(run), std::vector{sample}, "1 sample"));
}

Result<CompiledModel> compileStep(const SourceModel &source, const TensorMap &inputs,
                                  const CompileOptions &options, reference::Threads &threads) {
  TILERIG_TRY(const compiler::OnnxFile file, source.forCompiler());
  compiler::NetworkOptions network;
  for (const NamedTensor &input : inputs)
    network.inputShapes[input.name] = input.tensor.shape();
  network.precision = options.precision;
  if (options.calibration.ends_with(".json"))
    network.calibrationTable = options.calibration;
  network.statistics = [&](const onnx::ModelProto &layers) {
    return statisticsOf(layers, source, inputs, options, threads);
  };
  network.edges = options.edges;
  network.machine = options.machine;
  network.program = options.program;
  network.keepsOps = options.keepsOps;
  network.passes = options.passes;
  network.passBug = options.passBug;
  network.bugSeed = options.bugSeed;
  ReferenceRunner runner(threads);
  EmulatorRunner emulator(inputs, threads.count());
  compiler::PassCheckOptions passCheck;
  passCheck.decisionsOnly = !options.judgesPasses;
  network.passCheck = &passCheck;
  network.onPasses = options.onPasses;
  if (options.judgesPasses) {
    passCheck.runner = &runner;
    passCheck.programs = &emulator;
    TILERIG_TRY(passCheck.original, originalTensors(source, inputs, threads));
  }
  TILERIG_TRY(compiler::CompiledNetwork compiled, compiler::compileNetwork(file, network));
  return CompiledModel{
      std::move(compiled.program),      std::move(compiled.oracle),      std::move(compiled.layers),
      std::move(compiled.oracleLayers), std::move(compiled.floatLayers), std::move(compiled.passBug),
      std::move(compiled.passes),       std::move(compiled.notes),       std::move(compiled.warnings),
      std::move(compiled.strategy),     std::move(compiled.deviceOps)};
}

} // namespace tilerig::verify
