#include "verify/Tools/CheckArguments.h"

#include "verify/Check/Injection.h"

#include "compiler/Planning/Quantisation/PrecisionPlan.h"
#include "compiler/Tools/PassArguments.h"
#include "isa/Base/CommandLine/IdleOptions.h"
#include "isa/Base/Support/File.h"
#include "isa/Bugs/Choice.h"
#include "reference/Tools/Inputs.h"

#include <fmt/core.h>

namespace tilerig::verify {

namespace {

void declareCompilation(CommandOptions &line, CheckArguments &arguments) {
  line.addOption("--precision", arguments.precision,
                 "fp32, fp16, bf16, int8, uint8, or a JSON file that sets the precision layer by layer")
      .showDefault();
  line.addOption("--calibration", arguments.calibration,
                 "calibration samples (.npz, or a folder of them) or a saved calibration table (.json) "
                 "(default: the inputs of this check)");
  const Words<compiler::QuantisedType> integers = {{"int8", compiler::QuantisedType::int8},
                                                   {"uint8", compiler::QuantisedType::uint8}};
  addChoice(line, "--quantised-inputs", arguments.edges.inputs, integers,
            "the program takes its float inputs as 8-bit integers of this type; the host quantises them");
  addChoice(line, "--quantised-outputs", arguments.edges.outputs, integers,
            "the program returns its float outputs as 8-bit integers of this type; the host dequantises "
            "them");
  line.addOption("--machine", arguments.machine,
                 "machine to compile for: tr64, tr16, tiny, or a machine "
                 "file (.json)")
      .showDefault();
  line.addOption("--tiles", arguments.tiles,
                 "number of tiles that the program uses (default: all tiles of the machine)")
      .range(1U, maxTiles);
  line.addOption("--strategy", arguments.strategy,
                 "strategy file that says how to split layers among tiles "
                 "(.json, as compile --strategy-to writes it)");
  line.addFlag("--wb-pin-ocm", arguments.pinsWeights,
               "load weights and biases once, before the first "
               "inference, and keep them on the tiles");
}

void declareInputs(CommandOptions &line, CheckArguments &arguments) {
  line.addOption(
          "-i,--input", arguments.inputs,
          "input tensors (.npz, .npy, .pb, .safetensors, .json of Polygraphy, or a folder); may be given several times (default: random inputs "
          "made from --seed)")
      .oneValueEach();
  line.addOption("--input-shape", arguments.inputShapes,
                 "NAME=1x3x224x224: shape of an input whose dimensions the model leaves open; may be given "
                 "several times")
      .oneValueEach();
  line.addOption("-b,--batch", arguments.batch,
                 "size of the first dimension of every input, fixed in the model or open")
      .range(int64_t{1}, int64_t{1} << 20);
  line.addOption("--seed", arguments.seed, "seed of the random inputs").showDefault();
}

void declareThreads(CommandOptions &line, CheckArguments &arguments) {
  line.addOption("--threads", arguments.threads, "number of host threads; results do not depend on it")
      .range(1, 1024);
}

void declareRun(CommandOptions &line, CheckArguments &arguments) {
  line.addOption(
          "--loop", arguments.steps,
          "run the network this number of steps and check every step; random inputs are made from the next seed "
          "in each step, inputs of --input are the same in every step")
      .range(1, 1000000);
  line.addOption("--state", arguments.state,
                 "OUTPUT=INPUT,…: with --loop, outputs that become inputs of the next step, such as "
                 "present_key=past_key")
      .delimiter(',')
      .oneValueEach();
  addChoice<CheckMode>(line, "--mode", arguments.mode,
                       {{"fast", CheckMode::fast}, {"timed", CheckMode::timed}},
                       "fast: compute values only; timed: also count cycles");
  line.addOption("--jitter", arguments.jitter,
                 "with --mode timed: lengthen every latency by a random "
                 "amount; the value is the seed");
  declareThreads(line, arguments);
}

void declareInjection(CommandOptions &line, CheckArguments &arguments, const char *rest = "") {
  line.addOption("--inject", arguments.inject, std::string(bugChoiceHelp) + rest).oneValueEach();
  line.addOption("--inject-seed", arguments.injectSeed, bugSeedHelp).showDefault();
}

void declareFaults(CommandOptions &line, CheckArguments &arguments) {
  addChoice<bool>(
      line, "--on-fault", arguments.stopsAtFaults, {{"continue", false}, {"stop", true}},
      "what to do if the analyser or a trap finds a fault in the program; continue: report it and compare the "
      "tensors nevertheless; stop: compare nothing");
}

void declareReport(CommandOptions &line, CheckArguments &arguments) {
  arguments.limits.declare(line);
  line.addOption("--thresholds", arguments.thresholds, "file with limits for single types or layers (.json)");
  line.addOption(
      "--classifier", arguments.classifier,
      "classifier to use instead of the built-in one (.onnx, or a folder with one model per class)");
  line.addOption("--report", arguments.report,
                 "write records, an HTML report, tables and pictures into this folder; with several models, "
                 "into a subfolder for each");
  line.addOption("--baseline", arguments.baseline,
                 "compare with the records of an earlier check (records.jsonl, or its report folder) and "
                 "list what changed");
  line.addOption(
      "--debug", arguments.debug,
      "if anything is wrong, find the first layer that fails and write a small network that fails in the same way "
      "into this folder, as tilerig bisect does");
  addChoice<Keep>(
      line, "--keep", arguments.keep, {{"all", Keep::all}, {"failed", Keep::failed}},
      "which tensors get pictures and error histograms in the report: all, or only those that fail; the "
      "metrics of all tensors are reported");
  line.addFlag("--quiet", arguments.quiet, "print failures and the summary, without the table");
}

void declareGate(CommandOptions &line, CheckArguments &arguments) {
  const auto inGroup = [](CommandOption option) { option.group("When the command exits with 1"); };
  inGroup(addChoice<FailOn>(
      line, "--fail-on", arguments.gate.failOn, {{"wrong", FailOn::wrong}, {"new", FailOn::newlyWrong}},
      "wrong: exit with 1 if anything is wrong; new: only if something is wrong that was right in the "
      "baseline, or absent from it"));
  inGroup(line.addOption("--fail-cycles", arguments.gate.mostCycles,
                         "with --mode timed: exit with 1 if the program takes more cycles than this number"));
  inGroup(line.addOption("--fail-slower", arguments.gate.mostSlower,
                         "with --mode timed: exit with 1 if the program takes this many percent more cycles "
                         "than in the baseline")
              .range(0.0, 1e6));
  inGroup(
      line.addOption("--fail-below", arguments.gate.leastDecibels,
                     "exit with 1 if the signal-to-noise ratio of a tensor against the float model is below "
                     "this, in dB: accuracy that the precision costs, without any bug")
          .range(-1000.0, 1000.0));
}

} // namespace

void CheckArguments::declare(CommandOptions &line) {
  line.addOption(
          "MODEL", models,
          "models (.onnx), or the reproducer of a wrong pass (.mlir) that --after-each-pass has written; its "
          "tensors are read from inputs.npz beside it, if --input names no file")
      .required();
  declareCompilation(line, *this);
  line.addOption("--program", program,
                 "check this program (.trb) instead of compiling one; it must come from the same model with "
                 "the same options, and may have been edited or compiled by another version");
  line.addFlag(
          "--after-each-pass", afterEachPass,
          "after every pass of the compiler that changed the model, compare what it computes with what it "
          "computed before")
      .group("Passes of the compiler");
  compiler::declarePassOptions(line, passes);
  declareInputs(line, *this);
  declareRun(line, *this);
  declareInjection(line, *this, "; may be given several times, for several bugs at once");
  declareFaults(line, *this);
  declareReport(line, *this);
  declareGate(line, *this);
}

void CheckArguments::declareCase(CommandOptions &line) {
  declareCompilation(line, *this);
  compiler::declarePassOptions(line, passes);
  declareInputs(line, *this);
  declareThreads(line, *this);
  declareInjection(line, *this);
}

Result<TensorMap> CheckArguments::inputsFor(const SourceModel &source, size_t step) const {
  TILERIG_TRY(const reference::Model graph, source.forReference());
  TILERIG_TRY(const reference::NamedTensors named,
              inputs.empty() ? reference::makeInputs(graph, inputShapes, seed + step)
                             : reference::readInputs(graph, inputs));
  TensorMap tensors;
  for (const auto &[name, tensor] : named)
    TILERIG_CHECK_OK(tensors.add(name, tensor));
  return tensors;
}

Status CheckArguments::checkCase(const CommandOptions &options) const {
  TILERIG_TRY(const compiler::PrecisionPlan plan, compiler::PrecisionPlan::read(precision));
  TILERIG_CHECK_OK(tilerig::refuseIdle(
      options,
      {{.option = "--inject-seed", .isIdle = inject.empty(), .why = idleBugSeed, .remedy = "add --inject"},
       {.option = "--calibration",
        .isIdle = !plan.needsCalibration(),
        .why = "no layer is computed in 8 bits, so nothing needs calibration",
        .remedy = "add --precision int8, or leave --calibration out"},
       {.option = "--input-shape",
        .isIdle = !inputs.empty(),
        .why = "the tensors given with --input already set the shapes",
        .remedy = "leave --input-shape or --input out"},
       {.option = "--seed",
        .isIdle = !inputs.empty(),
        .why = "this option gives the seed of random inputs, but --input gives all inputs",
        .remedy = "leave --seed or --input out"}}));
  if (batch && !inputShapes.empty())
    return usageError(
        "--batch",
        "this option sets the first dimension of every input, but --input-shape sets all dimensions",
        "give one of them");
  TILERIG_TRY(const std::vector<BugChoice> chosen, bugs());
  return checkTogether(chosen);
}

Status CheckArguments::refuseIdle(const CommandOptions &options) const {
  return tilerig::refuseIdle(
      options,
      {{.option = "--jitter",
        .isIdle = mode == CheckMode::fast,
        .why = "this option changes latencies, but --mode fast does not simulate time",
        .remedy = "add --mode timed"},
       {.option = "--state",
        .isIdle = steps == 0,
        .why = "this option has an effect only between the steps of a loop",
        .remedy = "add --loop"},
       {.option = "--debug",
        .isIdle = !program.empty() || steps > 0,
        .why =
            "this option compiles parts of the model and runs them once, but --program and --loop check something else",
        .remedy = "leave --debug out, or --program and --loop"},
       {.option = "--on-fault",
        .isIdle = inject.empty() && program.empty(),
        .why = "this option applies to programs with faults, but a compiled program is proved to have none",
        .remedy = "add --inject or --program, or leave --on-fault out"}});
}

Status CheckArguments::refuseIdleOfReport(const CommandOptions &options, bool json) const {
  const std::string noBaseline = "this option compares with an earlier check, but no baseline is given";
  TILERIG_CHECK_OK(tilerig::refuseIdle(
      options,
      {{"--fail-on", baseline.empty() && gate.failOn == FailOn::newlyWrong, noBaseline, "add --baseline"},
       {"--fail-slower", baseline.empty(), noBaseline, "add --baseline"}}));
  for (const char *option : {"--fail-cycles", "--fail-slower"})
    TILERIG_CHECK_OK(tilerig::refuseIdle(
        options, {{option, mode == CheckMode::fast,
                   "this option limits cycles, but --mode fast does not count cycles", "add --mode timed"}}));
  return tilerig::refuseIdle(
      options, {{.option = "--keep",
                 .isIdle = report.empty(),
                 .why = "this option selects the contents of a report, but no report is written",
                 .remedy = "add --report"},
                {.option = "--quiet",
                 .isIdle = json,
                 .why = "this option shortens the text output, but --json prints no text",
                 .remedy = "leave --quiet or --json out"}});
}

Status CheckArguments::refuseIdleOfReproducer(const CommandOptions &options) const {
  std::vector<IdleOption> rules;
  for (const char *option : {"--precision",
                             "--calibration",
                             "--quantised-inputs",
                             "--quantised-outputs",
                             "--machine",
                             "--tiles",
                             "--strategy",
                             "--wb-pin-ocm",
                             "--program",
                             "--input-shape",
                             "--batch",
                             "--seed",
                             "--loop",
                             "--state",
                             "--mode",
                             "--jitter",
                             "--inject",
                             "--on-fault",
                             "--inject-seed",
                             "--oom-limit",
                             "--rel-err",
                             "--bit-off",
                             "--anchor",
                             "--thresholds",
                             "--classifier",
                             "--report",
                             "--baseline",
                             "--debug",
                             "--keep",
                             "--passes",
                             "--without",
                             "--only",
                             "--insert-pass",
                             "--fail-on",
                             "--fail-cycles",
                             "--fail-slower",
                             "--fail-below"})
    rules.push_back(
        {.option = option,
         .isIdle = true,
         .why =
             "this option has no effect on a reproducer (.mlir), which itself states the pass to judge and "
             "the right values",
         .remedy = std::string("leave ") + option + " out"});
  return tilerig::refuseIdle(options, rules);
}

Status CheckArguments::check(const CommandOptions &options, bool json) const {
  if (replays())
    return refuseIdleOfReproducer(options);
  TILERIG_CHECK_OK(refuseIdleOfReport(options, json));
  TILERIG_CHECK_OK(refuseIdle(options));
  TILERIG_CHECK_OK(checkCase(options));
  if (inject.size() > 1 && !debug.empty())
    return usageError("--debug", "with several bugs at once, there is no single layer to look for",
                      "inject one bug, or leave --debug out");
  if (!inject.empty() && !program.empty())
    return usageError("--inject",
                      "this option injects a bug during compilation, but with --program nothing is compiled",
                      "to inject a bug into a finished program, use tilerig inject");
  for (const auto &[option, isGiven] : {std::pair{"--input", !inputs.empty()},
                                        {"--input-shape", !inputShapes.empty()},
                                        {"--program", !program.empty()},
                                        {"--strategy", !strategy.empty()},
                                        {"--state", !state.empty()},
                                        {"--fail-cycles", gate.mostCycles.has_value()},
                                        {"--thresholds", !thresholds.empty()}})
    if (isGiven && models.size() > 1)
      return usageError(option, "this option applies to one model, but several models are given",
                        "check each model in a separate run");
  return success();
}

Result<CompileOptions> CheckArguments::compileOptions() const {
  CompileOptions options;
  options.precision = precision;
  options.calibration = calibration;
  options.edges = edges;
  options.inputsInWords = "1 sample, " + inputsInWords();
  TILERIG_TRY(options.machine, loadMachine(machine));
  options.program.tiles = tiles ? tiles : options.machine.network.tiles;
  if (options.program.tiles > options.machine.network.tiles)
    return usageError("--tiles", fmt::format("machine '{}' has only {} tiles", options.machine.name,
                                             options.machine.network.tiles));
  options.program.pinsWeights = pinsWeights;
  options.passes = passes;
  options.judgesPasses = afterEachPass;
  TILERIG_TRY(const std::vector<BugChoice> chosen, bugs());
  for (size_t i = 0; i < chosen.size(); ++i)
    if (chosen[i].bug->isInPass()) {
      options.passBug = chosen[i];
      options.bugSeed = injectSeed + i;
    }
  options.keepsOps = !inject.empty() || mode == CheckMode::timed;
  if (!strategy.empty()) {
    TILERIG_TRY(options.program.strategy, compiler::readStrategy(strategy));
  }
  return options;
}

Result<std::vector<BugChoice>> CheckArguments::bugs() const {
  std::vector<BugChoice> chosen;
  for (const std::string &text : inject) {
    TILERIG_TRY(chosen.emplace_back(), parseBugChoice(text));
  }
  return chosen;
}

std::string CheckArguments::inputsInWords() const {
  if (inputs.empty())
    return fmt::format("random inputs made from seed {}", seed);
  return inputs.size() == 1 ? inputs.front()
                            : fmt::format("{} and {} more", inputs.front(), inputs.size() - 1);
}

} // namespace tilerig::verify
