// `tilerig run`: a program on the emulated machine.
#include "emulator/Observe/Statistics.h"
#include "emulator/Observe/Trace.h"
#include "emulator/Session.h"
#include "emulator/Tools/RunBeats.h"
#include "emulator/Tools/RunFaults.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Program/Reader.h"
#include "isa/Support/File.h"
#include "isa/Tensor/TensorFiles.h"
#include "isa/Tools/CommandLine.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/core.h>
#include <iostream>
#include <nlohmann/json.hpp>

namespace tilerig {

namespace {

enum class Mode { fast, timed };

struct RunArguments {
  std::string program, inputs, outputs, stats, trace;
  Mode mode = Mode::fast;
  unsigned threads = 0, repeat = 1;
  uint64_t seed = 1;
  std::optional<uint64_t> jitter;
  std::vector<std::string> delays; // ID=CYCLES
  FaultArguments faults;
};

Result<DelayAmounts> parseDelays(const std::vector<std::string> &texts) {
  DelayAmounts amounts;
  for (const std::string &text : texts) {
    unsigned id = 0, cycles = 0;
    int end = 0;
    if (std::sscanf(text.c_str(), "%u=%u%n", &id, &cycles, &end) != 2 || text[end] != '\0' || id > 0xFFFF)
      return usageError("--delay", fmt::format("'{}' is not ID=CYCLES", text));
    amounts[static_cast<uint16_t>(id)] = cycles;
  }
  return amounts;
}

// Values from a seed, by SplitMix64: floats even in -1 ... 1, integers even over their range (-100 ... 100
// from 16 bits on).
Tensor seededTensor(const proto::Tensor &tensor, uint64_t &state) {
  Tensor result(*dtypeNamed(tensor.dtype()), Shape(tensor.shape().begin(), tensor.shape().end()));
  const auto next = [&] {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
  };
  dispatch(result.dtype(), [&]<class T>() {
    for (T &element : result.mutableAs<T>()) {
      const uint64_t random = next();
      if constexpr (std::is_floating_point_v<T>)
        element = static_cast<T>(static_cast<double>(random >> 40) * 0x1p-23 - 1);
      else if constexpr (std::is_same_v<T, bool>)
        element = random & 1;
      else if constexpr (std::is_integral_v<T>)
        element = sizeof(T) == 1
                      ? static_cast<T>(random)
                      : static_cast<T>(random % 201) - static_cast<T>(std::is_signed_v<T> ? 100 : 0);
    }
  });
  return result;
}

Result<TensorMap> inputsFor(const Program &program, const RunArguments &arguments) {
  if (!arguments.inputs.empty())
    return readTensors(arguments.inputs);
  TensorMap inputs;
  uint64_t state = arguments.seed;
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (tensor.role() == proto::INPUT)
      CHECK_OK(inputs.add(tensor.name(), seededTensor(tensor, state)));
  return inputs;
}

// The clock of a whole inference: its stages one after another.
Status timeProgram(const Program &program, const RunArguments &arguments, RunStatistics &statistics,
                   TraceWriter *trace) {
  TRY(const DelayAmounts delays, parseDelays(arguments.delays));
  TimelineOptions options{0, arguments.jitter};
  for (uint32_t index = 0; index < program.stages.size(); ++index) {
    if (!std::holds_alternative<DeviceStage>(program.stages[index].work))
      return unsupported(fmt::format("stage '{}'", program.stages[index].name),
                         "stages of the host are not timed yet");
    const StageCosts costs = costsOfStage(program, index, delays);
    const Timeline timeline = timeStage(costs, program, options);
    addStage(program, costs, timeline, statistics);
    if (trace)
      trace->addStage(costs, timeline);
    options.begin = timeline.end;
  }
  finishStatistics(program, statistics);
  return success();
}

double medianOf(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Why a timed run goes by beats; empty if it does not have to.
std::string whyByBeats(const Program &program, const Defects &defects, OnFault onFault) {
  if (!proofHolds(program))
    return "the program has no proof";
  if (defects.needTime())
    return "the hardware is broken";
  return onFault == OnFault::continueRun ? "it goes on after faults" : "";
}

// A proved program that met with a value it cannot cope with.
ExitCode reportFault(const Fault &fault, const Program &program, bool json) {
  nlohmann::ordered_json document;
  addFaults({fault}, program, document);
  if (json)
    std::cout << document.dump(2) << "\n";
  else
    printFaults({fault}, program);
  return ExitCode::input;
}

Result<ExitCode> run(const RunArguments &arguments, bool json) {
  TRY(Program program, readProgram(arguments.program));
  TRY(const TensorMap inputs, inputsFor(program, arguments));
  const bool isTimed = arguments.mode == Mode::timed;
  TRY(Defects defects, readDefects(arguments.faults, program, isTimed));
  if (const std::string why = isTimed ? whyByBeats(program, defects, arguments.faults.onFault) : "";
      !why.empty()) {
    TRY(DelayAmounts delays, parseDelays(arguments.delays));
    return runByBeats(std::move(program), std::move(defects), inputs,
                      {.program = arguments.program,
                       .outputs = arguments.outputs,
                       .stats = arguments.stats,
                       .trace = arguments.trace,
                       .why = why,
                       .repeat = arguments.repeat,
                       .options = {std::move(delays), arguments.jitter, arguments.faults.onFault},
                       .json = json});
  }
  TRY(auto session,
      Session::load(std::move(program), {.threads = arguments.threads, .defects = std::move(defects)}));
  const Program &loaded = session->program();

  std::vector<double> wall;
  TensorMap outputs;
  RunStatistics statistics;
  TraceWriter trace(loaded);
  for (unsigned i = 0; i < arguments.repeat; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    auto result = session->run(inputs);
    if (!result && session->fault())
      return reportFault(*session->fault(), loaded, json);
    TRY(outputs, std::move(result));
    if (arguments.mode == Mode::timed) {
      const bool isLast = i + 1 == arguments.repeat;
      statistics = {};
      CHECK_OK(
          timeProgram(loaded, arguments, statistics, isLast && !arguments.trace.empty() ? &trace : nullptr));
    }
    wall.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }

  if (!arguments.outputs.empty())
    CHECK_OK(writeTensors(arguments.outputs, outputs));
  if (!arguments.trace.empty())
    CHECK_OK(writeText(arguments.trace, std::move(trace).finish()));
  nlohmann::ordered_json document = {{"mode", arguments.mode == Mode::timed ? "timed" : "fast"},
                                     {"machine", loaded.machine.name},
                                     {"threads", session->threads()},
                                     {"repeat", arguments.repeat},
                                     {"wall_ms", medianOf(wall)}};
  if (arguments.mode == Mode::timed)
    document.update(toJson(statistics, loaded));
  if (!arguments.stats.empty())
    CHECK_OK(writeText(arguments.stats, document.dump(2) + "\n"));
  if (json) {
    std::cout << document.dump(2) << "\n";
    return ExitCode::done;
  }
  fmt::print("{}: {:.2f} ms{}", arguments.program, medianOf(wall), arguments.repeat > 1 ? " (median)" : "");
  if (arguments.mode == Mode::timed)
    fmt::print(", {} cycles ({:.3f} ms at {} MHz)", statistics.cycles,
               static_cast<double>(statistics.cycles) / loaded.machine.clockMegahertz * 1e-3,
               loaded.machine.clockMegahertz);
  fmt::print(", {} threads\n", session->threads());
  if (arguments.inputs.empty())
    fmt::print("inputs from seed {}: floats even in -1 ... 1, integers even in their range, at most -100 ... "
               "100 from "
               "16 bits on\n",
               arguments.seed);
  return ExitCode::done;
}

} // namespace

} // namespace tilerig

int main(int argc, char **argv) {
  using namespace tilerig;
  CommandLine line(command("run"),
                   "tilerig run model.trb -i inputs.npz -o outputs.npz\n"
                   "tilerig run model.trb --mode timed --stats stats.json --trace trace.json\n"
                   "tilerig run model.trb --mode timed --fault broken.json --on-fault continue");
  RunArguments arguments;
  CLI::App &options = line.options();
  options.add_option("PROGRAM", arguments.program, "the program (.trb)")->required();
  options.add_option("-i,--inputs", arguments.inputs,
                     "input tensors by name; made from the seed if not given");
  options.add_option("-o,--outputs", arguments.outputs, "where to write the outputs (.npz)");
  options.add_option("--mode", arguments.mode, "fast: values only; timed: and every cycle")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, Mode>{{"fast", Mode::fast}, {"timed", Mode::timed}}));
  options.add_option("--stats", arguments.stats, "where to write statistics (JSON)");
  options.add_option("--trace", arguments.trace, "timed: where to write a Chrome trace, for Perfetto");
  options.add_option("--threads", arguments.threads, "threads of the host; 0: all");
  options.add_option("--repeat", arguments.repeat, "how many inferences; times are medians")
      ->check(CLI::PositiveNumber);
  options.add_option("--seed", arguments.seed, "for inputs that are not given");
  options.add_option("--jitter", arguments.jitter, "timed: stretch every latency at random, by this seed");
  options.add_option("--delay", arguments.delays, "ID=CYCLES: another amount for delays of that id");
  addFaultOptions(options, arguments.faults);
  return line.run(argc, argv, [&] { return run(arguments, line.json()); });
}
