#include "verify/Tools/CheckArguments.h"

#include "compiler/Precision/PrecisionPlan.h"
#include "isa/Bugs/Choice.h"
#include "isa/Support/File.h"
#include "isa/Tools/Choice.h"
#include "isa/Tools/IdleOptions.h"

#include <fmt/core.h>

namespace tilerig::verify {

namespace {

void declareCompilation(CLI::App &app, CheckArguments &arguments) {
  app.add_option("--precision", arguments.precision,
                 "fp32, fp16, bf16, int8, uint8, or a JSON file that sets the precision layer by layer")
      ->capture_default_str();
  app.add_option("--calibration", arguments.calibration,
                 "calibration samples (.npz, or a folder of them) or a saved calibration table (.json) "
                 "(default: the inputs of this check)");
  const Words<compiler::QuantisedType> integers = {{"int8", compiler::QuantisedType::int8},
                                                   {"uint8", compiler::QuantisedType::uint8}};
  addChoice(app, "--quantised-inputs", arguments.edges.inputs, integers,
            "the program takes its float inputs as 8-bit integers of this type; the host quantises them");
  addChoice(app, "--quantised-outputs", arguments.edges.outputs, integers,
            "the program returns its float outputs as 8-bit integers of this type; the host dequantises "
            "them");
  app.add_option("--machine", arguments.machine,
                 "machine to compile for: tr64, tr16, tiny, or a machine "
                 "file (.json)")
      ->capture_default_str();
  app.add_option("--tiles", arguments.tiles,
                 "number of tiles that the program uses (default: all tiles of the machine)")
      ->check(CLI::Range(1U, maxTiles));
  app.add_option("--strategy", arguments.strategy,
                 "strategy file that says how to split layers among tiles "
                 "(.json, as compile --strategy-to writes it)");
  app.add_flag("--wb-pin-ocm", arguments.pinsWeights,
               "load weights and biases once, before the first "
               "inference, and keep them on the tiles");
  app.add_option("--program", arguments.program,
                 "check this program (.trb) instead of compiling one; it must come from the same model with "
                 "the same options, and may have been edited or compiled by another version");
}

void declareRun(CLI::App &app, CheckArguments &arguments) {
  app.add_option(
         "-i,--input", arguments.inputs,
         "input tensors (.npz, .npy, .pb, or a folder); may be given several times (default: random inputs "
         "made from --seed)")
      ->allow_extra_args(false);
  app.add_option("--input-shape", arguments.inputShapes,
                 "NAME=1x3x224x224: shape of an input whose dimensions the model leaves open; may be given "
                 "several times")
      ->allow_extra_args(false);
  app.add_option("-b,--batch", arguments.batch,
                 "size of the first dimension of every input, fixed in the model or open")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20));
  app.add_option("--seed", arguments.seed, "seed of the random inputs")->capture_default_str();
  addChoice<CheckMode>(app, "--mode", arguments.mode,
                       {{"fast", CheckMode::fast}, {"timed", CheckMode::timed}},
                       "fast: compute values only; timed: also count cycles");
  app.add_option("--jitter", arguments.jitter,
                 "with --mode timed: lengthen every latency by a random "
                 "amount; the value is the seed");
  app.add_option("--threads", arguments.threads, "number of host threads; results do not depend on it")
      ->check(CLI::Range(1, 1024));
}

void declareInjection(CLI::App &app, CheckArguments &arguments) {
  app.add_option("--inject", arguments.inject,
                 "inject a bug, written as ID[:name=value,...][@layer]; `tilerig inject --list` lists the "
                 "IDs");
  addChoice<bool>(
      app, "--on-fault", arguments.stopsAtFaults, {{"continue", false}, {"stop", true}},
      "what to do if the analyser or a trap finds a fault in the program: continue reports it and compares "
      "numbers all the same; stop compares nothing");
  app.add_option("--inject-seed", arguments.injectSeed, "seed for bug parameters that are not given")
      ->capture_default_str();
}

void declareReport(CLI::App &app, CheckArguments &arguments) {
  arguments.limits.declare(app);
  app.add_option("--thresholds", arguments.thresholds, "file with limits for single types or layers (.json)");
  app.add_option(
      "--classifier", arguments.classifier,
      "classifier to use instead of the built-in one (.onnx, or a folder with one model per class)");
  app.add_option("--report", arguments.report,
                 "write records, an HTML report, tables and pictures into this folder; with several models, "
                 "into a subfolder for each");
  app.add_option("--baseline", arguments.baseline,
                 "compare with the records of an earlier check (records.jsonl, or its report folder) and "
                 "list what changed");
  addChoice<Keep>(
      app, "--keep", arguments.keep, {{"all", Keep::all}, {"failed", Keep::failed}},
      "which tensors get pictures and error planes in the report: all, or only those that fail; every "
      "tensor gets its figures");
  app.add_flag("--quiet", arguments.quiet, "print failures and the summary, without the table");
}

void declareGate(CLI::App &app, CheckArguments &arguments) {
  const auto inGroup = [](CLI::Option *option) { option->group("When to exit with 1"); };
  inGroup(addChoice<FailOn>(
      app, "--fail-on", arguments.gate.failOn, {{"wrong", FailOn::wrong}, {"new", FailOn::newlyWrong}},
      "wrong: exit with 1 if anything is wrong; new: only if something is wrong that was right in the "
      "baseline, or absent from it"));
  inGroup(app.add_option("--fail-cycles", arguments.gate.mostCycles,
                         "with --mode timed: exit with 1 if the program takes more cycles than this"));
  inGroup(app.add_option("--fail-slower", arguments.gate.mostSlower,
                         "with --mode timed: exit with 1 if the program takes this many percent more cycles "
                         "than in the baseline")
              ->check(CLI::Range(0.0, 1e6)));
  inGroup(
      app.add_option("--fail-below", arguments.gate.leastDecibels,
                     "exit with 1 if the signal-to-noise ratio of a tensor against the float model is below "
                     "this, in dB: accuracy that the precision costs, without any bug")
          ->check(CLI::Range(-1000.0, 1000.0)));
}

} // namespace

void CheckArguments::declare(CLI::App &app) {
  app.add_option("MODEL", models, "models (.onnx)")->required();
  declareCompilation(app, *this);
  declareRun(app, *this);
  declareInjection(app, *this);
  declareReport(app, *this);
  declareGate(app, *this);
}

Status CheckArguments::refuseIdle(const CLI::App &options) const {
  TILERIG_TRY(const compiler::PrecisionPlan plan, compiler::PrecisionPlan::read(precision));
  return tilerig::refuseIdle(
      options, {{.option = "--jitter",
                 .isIdle = mode == CheckMode::fast,
                 .why = "changes latencies, but --mode fast does not simulate time",
                 .remedy = "add --mode timed"},
                {.option = "--inject-seed",
                 .isIdle = inject.empty(),
                 .why = "selects the parameters of an injected bug, but no bug is injected",
                 .remedy = "add --inject"},
                {.option = "--on-fault",
                 .isIdle = inject.empty() && program.empty(),
                 .why = "applies to programs with faults, but a compiled program is proved to have none",
                 .remedy = "add --inject or --program, or leave --on-fault out"},
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
                 .why = "is the seed of random inputs, but --input gives all inputs",
                 .remedy = "leave --seed or --input out"}});
}

Status CheckArguments::refuseIdleOfReport(const CLI::App &options, bool json) const {
  for (const char *option : {"--fail-on", "--fail-slower"})
    TILERIG_CHECK_OK(tilerig::refuseIdle(
        options, {{option, baseline.empty(), "compares with an earlier check, but no baseline is given",
                   "add --baseline"}}));
  for (const char *option : {"--fail-cycles", "--fail-slower"})
    TILERIG_CHECK_OK(tilerig::refuseIdle(
        options, {{option, mode == CheckMode::fast, "limits cycles, but --mode fast does not count cycles",
                   "add --mode timed"}}));
  return tilerig::refuseIdle(options, {{.option = "--keep",
                                        .isIdle = report.empty(),
                                        .why = "selects the contents of a report, but no report is written",
                                        .remedy = "add --report"},
                                       {.option = "--quiet",
                                        .isIdle = json,
                                        .why = "shortens the text output, but --json prints no text",
                                        .remedy = "leave --quiet or --json out"}});
}

Status CheckArguments::check(const CLI::App &options, bool json) const {
  TILERIG_CHECK_OK(refuseIdleOfReport(options, json));
  TILERIG_CHECK_OK(refuseIdle(options));
  if (batch && !inputShapes.empty())
    return usageError("--batch", "is the first size of every input, and --input-shape gives whole shapes",
                      "give one of them");
  if (!inject.empty() && !program.empty())
    return usageError("--inject", "injects a bug during compilation, but with --program nothing is compiled",
                      "to inject a bug into a finished program, use tilerig inject");
  if (!inject.empty())
    if (const auto choice = parseBugChoice(inject); !choice)
      return choice.error();
  for (const auto &[option, isGiven] : {std::pair{"--input", !inputs.empty()},
                                        {"--input-shape", !inputShapes.empty()},
                                        {"--program", !program.empty()},
                                        {"--strategy", !strategy.empty()},
                                        {"--fail-cycles", gate.mostCycles.has_value()},
                                        {"--thresholds", !thresholds.empty()}})
    if (isGiven && models.size() > 1)
      return usageError(option, "applies to one model, but several models are given",
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
  options.keepsWorks = !inject.empty() || mode == CheckMode::timed;
  if (!strategy.empty()) {
    TILERIG_TRY(const std::string text, readText(strategy));
    auto read = compiler::parseStrategy(text);
    if (!read)
      return read.error().within(strategy);
    options.program.strategy = *std::move(read);
  }
  return options;
}

std::string CheckArguments::inputsInWords() const {
  if (inputs.empty())
    return fmt::format("random inputs made from seed {}", seed);
  return inputs.size() == 1 ? inputs.front()
                            : fmt::format("{} and {} more", inputs.front(), inputs.size() - 1);
}

} // namespace tilerig::verify
