// `tilerig run`: runs a program on the emulated machine.
#include "emulator/Framework/ReferenceFramework.h"
#include "emulator/Observe/Replace.h"
#include "emulator/Observe/TimedRun.h"
#include "emulator/Session.h"
#include "emulator/Tools/RunBeats.h"
#include "emulator/Tools/RunCaptures.h"
#include "emulator/Tools/RunDelays.h"
#include "emulator/Tools/RunFaults.h"
#include "emulator/Tools/RunInputs.h"
#include "emulator/Tools/RunLoop.h"
#include "emulator/Tools/RunMemory.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Base/CommandLine/CommandLine.h"
#include "isa/Base/CommandLine/IdleOptions.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Support/Printable.h"
#include "isa/Base/Support/Progress.h"
#include "isa/Base/Support/Writable.h"
#include "isa/Base/Tensor/MemoryBudget.h"
#include "isa/Base/Tensor/MemoryLimit.h"
#include "isa/Base/Tensor/SeededTensor.h"
#include "isa/Base/Tensor/TensorFiles.h"
#include "isa/Program/ProgramSet.h"
#include "isa/Program/Reader.h"
#include "isa/Program/Relocate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fmt/core.h>
#include <iostream>

namespace tilerig::emulator {

namespace {

// When the command was started, not counting the time to load the executable.
const auto commandStart = std::chrono::steady_clock::now();

enum class Mode { fast, timed };

struct RunArguments {
  std::string program, inputs, outputs, stats, trace, captureTo, replace;
  std::vector<std::string> capture; // names of tensors, or "all"
  bool dequantise = false, noValues = false;
  Mode mode = Mode::fast;
  unsigned threads = 0, repeat = 1;
  uint64_t seed = 0, ddrBase = 0, memoryLimit = 0;
  std::optional<uint64_t> jitter;
  std::vector<std::string> delays; // each as ID=CYCLES
  // Path of a statistics file, in which an earlier run measured the delays.
  std::string delaysFrom;
  FaultArguments faults;
  LoopArguments loop;
};

InModelTypes captureTypes(const RunArguments &arguments) {
  return arguments.dequantise ? InModelTypes::all : InModelTypes::outputs;
}

// --- arguments ---

// If --no-values is set, refuses the options that concern values, because values are not computed then.
Status refuseIdleOfClock(const RunArguments &arguments, const CommandOptions &options) {
  for (const char *option :
       {"--inputs", "--outputs", "--capture", "--replace", "--seed", "--memory-limit", "--loop"})
    TILERIG_CHECK_OK(refuseIdle(
        options,
        {{option, arguments.noValues, "this option has no effect, because --no-values computes no values",
          "remove --no-values, or the option that has no effect with it"}}));
  return refuseIdle(
      options,
      {{.option = "--repeat",
        .isIdle = arguments.noValues,
        .why = "this option has no effect, because the cycles that --no-values counts are the same in each "
               "repetition",
        .remedy = "remove --no-values, or the option that has no effect with it"}});
}

// Refuses options that have no effect without another option, or in fast mode.
Status checkTogether(const RunArguments &arguments, const CommandOptions &options) {
  for (const char *option : {"--trace", "--jitter", "--delay", "--delays-from", "--no-values"})
    TILERIG_CHECK_OK(
        refuseIdle(options, {{option, arguments.mode == Mode::fast,
                              "this option has an effect only in timed mode", "add --mode timed"}}));
  TILERIG_CHECK_OK(refuseIdleOfClock(arguments, options));
  TILERIG_CHECK_OK(
      refuseIdle(options, {{.option = "--dequantise",
                            .isIdle = arguments.capture.empty(),
                            .why = "this option has an effect only on captured tensors",
                            .remedy = "add --capture"},
                           {.option = "--seed",
                            .isIdle = !arguments.inputs.empty(),
                            .why = "this option has no effect, because --inputs gives all inputs",
                            .remedy = "remove --inputs, or --seed"},
                           {.option = "--state",
                            .isIdle = arguments.loop.steps == 0,
                            .why = "this option has an effect only between the steps of a loop",
                            .remedy = "add --loop"},
                           {.option = "--repeat",
                            .isIdle = arguments.loop.steps > 0,
                            .why = "this option has no effect, because --loop gives the number of runs",
                            .remedy = "remove --repeat, or --loop"}}));
  if (arguments.capture.empty() != arguments.captureTo.empty())
    return usageError(arguments.capture.empty() ? "--capture-to" : "--capture",
                      arguments.capture.empty()
                          ? "this option needs --capture, which names the tensors to capture"
                          : "this option needs --capture-to, the file for the captured tensors");
  if (arguments.noValues &&
      (!arguments.faults.file.empty() || arguments.faults.onFault == OnFault::continueRun))
    return usageError(arguments.faults.file.empty() ? "--on-fault" : "--fault",
                      "the effects of faults depend on values, and --no-values computes no values",
                      "remove --no-values, or the option about faults");
  return success();
}

// Checks that an output file can be written, so that a long run is not lost to a missing folder.
Status checkOutput(const std::string &option, const std::string &path, bool isTensors) {
  if (path.empty())
    return success();
  if (isTensors && !path.ends_with(".npz") && !path.ends_with(".npy") && !path.ends_with(".pb"))
    return usageError(option + " " + path, "unknown file type for tensors",
                      "use a file name that ends in .npz, .npy or .pb");
  return checkWritable(path);
}

Status checkOutputs(const RunArguments &arguments) {
  TILERIG_CHECK_OK(checkOutput("--outputs", arguments.outputs, true));
  TILERIG_CHECK_OK(checkOutput("--capture-to", arguments.captureTo, true));
  TILERIG_CHECK_OK(checkOutput("--stats", arguments.stats, false));
  return checkOutput("--trace", arguments.trace, false);
}

Result<Observation> observationFor(const Program &program, const RunArguments &arguments) {
  Observation observation;
  for (const std::string &name : arguments.capture)
    if (name == "all")
      observation.captureAll = true;
    else
      observation.capture.push_back(name);
  if (!arguments.replace.empty()) {
    TILERIG_TRY(observation.replace,
                readTensors(arguments.replace, [&](const TensorHead &head) -> Result<bool> {
                  TILERIG_CHECK_OK(checkReplacement(program, head.name, head.dtype, head.shape));
                  return true;
                }));
  }
  return observation;
}

// --- timed runs that execute instructions beat by beat (row by row) ---

// Returns the reason why a timed run must execute instructions beat by beat (row by row); empty if it need
// not.
std::string whyByBeats(const Program &program, const Defects &defects, OnFault onFault) {
  if (!proofHolds(program))
    return "the program has no proof that it is free of races";
  if (defects.needTime())
    return "the effects of the hardware faults depend on time";
  return onFault == OnFault::continueRun ? "the run continues after faults of the program" : "";
}

Result<BeatsRequest> beatsRequestFor(const Program &program, const RunArguments &arguments,
                                     DelayAmounts delays, std::string why, bool json) {
  TILERIG_TRY(Observation observation, observationFor(program, arguments));
  return BeatsRequest{.program = arguments.program,
                      .outputs = arguments.outputs,
                      .captureTo = arguments.captureTo,
                      .stats = arguments.stats,
                      .trace = arguments.trace,
                      .why = std::move(why),
                      .repeat = arguments.repeat,
                      .options = {std::move(delays), arguments.jitter, arguments.faults.onFault},
                      .observation = std::move(observation),
                      .captureTypes = captureTypes(arguments),
                      .json = json};
}

// --- runs of programs that are proved free of races ---

struct Outcome {
  TensorMap outputs, captured;
  std::vector<std::string> notCaptured;
  std::vector<double> wallMs; // host time of each inference, in ms
  double startMs = 0;         // from the start of the command to the first inference
  RunStatistics statistics;
  std::string trace;
};

Result<Outcome> carryOut(Session &session, const TensorMap &inputs, const RunArguments &arguments,
                         DelayAmounts delays, bool quiet) {
  Outcome outcome;
  TimedRunOptions options{.delays = std::move(delays), .jitter = arguments.jitter};
  outcome.statistics = countProgram(session.program());
  std::optional<RunLoop> loop;
  if (arguments.loop.steps > 0) {
    TILERIG_TRY(loop,
                RunLoop::create(session.program(), arguments.loop.state,
                                arguments.inputs.empty()
                                    ? inputsFromSeed(session.program(), arguments.seed)
                                    : inputsFromTensors(session.program(), inputs, arguments.loop.steps)));
  }
  TimedRuns timedRuns(session, options);
  const unsigned runs = loop ? arguments.loop.steps : arguments.repeat;
  Progress progress(arguments.program, !quiet && runs > 1 ? runs : 0);
  for (unsigned i = 0; i < runs; ++i) {
    TILERIG_TRY(const TensorMap inputsOfRun, loop ? loop->nextInputs() : Result<TensorMap>(inputs));
    const auto begin = std::chrono::steady_clock::now();
    if (i == 0)
      outcome.startMs = std::chrono::duration<double, std::milli>(begin - commandStart).count();
    if (arguments.mode == Mode::timed) {
      TILERIG_TRY(TimedRun run, timedRuns.run(inputsOfRun));
      outcome.outputs = std::move(run.outputs);
      outcome.statistics = std::move(run.statistics);
    } else {
      TILERIG_TRY(outcome.outputs, session.run(inputsOfRun));
    }
    outcome.wallMs.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    if (loop) {
      TILERIG_TRY(const TensorMap captured, session.capturedAsModel(captureTypes(arguments)));
      TILERIG_CHECK_OK(loop->finishStep(outcome.outputs, captured));
    }
    progress.advance();
  }
  TILERIG_CHECK_OK(session.finish());
  if (!arguments.trace.empty()) {
    TraceWriter trace(session.program());
    options.trace = &trace;
    options.hostOperations = session.hostOperations();
    timeProgram(session.program(), options);
    outcome.trace = std::move(trace).finish();
  }
  outcome.notCaptured = session.notCaptured();
  if (loop) {
    TILERIG_TRY(outcome.outputs, loop->outputs());
    TILERIG_TRY(outcome.captured, loop->captured());
  } else {
    TILERIG_TRY(outcome.captured, session.capturedAsModel(captureTypes(arguments)));
  }
  return outcome;
}

// --- results ---

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
  if (arguments.loop.steps > 0)
    document["steps"] = arguments.loop.steps;
  document.update(toJson(statistics, program));
  return document;
}

Status writeFiles(const RunArguments &arguments, const Outcome &outcome, const std::string &stats) {
  if (!arguments.outputs.empty())
    TILERIG_CHECK_OK(writeTensors(arguments.outputs, outcome.outputs));
  if (!arguments.captureTo.empty())
    TILERIG_CHECK_OK(writeTensors(arguments.captureTo, outcome.captured));
  if (!arguments.trace.empty())
    TILERIG_CHECK_OK(writeText(arguments.trace, outcome.trace));
  if (!arguments.stats.empty())
    TILERIG_CHECK_OK(writeText(arguments.stats, stats + "\n"));
  return success();
}

void printForPeople(const RunArguments &arguments, const Session &session, const Outcome &outcome) {
  const Machine &machine = session.program().machine;
  std::cout << fmt::format("{}: {:.2f} ms{}", arguments.program, medianOf(outcome.wallMs),
                           outcome.wallMs.size() > 1 ? " (median)" : "");
  if (arguments.mode == Mode::timed)
    std::cout << fmt::format(", {} cycles ({:.3f} ms at {} MHz)", outcome.statistics.cycles(),
                             static_cast<double>(outcome.statistics.cycles()) / machine.clockMegahertz * 1e-3,
                             machine.clockMegahertz);
  std::cout << fmt::format(", {} threads\n", session.threads());
  for (const Stage &stage : session.program().stages)
    if (const auto *host = std::get_if<proto::HostWork>(&stage.work))
      std::cout << fmt::format("stage '{}' runs {} on the host\n", printable(stage.name), host->kernel());
  printCaptures(arguments.captureTo, outcome.captured.size(), captureTypes(arguments), outcome.notCaptured);
  if (arguments.inputs.empty())
    std::cout << fmt::format("random inputs from seed {}: {}\n", arguments.seed, seededDistribution);
}

// Simulates the clock without computing values. The device's time never depends on values; a host operator
// whose time depends on values is assumed to take its typical time.
Result<ExitCode> runClock(const Program &program, const RunArguments &arguments, DelayAmounts delays,
                          bool json) {
  if (!proofHolds(program))
    return usageError(
        "--no-values",
        "the program has no proof that it is free of races, so the run must compute its values to find faults",
        "remove --no-values");
  TimedRunOptions options{.delays = std::move(delays), .jitter = arguments.jitter};
  std::optional<TraceWriter> trace;
  if (!arguments.trace.empty())
    options.trace = &trace.emplace(program);
  const auto begin = std::chrono::steady_clock::now();
  const RunStatistics statistics = timeProgram(program, options);
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - begin;
  const std::string text = documentOf(statistics, program, arguments, 1, wall.count()).dump(2);
  if (trace)
    TILERIG_CHECK_OK(writeText(arguments.trace, std::move(*trace).finish()));
  if (!arguments.stats.empty())
    TILERIG_CHECK_OK(writeText(arguments.stats, text + "\n"));
  if (json)
    std::cout << text << "\n";
  else
    std::cout << fmt::format("{}: {} cycles, values not computed\n", arguments.program, statistics.cycles());
  return ExitCode::done;
}

uint64_t memoryLimitOf(const RunArguments &arguments) {
  if (arguments.memoryLimit)
    return arguments.memoryLimit;
  uint64_t bytes = 0;
  for (const std::string &file :
       {programNameOf(arguments.program).file, arguments.inputs, arguments.replace}) {
    std::error_code isNone;
    const uint64_t size = std::filesystem::file_size(file, isNone);
    bytes += isNone ? 0 : size;
  }
  return usualMemoryLimit(bytes);
}

// Reads the program. Of a file with several, takes the first whose inputs match those in the input file.
Result<Program> readFittingProgram(const RunArguments &arguments) {
  ReadOptions options;
  if (!arguments.inputs.empty()) {
    // An input file that cannot be read fits no program, but for another reason.
    TILERIG_CHECK_OK(readTensors(arguments.inputs, [](const TensorHead &) -> Result<bool> { return false; }));
    options.fits = [&](const Program &program) {
      return static_cast<bool>(readInputs(program, arguments.inputs, arguments.loop.steps));
    };
  }
  return readProgram(arguments.program, options);
}

Result<ExitCode> run(const RunArguments &arguments, const CommandOptions &options, bool json) {
  TILERIG_CHECK_OK(checkTogether(arguments, options));
  TILERIG_CHECK_OK(checkOutputs(arguments));
  TILERIG_TRY(Program read, readFittingProgram(arguments));
  TILERIG_TRY(Program program, relocated(std::move(read), arguments.ddrBase));
  TILERIG_TRY(DelayAmounts delays, readDelays(arguments.delays, arguments.delaysFrom, program));
  if (arguments.noValues)
    return runClock(program, arguments, std::move(delays), json);
  const uint64_t limit = memoryLimitOf(arguments);
  TILERIG_CHECK_OK(checkRunMemory(program, {.program = arguments.program,
                                            .captured = arguments.capture,
                                            .capturesAll = std::ranges::count(arguments.capture, "all") > 0,
                                            .limitBytes = limit}));
  const MemoryScope scope(std::make_shared<MemoryBudget>(limit));
  TILERIG_TRY(const TensorMap inputs, arguments.inputs.empty()
                                          ? seededInputs(program, arguments.seed)
                                          : readInputs(program, arguments.inputs, arguments.loop.steps));
  const bool isTimed = arguments.mode == Mode::timed;
  TILERIG_TRY(Defects defects, readDefects(arguments.faults, program, isTimed));
  if (std::string why = isTimed ? whyByBeats(program, defects, arguments.faults.onFault) : ""; !why.empty()) {
    if (arguments.loop.steps > 0)
      return usageError("--loop", "a loop cannot run with --mode timed, because " + why,
                        "remove --mode timed");
    TILERIG_TRY(const BeatsRequest request,
                beatsRequestFor(program, arguments, std::move(delays), std::move(why), json));
    return runByBeats(std::move(program), std::move(defects), inputs, request);
  }
  TILERIG_TRY(Observation observation, observationFor(program, arguments));
  ReferenceFramework framework(arguments.threads);
  TILERIG_TRY(auto session, Session::load(std::move(program), {.threads = arguments.threads,
                                                               .observation = std::move(observation),
                                                               .defects = std::move(defects),
                                                               .framework = &framework}));
  auto carried = carryOut(*session, inputs, arguments, std::move(delays), json);
  if (!carried && session->fault())
    return reportFaults({*session->fault()}, session->program(), json);
  TILERIG_TRY(const Outcome outcome, std::move(carried));

  nlohmann::ordered_json document = documentOf(outcome.statistics, session->program(), arguments,
                                               session->threads(), medianOf(outcome.wallMs));
  document["start_ms"] = outcome.startMs;
  if (!outcome.notCaptured.empty())
    document["not_captured"] = outcome.notCaptured;
  const std::string text = document.dump(2);
  TILERIG_CHECK_OK(writeFiles(arguments, outcome, text));
  if (json)
    std::cout << text << "\n";
  else
    printForPeople(arguments, *session, outcome);
  return ExitCode::done;
}

} // namespace

} // namespace tilerig::emulator

int main(int argc, char **argv) {
  using namespace tilerig;
  using namespace tilerig::emulator;
  CommandLine line(
      command("run"),
      "tilerig run model.trb -i inputs.npz -o outputs.npz\n"
      "tilerig run model.trb --mode timed --stats stats.json --trace trace.json "
      "  # open it in ui.perfetto.dev\n"
      "tilerig run model.trb --capture all --capture-to seen.npz --dequantise\n"
      "tilerig run model.trb --capture conv1,pool1 --capture-to seen.npz\n"
      "tilerig run model.trb --replace conv1.npz -o outputs.npz                 "
      "  # what if conv1 gave this?\n"
      "tilerig run model.trb --mode timed --fault broken.json --on-fault continue\n"
      "tilerig run model.trb --mode timed --delay 3=500 --delays-from stats.json\n"
      "tilerig run model.trb --repeat 100 --threads 2 --json\n"
      "tilerig run decoder.trb -i prompt.npz -o steps.npz --loop 20 --state key_out=key,value_out=value");
  RunArguments arguments;
  CommandOptions &options = line.options();
  options
      .addOption("PROGRAM", arguments.program,
                 "program (.trb); FILE#2: the second of several in a file (default: the "
                 "first that fits, with -i)")
      .required();
  options.addOption(
      "-i,--inputs", arguments.inputs,
      "input tensors by name (.npz, .npy, .pb, .safetensors, .json of Polygraphy, or a folder of them) (default: random inputs "
      "made from --seed)");
  options.addOption("-o,--outputs", arguments.outputs, "write the outputs to this file (.npz, .npy or .pb)");
  addChoice<Mode>(options, "--mode", arguments.mode, {{"fast", Mode::fast}, {"timed", Mode::timed}},
                  "fast: compute values only; timed: also simulate every cycle");
  options
      .addOption("--capture", arguments.capture,
                 "tensors to capture, by ONNX name, separated by commas; all: every tensor of the program")
      .delimiter(',')
      .oneValueEach();
  options.addOption("--capture-to", arguments.captureTo,
                    "write captured tensors to this file (.npz, .npy "
                    "or .pb)");
  options.addFlag("--dequantise", arguments.dequantise,
                  "write captured tensors as real numbers, in the model's types (default: outputs in the "
                  "model's types, other tensors as they are stored)");
  options.addOption(
      "--replace", arguments.replace,
      "tensors to use in place of computed ones, in the model's types or as they are stored (.npz, .npy, "
      ".pb or a folder of them)");
  options.addOption("--ddr-base", arguments.ddrBase,
                    "load the program at this DDR address, such as 0x40000000; it must be compiled with "
                    "--dram_addr_relocatable");
  options.addFlag("--no-values", arguments.noValues,
                  "with --mode timed: count cycles only; no value is computed, and no inputs are needed");
  options.addOption("--stats", arguments.stats, "write statistics to this file (.json)");
  options.addOption("--trace", arguments.trace,
                    "with --mode timed: write a Chrome trace, for Perfetto, to "
                    "this file");
  options.addOption("--threads", arguments.threads, "number of host threads; 0: all processors")
      .range(0, 1024);
  options
      .addOption(
          "--memory-limit", arguments.memoryLimit,
          "memory for tensors, such as 8GB; a program that needs more is refused (default: 4 GiB plus 100 "
          "times the size of the files, at most 3/4 of the host's memory)")
      .bytes()
      .range(int64_t{1}, INT64_MAX);
  options.addOption("--repeat", arguments.repeat, "number of inferences; printed times are medians")
      .range(1, 1000000);
  options
      .addOption(
          "--seed", arguments.seed,
          "seed of the random inputs; tilerig reference and tilerig check make the same ones from the model")
      .showDefault();
  options.addOption("--jitter", arguments.jitter,
                    "with --mode timed: lengthen every latency by a random "
                    "amount; the value is the seed");
  options
      .addOption("--delay", arguments.delays,
                 "ID=CYCLES: set the length of the program's delay instructions with this id (tilerig "
                 "inspect --delays lists them)")
      .oneValueEach();
  options.addOption(
      "--delays-from", arguments.delaysFrom,
      "lengthen each delay instruction by the cycles that the next transfer lost in an earlier timed run, "
      "because it shared DDR or links with others; this file is the one that --stats wrote in that run; "
      "--delay takes precedence");
  addLoopOptions(options, arguments.loop);
  addFaultOptions(options, arguments.faults, ", which needs --mode timed,");
  return line.run(argc, argv, [&] { return run(arguments, options, line.json()); });
}
