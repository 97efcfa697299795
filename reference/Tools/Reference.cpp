// `tilerig reference`: interprets an ONNX model on inputs from files or from a seed, and stores the outputs
// and, on request, intermediate values.
#include "isa/Base/CommandLine/CommandLine.h"
#include "isa/Base/Support/Progress.h"
#include "isa/Base/Tensor/MemoryLimit.h"
#include "isa/Base/Tensor/Npz.h"
#include "reference/Model/Load.h"
#include "reference/Run/Interpreter.h"
#include "reference/Simulate/Int8.h"
#include "reference/Tools/Capture.h"
#include "reference/Tools/Inputs.h"
#include "reference/Tools/Report.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>

namespace tilerig::reference {
namespace {

struct Options {
  std::string model, output, precision = "fp32", arithmetic = "fast", captureTo, saveInputs;
  std::vector<std::string> inputs, inputShapes, captures, calibration;
  std::string calibrationMethod = "min-max";
  unsigned threads = 0, repeat = 1;
  uint64_t seed = 0, memoryLimit = 0;
  uint64_t nodeLimit = RunOptions().nodeLimit;
  bool json = false;
};

constexpr std::pair<const char *, Precision> precisions[] = {{"fp32", Precision::fp32},
                                                             {"fp64", Precision::fp64},
                                                             {"fp16", Precision::fp16},
                                                             {"bf16", Precision::bf16}};
constexpr std::pair<const char *, Arithmetic> arithmetics[] = {{"fast", Arithmetic::fast},
                                                               {"machine", Arithmetic::machine}};

// The value of --precision that simulates 8-bit quantisation: a float run with rounded values
// (Simulate/Int8.h), for which the interpreter has no precision of its own.
const std::string int8 = "int8";

std::vector<std::string> namesIn(const auto &table) {
  std::vector<std::string> names;
  for (const auto &[name, value] : table)
    names.push_back(name);
  return names;
}

auto valueIn(const auto &table, const std::string &name) {
  return std::ranges::find(table, name, [](const auto &row) { return std::string(row.first); })->second;
}

void addOptions(CommandOptions &line, Options &options) {
  line.addOption("MODEL", options.model, "model (.onnx)").required();
  CommandOption inputs =
      line.addOption(
              "-i,--input", options.inputs,
              "input tensors (.npz, .npy, .pb, .safetensors, .json of Polygraphy, or a folder); may be given several times "
              "(default: random inputs made from --seed)")
          .oneValueEach();
  line.addOption("-o,--output", options.output, "write the outputs to this file (.npz)");
  std::vector<std::string> known = namesIn(precisions);
  known.push_back(int8);
  line.addOption(
          "--precision", options.precision,
          "type in which floats are computed and stored; int8 computes in fp32 and rounds every stored "
          "tensor to 8 bits")
      .oneOf(known)
      .showDefault();
  line.addOption(
          "--calibration", options.calibration,
          "with --precision int8: calibration sample (.npz, .npy, .pb, .safetensors, .json of Polygraphy, or a folder); may be given "
          "several times (default: the inputs)")
      .oneValueEach();
  line.addOption("--calibration-method", options.calibrationMethod,
                 "with --precision int8: min-max uses the extremes of all samples; average uses the mean of "
                 "their minima and of their maxima; average:R also multiplies ranges by a factor that rises "
                 "from 1 at the first operator to R at the last")
      .showDefault();
  line.addOption("--arithmetic", options.arithmetic,
                 "order of summation: fast is what the host does quickest; machine is the accelerator's "
                 "order, bit for bit")
      .oneOf(namesIn(arithmetics))
      .showDefault();
  CommandOption capture =
      line.addOption("--capture", options.captures,
                     "values of the main graph to capture: all, or names separated by commas; "
                     "may be given several times")
          .oneValueEach();
  CommandOption captureTo =
      line.addOption("--capture-to", options.captureTo, "write captured values to this file (.npz)");
  capture.needs(captureTo);
  captureTo.needs(capture);
  line.addOption("--input-shape", options.inputShapes,
                 "NAME=1x3x224x224: shape of a random input; may be given several times")
      .oneValueEach()
      .excludes(inputs);
  line.addOption("--save-inputs", options.saveInputs,
                 "write the inputs, read or random, to this file "
                 "(.npz)");
  line.addOption("--seed", options.seed, "seed of the random inputs").showDefault().excludes(inputs);
  line.addOption("--threads", options.threads, "number of host threads; results do not depend on it")
      .range(1, 1024);
  line.addOption("--repeat", options.repeat, "run this many times and print the median time")
      .range(1, 1000000)
      .excludes(capture);
  line.addOption("--memory-limit", options.memoryLimit,
                 "memory for tensors, such as 8GB; a run that needs more is refused (default: 4 GiB plus "
                 "100 times the size of weights and inputs, at most 3/4 of the host's memory)")
      .bytes()
      .range(int64_t{1}, INT64_MAX);
  line.addOption("--node-limit", options.nodeLimit,
                 "largest number of nodes that a run may execute, which stops endless loops")
      .range(int64_t{1}, INT64_MAX)
      .showDefault();
}

// The outputs in the model's order, without duplicates.
TensorMap inOrder(const Graph &graph, const NamedTensors &outputs) {
  TensorMap ordered;
  for (ValueId id : graph.outputs) {
    const std::string &name = graph.values[static_cast<size_t>(id)].name;
    if (!ordered.find(name))
      (void)ordered.add(name, outputs.at(name));
  }
  return ordered;
}

double millisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

Result<NamedTensors> gatherInputs(const Options &options, const Model &model, uint64_t limit) {
  MemoryScope scope(std::make_shared<MemoryBudget>(limit));
  if (!options.inputs.empty())
    return readInputs(model, options.inputs);
  return makeInputs(model, options.inputShapes, options.seed);
}

Status saveInputs(const NamedTensors &inputs, const std::string &path) {
  TensorMap map;
  for (const auto &[name, tensor] : inputs)
    TILERIG_CHECK_OK(map.add(name, tensor));
  return writeNpz(path, map);
}

// Runs the model `repeat` times; returns the last outputs and the median time.
Result<NamedTensors> timedRuns(const Interpreter &interpreter, const NamedTensors &inputs, unsigned repeat,
                               double &median) {
  std::vector<double> times;
  NamedTensors outputs;
  for (unsigned i = 0; i < repeat; ++i) {
    outputs.clear();
    auto start = std::chrono::steady_clock::now();
    TILERIG_TRY(outputs, interpreter.run(inputs));
    times.push_back(millisecondsSince(start));
  }
  std::ranges::nth_element(times, times.begin() + static_cast<ptrdiff_t>(times.size() / 2));
  median = times[times.size() / 2];
  return outputs;
}

Status checkFiles(const Options &options) {
  for (const auto &[option, path] : {std::pair{"-o", options.output},
                                     {"--capture-to", options.captureTo},
                                     {"--save-inputs", options.saveInputs}})
    if (!path.empty() && !path.ends_with(".npz"))
      return usageError(std::string(option) + " " + path, "tensors can be written only as .npz",
                        "use a file name that ends in .npz");
  return success();
}

Status checkIdle(const Options &options, const CommandOptions &line) {
  for (const char *option : {"--calibration", "--calibration-method"})
    if (options.precision != int8 && line.count(option) > 0)
      return usageError(option, "this option has an effect only with --precision int8",
                        "add --precision int8");
  return success();
}

RunOptions runOptions(const Options &options, uint64_t memoryLimit) {
  RunOptions run;
  run.precision = options.precision == int8 ? Precision::fp32 : valueIn(precisions, options.precision);
  run.arithmetic = valueIn(arithmetics, options.arithmetic);
  run.memoryLimit = memoryLimit;
  run.nodeLimit = options.nodeLimit;
  return run;
}

// The calibration samples given on the command line, or else the inputs.
Result<std::vector<NamedTensors>> readSamples(const Options &options, const Model &model,
                                              const NamedTensors &inputs) {
  std::vector<NamedTensors> samples;
  for (const std::string &path : options.calibration) {
    TILERIG_TRY(NamedTensors sample, readInputs(model, {path}));
    samples.push_back(std::move(sample));
  }
  if (samples.empty())
    samples.push_back(inputs);
  return samples;
}

Result<Int8Simulation> calibrated(const Options &options, const Model &model, const NamedTensors &inputs,
                                  const RunOptions &run, Threads &threads) {
  auto calibration = parseCalibration(options.calibrationMethod);
  if (!calibration)
    return calibration.error().within("--calibration-method");
  TILERIG_TRY(const std::vector<NamedTensors> samples, readSamples(options, model, inputs));
  auto simulation = Int8Simulation::calibrate(model, samples, *calibration, run, threads);
  if (!simulation)
    return simulation.error().within("calibration");
  return simulation;
}

// Everything in the report that is known before the model is run.
Report reportOn(const Options &options, const Model &model, const NamedTensors &inputs) {
  Report report;
  report.model = options.model;
  report.precision = options.precision;
  report.arithmetic = options.arithmetic;
  report.nodes = model.graph.nodes.size();
  report.inputs = inputs;
  report.repeat = options.repeat;
  report.outputFile = options.output;
  report.captureFile = options.captureTo;
  if (options.inputs.empty())
    report.seed = options.seed;
  return report;
}

// Bytes of the weights, including external files, and of the input files, including those in folders.
uint64_t bytesOfFiles(const Options &options, const Model &model) {
  uint64_t bytes = weightBytes(model);
  for (const std::string &file : options.inputs) {
    std::error_code failed;
    if (const uint64_t size = std::filesystem::file_size(file, failed); !failed)
      bytes += size;
    for (std::filesystem::directory_iterator entry(file, failed), end; !failed && entry != end;
         entry.increment(failed))
      if (const uint64_t size = entry->file_size(failed); !failed)
        bytes += size;
  }
  return bytes;
}

// Output files are opened before the run, so that a long run is not lost to a file that cannot be written.
Result<ExitCode> interpret(const Options &options, const CommandOptions &line) {
  TILERIG_CHECK_OK(checkIdle(options, line));
  TILERIG_CHECK_OK(checkFiles(options));
  TILERIG_TRY(Model model, loadModel(options.model));
  const uint64_t limit =
      options.memoryLimit ? options.memoryLimit : usualMemoryLimit(bytesOfFiles(options, model));
  TILERIG_TRY(NamedTensors inputs, gatherInputs(options, model, limit));
  if (!options.saveInputs.empty())
    TILERIG_CHECK_OK(saveInputs(inputs, options.saveInputs));
  RunOptions run = runOptions(options, limit);
  std::optional<NpzWriter> output;
  if (!options.output.empty()) {
    TILERIG_TRY(NpzWriter created, NpzWriter::create(options.output));
    output.emplace(std::move(created));
  }
  std::optional<Capture> capture;
  if (!options.captures.empty()) {
    TILERIG_TRY(Capture created, Capture::create(model.graph, options.captures, options.captureTo));
    capture.emplace(std::move(created));
    run.capture = [&](const std::string &name, const Tensor &value) { return capture->add(name, value); };
  }
  Report report = reportOn(options, model, inputs);
  Progress progress("reference", report.nodes * options.repeat);
  run.progress = [&](size_t, size_t) { progress.advance(); };
  Threads threads(options.threads);
  report.threads = threads.count();
  std::optional<Int8Simulation> simulation;
  if (options.precision == int8) {
    TILERIG_TRY(simulation, calibrated(options, model, inputs, run, threads));
    simulation->applyTo(model, run);
    report.simulation = SimulatedInt8{.samples = std::max<size_t>(options.calibration.size(), 1),
                                      .fromInputs = options.calibration.empty(),
                                      .method = options.calibrationMethod,
                                      .stored = simulation->numStored(),
                                      .weights = simulation->numWeights()};
  }
  TILERIG_TRY(Interpreter interpreter, Interpreter::create(std::move(model), run, threads));
  TILERIG_TRY(NamedTensors outputs, timedRuns(interpreter, inputs, options.repeat, report.wallMilliseconds));
  report.outputs = inOrder(interpreter.model().graph, outputs);
  if (output) {
    for (const NamedTensor &entry : report.outputs)
      TILERIG_CHECK_OK(output->add(entry.name, entry.tensor));
    TILERIG_CHECK_OK(output->commit());
  }
  if (capture) {
    TILERIG_CHECK_OK(capture->commit());
    report.captured = capture->count();
  }
  std::cout << (options.json ? asJson(report) : asText(report));
  return ExitCode::done;
}

} // namespace
} // namespace tilerig::reference

int main(int argc, char **argv) {
  using namespace tilerig;
  CommandLine line(
      command("reference"),
      "tilerig reference model.onnx -i in.npz -o out.npz\n"
      "tilerig reference model.onnx --input-shape x=1x3x224x224 --seed 7 -o out.npz --json\n"
      "tilerig reference model.onnx -i in.npz --capture all --capture-to values.npz\n"
      "tilerig reference model.onnx -i in.npz --precision int8 --calibration a.npz --calibration b.npz");
  reference::Options options;
  reference::addOptions(line.options(), options);
  return line.run(argc, argv, [&] {
    options.json = line.json();
    return reference::interpret(options, line.options());
  });
}
