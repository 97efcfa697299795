// `tilerig run`: a program on the emulated machine.
#include "emulator/Observe/TimedRun.h"
#include "emulator/Session.h"
#include "emulator/Tools/RunBeats.h"
#include "emulator/Tools/RunCaptures.h"
#include "emulator/Tools/RunFaults.h"
#include "emulator/Tools/RunInputs.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Program/Reader.h"
#include "isa/Program/Relocate.h"
#include "isa/Support/File.h"
#include "isa/Support/Progress.h"
#include "isa/Support/Writable.h"
#include "isa/Tensor/TensorFiles.h"
#include "isa/Tools/Choice.h"
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
  std::string program, inputs, outputs, stats, trace, captureTo, replace;
  std::vector<std::string> capture; // names, or "all"
  bool dequantise = false, noValues = false;
  Mode mode = Mode::fast;
  unsigned threads = 0, repeat = 1;
  uint64_t seed = 1, ddrBase = 0;
  std::optional<uint64_t> jitter;
  std::vector<std::string> delays; // ID=CYCLES
  FaultArguments faults;
};

// --- what is asked for ---

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

// Options that mean nothing without another one, or in fast mode.
Status checkTogether(const RunArguments &it) {
  if (it.capture.empty() != it.captureTo.empty())
    return usageError(it.capture.empty() ? "--capture-to" : "--capture",
                      it.capture.empty() ? "needs --capture, which says what" : "needs --capture-to, a file");
  if (it.dequantise && it.capture.empty())
    return usageError("--dequantise", "is about tensors that are captured", "give --capture too");
  if (it.noValues && (it.mode == Mode::fast || !it.inputs.empty() || !it.outputs.empty() ||
                      !it.capture.empty() || !it.replace.empty()))
    return usageError("--no-values", "is about cycles alone: it goes with --mode timed and without tensors");
  if (it.mode == Mode::fast && (!it.trace.empty() || it.jitter || !it.delays.empty()))
    return usageError(!it.trace.empty() ? "--trace"
                      : it.jitter       ? "--jitter"
                                        : "--delay",
                      "is about time, which fast mode knows nothing of", "add --mode timed");
  return success();
}

// Who waited for a long run should not lose it to a folder that is not there.
Status checkOutput(const std::string &option, const std::string &path, bool isTensors) {
  if (path.empty())
    return success();
  if (isTensors && !path.ends_with(".npz") && !path.ends_with(".npy") && !path.ends_with(".pb"))
    return usageError(option + " " + path, "the form of the tensors is not known by this ending",
                      "use .npz, .npy or .pb");
  return checkWritable(path);
}

Status checkOutputs(const RunArguments &it) {
  CHECK_OK(checkOutput("--outputs", it.outputs, true));
  CHECK_OK(checkOutput("--capture-to", it.captureTo, true));
  CHECK_OK(checkOutput("--stats", it.stats, false));
  return checkOutput("--trace", it.trace, false);
}

Result<Observation> observationFor(const RunArguments &arguments) {
  Observation observation;
  for (const std::string &name : arguments.capture)
    if (name == "all")
      observation.captureAll = true;
    else
      observation.capture.push_back(name);
  if (!arguments.replace.empty()) {
    TRY(observation.replace, readTensors(arguments.replace));
  }
  return observation;
}

// --- by beats ---

// Why a timed run goes by beats; empty if it does not have to.
std::string whyByBeats(const Program &program, const Defects &defects, OnFault onFault) {
  if (!proofHolds(program))
    return "the program has no proof";
  if (defects.needTime())
    return "the hardware is broken";
  return onFault == OnFault::continueRun ? "it goes on after faults" : "";
}

Result<BeatsRequest> beatsRequestFor(const RunArguments &arguments, std::string why, bool json) {
  TRY(Observation observation, observationFor(arguments));
  TRY(DelayAmounts delays, parseDelays(arguments.delays));
  return BeatsRequest{.program = arguments.program,
                      .outputs = arguments.outputs,
                      .captureTo = arguments.captureTo,
                      .stats = arguments.stats,
                      .trace = arguments.trace,
                      .why = std::move(why),
                      .repeat = arguments.repeat,
                      .options = {std::move(delays), arguments.jitter, arguments.faults.onFault},
                      .observation = std::move(observation),
                      .dequantise = arguments.dequantise,
                      .json = json};
}

// --- the run ---

struct Outcome {
  TensorMap outputs, captured;
  std::vector<std::string> notCaptured;
  std::vector<double> wallMs; // of each inference
  RunStatistics statistics;
  std::string trace;
};

Result<Outcome> carryOut(Session &session, const TensorMap &inputs, const RunArguments &arguments,
                         bool quiet) {
  Outcome outcome;
  TimedRunOptions options{.delays = {}, .jitter = arguments.jitter};
  TRY(options.delays, parseDelays(arguments.delays));
  outcome.statistics = countProgram(session.program());
  Progress progress(arguments.program, !quiet && arguments.repeat > 1 ? arguments.repeat : 0);
  for (unsigned i = 0; i < arguments.repeat; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    if (arguments.mode == Mode::timed) {
      TRY(TimedRun run, runTimed(session, inputs, options));
      outcome.outputs = std::move(run.outputs);
      outcome.statistics = std::move(run.statistics);
    } else {
      TRY(outcome.outputs, session.run(inputs));
    }
    outcome.wallMs.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    progress.advance();
  }
  CHECK_OK(session.finish());
  if (!arguments.trace.empty()) {
    TraceWriter trace(session.program());
    options.trace = &trace;
    timeProgram(session.program(), options);
    outcome.trace = std::move(trace).finish();
  }
  outcome.notCaptured = session.notCaptured();
  outcome.captured = session.captured();
  if (arguments.dequantise) {
    TRY(outcome.captured, session.capturedAsModel());
  }
  return outcome;
}

// --- what comes out ---

double medianOf(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

nlohmann::ordered_json documentOf(const RunStatistics &statistics, const Program &program,
                                  const RunArguments &arguments, unsigned threads, double wallMs) {
  nlohmann::ordered_json document = {{"mode", arguments.mode == Mode::timed ? "timed" : "fast"},
                                     {"machine", program.machine.name},
                                     {"threads", threads},
                                     {"repeat", arguments.repeat},
                                     {"wall_ms", wallMs}};
  document.update(toJson(statistics, program));
  return document;
}

Status writeFiles(const RunArguments &arguments, const Outcome &outcome, const std::string &stats) {
  if (!arguments.outputs.empty())
    CHECK_OK(writeTensors(arguments.outputs, outcome.outputs));
  if (!arguments.captureTo.empty())
    CHECK_OK(writeTensors(arguments.captureTo, outcome.captured));
  if (!arguments.trace.empty())
    CHECK_OK(writeText(arguments.trace, outcome.trace));
  if (!arguments.stats.empty())
    CHECK_OK(writeText(arguments.stats, stats + "\n"));
  return success();
}

void printForPeople(const RunArguments &arguments, const Session &session, const Outcome &outcome) {
  const Machine &machine = session.program().machine;
  fmt::print("{}: {:.2f} ms{}", arguments.program, medianOf(outcome.wallMs),
             arguments.repeat > 1 ? " (median)" : "");
  if (arguments.mode == Mode::timed)
    fmt::print(", {} cycles ({:.3f} ms at {} MHz)", outcome.statistics.cycles(),
               static_cast<double>(outcome.statistics.cycles()) / machine.clockMegahertz * 1e-3,
               machine.clockMegahertz);
  fmt::print(", {} threads\n", session.threads());
  for (const Stage &stage : session.program().stages)
    if (const auto *host = std::get_if<proto::HostWork>(&stage.work))
      fmt::print("stage '{}': {} on the host\n", stage.name, host->kernel());
  printCaptures(arguments.captureTo, outcome.captured.size(), arguments.dequantise, outcome.notCaptured);
  if (arguments.inputs.empty())
    fmt::print(
        "inputs from seed {}: floats even in -1 ... 1, integers even in their range, from 16 bits on in "
        "-100 ... 100 (0 ... 200 if unsigned)\n",
        arguments.seed);
}

// Time depends on no value.
Result<ExitCode> runClock(const Program &program, const RunArguments &arguments, bool json) {
  if (!proofHolds(program) || !arguments.faults.file.empty() ||
      arguments.faults.onFault == OnFault::continueRun)
    return usageError("--no-values",
                      "values decide what happens in a program without a proof, or with faults");
  TimedRunOptions options{.delays = {}, .jitter = arguments.jitter};
  TRY(options.delays, parseDelays(arguments.delays));
  std::optional<TraceWriter> trace;
  if (!arguments.trace.empty())
    options.trace = &trace.emplace(program);
  const auto begin = std::chrono::steady_clock::now();
  const RunStatistics statistics = timeProgram(program, options);
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - begin;
  const std::string text = documentOf(statistics, program, arguments, 1, wall.count()).dump(2);
  if (trace)
    CHECK_OK(writeText(arguments.trace, std::move(*trace).finish()));
  if (!arguments.stats.empty())
    CHECK_OK(writeText(arguments.stats, text + "\n"));
  if (json)
    std::cout << text << "\n";
  else
    fmt::print("{}: {} cycles, values not computed\n", arguments.program, statistics.cycles());
  return ExitCode::done;
}

Result<ExitCode> run(const RunArguments &arguments, bool json) {
  CHECK_OK(checkTogether(arguments));
  CHECK_OK(checkOutputs(arguments));
  TRY(Program read, readProgram(arguments.program));
  TRY(Program program, relocated(std::move(read), arguments.ddrBase));
  if (arguments.noValues)
    return runClock(program, arguments, json);
  TRY(const TensorMap inputs, arguments.inputs.empty() ? seededInputs(program, arguments.seed)
                                                       : readInputs(program, arguments.inputs));
  const bool isTimed = arguments.mode == Mode::timed;
  TRY(Defects defects, readDefects(arguments.faults, program, isTimed));
  if (std::string why = isTimed ? whyByBeats(program, defects, arguments.faults.onFault) : ""; !why.empty()) {
    TRY(const BeatsRequest request, beatsRequestFor(arguments, std::move(why), json));
    return runByBeats(std::move(program), std::move(defects), inputs, request);
  }
  TRY(Observation observation, observationFor(arguments));
  TRY(auto session, Session::load(std::move(program), {.threads = arguments.threads,
                                                       .observation = std::move(observation),
                                                       .defects = std::move(defects)}));
  auto carried = carryOut(*session, inputs, arguments, json);
  if (!carried && session->fault())
    return reportFaults({*session->fault()}, session->program(), json);
  TRY(const Outcome outcome, std::move(carried));

  nlohmann::ordered_json document = documentOf(outcome.statistics, session->program(), arguments,
                                               session->threads(), medianOf(outcome.wallMs));
  if (!outcome.notCaptured.empty())
    document["not_captured"] = outcome.notCaptured;
  const std::string text = document.dump(2);
  CHECK_OK(writeFiles(arguments, outcome, text));
  if (json)
    std::cout << text << "\n";
  else
    printForPeople(arguments, *session, outcome);
  return ExitCode::done;
}

} // namespace

} // namespace tilerig

int main(int argc, char **argv) {
  using namespace tilerig;
  CommandLine line(command("run"),
                   "tilerig run model.trb -i inputs.npz -o outputs.npz\n"
                   "tilerig run model.trb --mode timed --stats stats.json --trace trace.json "
                   "  # open it in ui.perfetto.dev\n"
                   "tilerig run model.trb --capture all --capture-to seen.npz --dequantise\n"
                   "tilerig run model.trb --capture conv1,pool1 --capture-to seen.npz\n"
                   "tilerig run model.trb --replace conv1.npz -o outputs.npz                 "
                   "  # what if conv1 gave this?\n"
                   "tilerig run model.trb --mode timed --fault broken.json --on-fault continue\n"
                   "tilerig run model.trb --repeat 100 --threads 2 --json");
  RunArguments arguments;
  CLI::App &options = line.options();
  options.add_option("PROGRAM", arguments.program, "the program (.trb)")->required();
  options.add_option("-i,--inputs", arguments.inputs,
                     "input tensors by name (.npz, .npy, .pb or a folder of them); made from the seed if not "
                     "given");
  options.add_option("-o,--outputs", arguments.outputs, "where to write the outputs (.npz, .npy or .pb)");
  addChoice<Mode>(options, "--mode", arguments.mode, {{"fast", Mode::fast}, {"timed", Mode::timed}},
                  "fast: values only; timed: and every cycle");
  options
      .add_option("--capture", arguments.capture,
                  "tensors to look at, by their ONNX names with commas between them; all: every one that the "
                  "program keeps")
      ->delimiter(',')
      ->allow_extra_args(false);
  options.add_option("--capture-to", arguments.captureTo, "where to write them (.npz, .npy or .pb)");
  options.add_flag("--dequantise", arguments.dequantise,
                   "write them in the types of the model, as real numbers; else elements are written as they "
                   "are stored");
  options.add_option(
      "--replace", arguments.replace,
      "tensors to take in place of those that the program computes, in the types of the model or "
      "as they are stored");
  options.add_option("--ddr-base", arguments.ddrBase,
                     "where in DDR the program is loaded, as 0x40000000; it has to be compiled with "
                     "--dram_addr_relocatable");
  options.add_flag("--no-values", arguments.noValues,
                   "timed: only the clock; no value is computed, so no inputs are needed");
  options.add_option("--stats", arguments.stats, "where to write statistics (JSON)");
  options.add_option("--trace", arguments.trace, "timed: where to write a Chrome trace, for Perfetto");
  options.add_option("--threads", arguments.threads, "threads of the host; 0: all")
      ->check(CLI::Range(0, 1024));
  options.add_option("--repeat", arguments.repeat, "how many inferences; times are medians")
      ->check(CLI::Range(1, 1000000));
  options.add_option(
      "--seed", arguments.seed,
      "for inputs that are not given; they are not those that tilerig reference makes of it: to "
      "compare, give both the same -i");
  options.add_option("--jitter", arguments.jitter, "timed: stretch every latency at random, by this seed");
  options.add_option("--delay", arguments.delays, "ID=CYCLES: another amount for delays of that id")
      ->allow_extra_args(false);
  addFaultOptions(options, arguments.faults);
  return line.run(argc, argv, [&] { return run(arguments, line.json()); });
}
