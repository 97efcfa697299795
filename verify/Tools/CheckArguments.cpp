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
                 "fp32, fp16, bf16, int8, uint8 or a file with one for each layer")
      ->capture_default_str();
  app.add_option("--calibration", arguments.calibration,
                 "samples (.npz, or a folder of them) or a saved table (.json); the inputs, unless given");
  const Words<QuantisedType> integers = {{"int8", QuantisedType::int8}, {"uint8", QuantisedType::uint8}};
  addChoice(app, "--quantised-inputs", arguments.edges.inputs, integers,
            "the program takes float inputs as such integers, which the host converts");
  addChoice(app, "--quantised-outputs", arguments.edges.outputs, integers,
            "the program gives float outputs as such integers, which the host converts");
  app.add_option("--machine", arguments.machine, "the machine: a name, or a file")->capture_default_str();
  app.add_option("--tiles", arguments.tiles,
                 "how many tiles the program uses; all of the machine's unless given")
      ->check(CLI::Range(1U, maxTiles));
  app.add_option("--strategy", arguments.strategy, "how layers are to be cut (.json)");
  app.add_flag("--wb-pin-ocm", arguments.pinsWeights, "weights and biases stay on the tiles");
  app.add_option("--program", arguments.program,
                 "run this program (.trb) instead: one of the same model, compiled the same way, and then "
                 "altered or kept from another version of the compiler");
}

void declareRun(CLI::App &app, CheckArguments &arguments) {
  app.add_option(
         "-i,--input", arguments.inputs,
         "input tensors (.npz, .npy, .pb, or a folder), several times; made from the seed unless given")
      ->allow_extra_args(false);
  app.add_option("--input-shape", arguments.inputShapes,
                 "NAME=1x3x224x224: the shape of an input that the model leaves open; several times")
      ->allow_extra_args(false);
  app.add_option("--seed", arguments.seed, "of inputs that are not given")->capture_default_str();
  addChoice<CheckMode>(app, "--mode", arguments.mode,
                       {{"fast", CheckMode::fast}, {"timed", CheckMode::timed}},
                       "timed: and when every layer ran");
  app.add_option("--jitter", arguments.jitter, "timed: stretch every latency at random, by this seed");
  app.add_option("--threads", arguments.threads, "threads to work with; results do not depend on it")
      ->check(CLI::Range(1, 1024));
}

void declareInjection(CLI::App &app, CheckArguments &arguments) {
  app.add_option("--inject", arguments.inject,
                 "plant a bug, ID[:name=value,...][@layer], as `tilerig inject --list` shows them");
  addChoice<bool>(
      app, "--on-fault", arguments.stopsAtFaults, {{"continue", false}, {"stop", true}},
      "what the analyser and traps do about a program that they find at fault: continue notes it, "
      "and runs the program all the same; stop does not compare numbers then");
  app.add_option("--inject-seed", arguments.injectSeed, "picks what is not said of the bug")
      ->capture_default_str();
}

void declareReport(CLI::App &app, CheckArguments &arguments) {
  arguments.limits.declare(app);
  app.add_option("--thresholds", arguments.thresholds, "limits for some types or layers (.json)");
  app.add_option(
      "--classifier", arguments.classifier,
      "names bugs in place of the one that is part of tilerig (.onnx, or a folder with one for each class)");
  app.add_option("--report", arguments.report,
                 "folder for records, report page, tables and pictures; of several models a folder for each");
  app.add_option("--baseline", arguments.baseline,
                 "an earlier check's records (records.jsonl, or the folder of its report): say what changed");
  addChoice<Keep>(
      app, "--keep", arguments.keep, {{"all", Keep::all}, {"failed", Keep::failed}},
      "evidence of which tensors the report has: pictures, planes and channels of all of them, or "
      "of those that fail; figures it has of all");
  app.add_flag("--quiet", arguments.quiet, "print what is wrong and the summary, and no table");
}

void declareGate(CLI::App &app, CheckArguments &arguments) {
  const auto inGroup = [](CLI::Option *option) { option->group("When to exit with 1"); };
  inGroup(addChoice<FailOn>(
      app, "--fail-on", arguments.gate.failOn, {{"wrong", FailOn::wrong}, {"new", FailOn::newlyWrong}},
      "wrong: anything is wrong; new: anything that was right in the baseline, or not there"));
  inGroup(app.add_option("--fail-cycles", arguments.gate.mostCycles,
                         "timed: the program takes more cycles than this"));
  inGroup(app.add_option("--fail-slower", arguments.gate.mostSlower,
                         "timed: the program takes this many percent more cycles than in the baseline")
              ->check(CLI::Range(0.0, 1e6)));
  inGroup(
      app.add_option("--fail-below", arguments.gate.leastDecibels,
                     "a tensor has a ratio of signal to noise below this, in dB, against the model itself: "
                     "what the precision costs without any bug")
          ->check(CLI::Range(-1000.0, 1000.0)));
}

} // namespace

void CheckArguments::declare(CLI::App &app) {
  app.add_option("MODEL", models, "the models (.onnx)")->required();
  declareCompilation(app, *this);
  declareRun(app, *this);
  declareInjection(app, *this);
  declareReport(app, *this);
  declareGate(app, *this);
}

Status CheckArguments::refuseIdle(const CLI::App &options) const {
  TRY(const PrecisionPlan plan, PrecisionPlan::read(precision));
  return tilerig::refuseIdle(options,
                             {{.option = "--jitter",
                               .isIdle = mode == CheckMode::fast,
                               .why = "is about time, which fast mode knows nothing of",
                               .remedy = "add --mode timed"},
                              {.option = "--inject-seed",
                               .isIdle = inject.empty(),
                               .why = "picks what is not said of a bug, and none is planted",
                               .remedy = "add --inject"},
                              {.option = "--on-fault",
                               .isIdle = inject.empty() && program.empty(),
                               .why = "is about programs at fault, and what is compiled of a model is proved",
                               .remedy = "add --inject or --program, or leave it out"},
                              {.option = "--calibration",
                               .isIdle = !plan.needsCalibration(),
                               .why = "nothing is computed in 8 bits, so there is nothing to calibrate",
                               .remedy = "say --precision int8, or leave it out"},
                              {.option = "--input-shape",
                               .isIdle = !inputs.empty(),
                               .why = "shapes are those of the inputs that are given",
                               .remedy = "leave it or --input out"},
                              {.option = "--seed",
                               .isIdle = !inputs.empty(),
                               .why = "makes inputs, and all of them are given",
                               .remedy = "leave it or --input out"}});
}

Status CheckArguments::refuseIdleOfReport(const CLI::App &options, bool json) const {
  for (const char *option : {"--fail-on", "--fail-slower"})
    CHECK_OK(tilerig::refuseIdle(
        options, {{option, baseline.empty(), "compares with an earlier check", "add --baseline"}}));
  for (const char *option : {"--fail-cycles", "--fail-slower"})
    CHECK_OK(tilerig::refuseIdle(options,
                                 {{option, mode == CheckMode::fast,
                                   "is about time, which fast mode knows nothing of", "add --mode timed"}}));
  return tilerig::refuseIdle(options, {{.option = "--keep",
                                        .isIdle = report.empty(),
                                        .why = "is about a report, and none is asked for",
                                        .remedy = "add --report"},
                                       {.option = "--quiet",
                                        .isIdle = json,
                                        .why = "is about the text, and --json prints none",
                                        .remedy = "leave it or --json out"}});
}

Status CheckArguments::check(const CLI::App &options, bool json) const {
  CHECK_OK(refuseIdleOfReport(options, json));
  CHECK_OK(refuseIdle(options));
  if (!inject.empty() && !program.empty())
    return usageError("--inject", "plants a bug in the program that is compiled, and --program gives another",
                      "tilerig inject plants one in a finished program");
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
      return usageError(option, "is of one model, and there are several", "check it by itself");
  return success();
}

Result<CompileOptions> CheckArguments::compileOptions() const {
  CompileOptions options;
  options.precision = precision;
  options.calibration = calibration;
  options.edges = edges;
  options.inputsInWords = "1 sample, " + inputsInWords();
  TRY(options.machine, loadMachine(machine));
  options.program.tiles = tiles ? tiles : options.machine.network.tiles;
  if (options.program.tiles > options.machine.network.tiles)
    return usageError("--tiles", fmt::format("the machine '{}' has {} tiles", options.machine.name,
                                             options.machine.network.tiles));
  options.program.pinsWeights = pinsWeights;
  options.keepsWorks = !inject.empty() || mode == CheckMode::timed;
  if (!strategy.empty()) {
    TRY(const std::string text, readText(strategy));
    auto read = parseStrategy(text);
    if (!read)
      return read.error().within(strategy);
    options.program.strategy = *std::move(read);
  }
  return options;
}

std::string CheckArguments::inputsInWords() const {
  if (inputs.empty())
    return fmt::format("the inputs, made from seed {}", seed);
  return inputs.size() == 1 ? inputs.front()
                            : fmt::format("{} and {} more", inputs.front(), inputs.size() - 1);
}

} // namespace tilerig::verify
