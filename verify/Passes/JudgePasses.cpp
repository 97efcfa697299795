#include "verify/Passes/JudgePasses.h"

#include "reference/Model/Load.h"
#include "reference/Run/Interpreter.h"
#include "verify/Check/Device.h"
#include "verify/Check/HandedInputs.h"
#include "verify/Check/OriginalInDoubles.h"
#include "verify/Check/WidenHalves.h"

namespace tilerig::verify {

namespace {

// Declares the model's float32 inputs as doubles, so that the model is computed in fp64.
void declareDoubles(reference::Graph &graph) {
  for (const reference::ValueId input : graph.inputs)
    if (auto &declared = graph.values[static_cast<size_t>(input)].declared;
        declared && declared->type == DType::f32)
      declared->type = DType::f64;
}

} // namespace

Result<TensorMap> ReferenceRunner::run(const onnx::ModelProto &proto, const TensorMap &inputs,
                                       Arithmetic arithmetic, const Visit &visit) {
  TILERIG_TRY(const std::string bytes, bytesOf(proto, "the ONNX model of a part of the module"));
  TILERIG_TRY(reference::Model model, reference::parseModel(std::as_bytes(std::span(bytes)),
                                                            "the ONNX model of a part of the module", ""));
  reference::RunOptions options;
  if (arithmetic == Arithmetic::doubles) {
    declareDoubles(model.graph);
    options.precision = reference::Precision::fp64;
  } else {
    options.arithmetic = reference::Arithmetic::machine;
  }
  for (const auto &[id, tensor] : model.graph.initialisers)
    visit(model.graph.values[static_cast<size_t>(id)].name, tensor);
  reference::NamedTensors named;
  for (const NamedTensor &input : inputs) {
    visit(input.name, input.tensor);
    named.emplace(input.name, input.tensor);
  }
  options.capture = [&](const std::string &name, const Tensor &value) {
    visit(name, value);
    return success();
  };
  TILERIG_TRY(const auto interpreter, reference::Interpreter::create(std::move(model), options, threads));
  TILERIG_TRY(reference::NamedTensors outputs, interpreter.run(named));
  TensorMap results;
  for (auto &[name, tensor] : outputs)
    TILERIG_CHECK_OK(results.add(name, std::move(tensor)));
  return results;
}

Result<TensorMap> EmulatorRunner::run(Program program) {
  if (const Objection objection = proveAnew(program); !objection.problem.empty())
    return invalidInput("the program", "the analyser cannot prove it free of races: " + objection.problem);
  TILERIG_TRY(const HandedInputs handed, handOver(program, inputs));
  TILERIG_TRY(DeviceRun run, runAccumulated(program, handed.integers, {.threads = threads, .jitter = {}}));
  if (!run.ended || !run.faults.empty())
    return invalidInput("the program", "the emulator stops with a fault: " +
                                           (run.faults.empty() ? std::string() : run.faults.front()));
  return std::move(run.tensors);
}

Result<TensorMap> originalTensors(const SourceModel &source, const TensorMap &inputs,
                                  reference::Threads &threads) {
  TILERIG_TRY(TensorMap values, originalInDoubles(source, inputs, {}, threads));
  for (const NamedTensor &input : inputs)
    if (!values.find(input.name))
      TILERIG_CHECK_OK(values.add(input.name, input.tensor));
  return values;
}

} // namespace tilerig::verify
