// `tilerig check`: compiles a model, runs it on the emulator, and compares the results layer by layer with
// those of the model.
#include "emulator/Execute/Vectors.h"
#include "isa/Base/CommandLine/ErrorJson.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Progress.h"
#include "isa/Base/Support/StartThreads.h"
#include "isa/Program/Reader.h"
#include "verify/Check/Baseline.h"
#include "verify/Check/CheckRecords.h"
#include "verify/Check/CheckedCircumstances.h"
#include "verify/Check/Clock.h"
#include "verify/Check/Gate.h"
#include "verify/Check/Injection.h"
#include "verify/Check/LostAccuracy.h"
#include "verify/Check/NetworkVerdict.h"
#include "verify/Check/NotFinite.h"
#include "verify/Check/OtherProgram.h"
#include "verify/Check/Steps.h"
#include "verify/Passes/PassRecord.h"
#include "verify/Passes/ReplayPass.h"
#include "verify/Records/Render.h"
#include "verify/Tools/CheckArguments.h"
#include "verify/Tools/CheckVerdicts.h"
#include "verify/Tools/DebugChain.h"
#include "verify/Tools/Report.h"

#include <filesystem>
#include <fmt/core.h>
#include <iostream>
#include <thread>

namespace tilerig::verify {
namespace {

// The check of one model by `tilerig check`, from the model's file to the records and the report.
class ModelCheck {
public:
  ModelCheck(const CheckArguments &arguments, const CommandOptions &options, std::string model,
             std::string reportFolder)
      : arguments(arguments), options(options), model(std::move(model)), folder(std::move(reportFolder)),
        threads(arguments.threads), verdicts(arguments.classifier, threads) {}

  Result<std::vector<Json>> run() {
    TILERIG_CHECK_OK(readBefore());
    if (!arguments.classifier.empty())
      TILERIG_CHECK_OK(verdicts.open());
    if (!folder.empty()) {
      TILERIG_TRY(Report created, Report::create(folder));
      report.emplace(std::move(created));
    }
    TILERIG_TRY(SourceModel source, SourceModel::read(model));
    if (arguments.batch)
      source.setBatch(*arguments.batch);
    TILERIG_TRY(const TensorMap inputs, arguments.inputsFor(source));
    notFinite = describeNotFinite(inputs);
    TILERIG_TRY(CompileOptions compilation, arguments.compileOptions());
    compiler::PassCheckResult passes;
    std::optional<compiler::InjectedPassBug> passBug;
    compilation.onPasses = [&](const auto &judged, const auto &injected) {
      passes = judged;
      passBug = injected;
    };
    auto created = Check::create(source, inputs, compilation, threads);
    if (!created && passes.firstWrong)
      return recordWrongPass(passes, passBug, created.error());
    if (!created && !arguments.debug.empty())
      return withFailingLayer(created.error());
    TILERIG_TRY(Check check, std::move(created));
    TILERIG_TRY(const std::vector<StateLink> links, readStateLinks(arguments.state, check.program()));
    TILERIG_TRY(const std::optional<Mutant> mutant, mutantOf(check, compilation));
    TILERIG_TRY(Program program, mutant ? Result<Program>(mutant->program) : programOf(check));
    const DeviceOptions device = {.threads = arguments.threads,
                                  .jitter = arguments.jitter,
                                  .stopsAtFaults = arguments.stopsAtFaults,
                                  .otherRuns = evidenceRuns,
                                  .faultFile = mutant ? mutant->faultFile : ""};
    TILERIG_CHECK_OK(emulator::chooseVectors()); // for the whole process, before its threads compute
    // The layers are judged without the device, by the reference's threads, which the device does not use.
    auto layers = startOne([&] {
      return JudgedLayers{check.judgeEmittedLayers(), check.judgeRoundedLayers()};
    });
    TILERIG_TRY(CheckRun run, check.run(std::move(program), device));
    const JudgedLayers judged = layers.get();
    TILERIG_TRY(const auto wrongPass, judgedPasses(check, judged, source, inputs, compilation));
    TILERIG_CHECK_OK(record(check, run, judged, wrongPass, mutant, compilation));
    TILERIG_CHECK_OK(addSteps(source, std::move(check), std::move(run), links, device));
    if (before)
      for (Json &change : compareWithBaseline(records, *before))
        TILERIG_CHECK_OK(add(std::move(change)));
    if (std::optional<Json> accuracy = accuracyRecord(records))
      TILERIG_CHECK_OK(add(*std::move(accuracy)));
    TILERIG_TRY(std::vector<Json> limits, limitRecords(arguments.gate, records, before));
    for (Json &limit : limits)
      TILERIG_CHECK_OK(add(std::move(limit)));
    TILERIG_CHECK_OK(addDebugRecord());
    TILERIG_CHECK_OK(add(summaryRecord(records)));
    if (report)
      TILERIG_CHECK_OK(report->publish(records, model));
    return std::move(records);
  }

private:
  // Folder for the results of --debug; with several models, each has its own.
  std::string debugFolder() const {
    return arguments.debug + (arguments.models.size() > 1 ? "/" + folderNameOf(model) : "");
  }

  // With --debug, adds where the network begins to fail.
  Status addDebugRecord() {
    if (arguments.debug.empty() || allMatch(records))
      return success();
    return add(debugRecord(options, model, debugFolder()));
  }

  // The error that prevented the check, with the layer at which the compiler fails.
  Error withFailingLayer(Error error) const {
    const Json debugged = debugRecord(options, model, debugFolder());
    std::string words;
    if (debugged.contains("error"))
      words = "--debug has found no layer: " + debugged["error"].get<std::string>();
    else if (debugged["layer"].is_null())
      words =
          "--debug has found no layer: shorter networks do not fail, nor does the whole one in a process of its own";
    else
      words = fmt::format("the first layer that fails is '{}' ({})", debugged["layer"].get<std::string>(),
                          debugged["onnx_op"].get<std::string>());
    if (debugged["reproducer"].is_string())
      words += "; a small network that fails is in " + debugged["reproducer"].get<std::string>();
    error.remedy += (error.remedy.empty() ? "" : "; ") + words;
    return error;
  }

  Result<std::optional<Mutant>> mutantOf(const Check &check, const CompileOptions &options) const {
    if (arguments.inject.empty())
      return std::optional<Mutant>();
    TILERIG_TRY(const std::vector<BugChoice> bugs, arguments.bugs());
    auto mutant = bugs.size() == 1 ? injectBug(check.model(), options, bugs.front(), arguments.injectSeed)
                                   : injectBugs(check.model(), options, bugs, arguments.injectSeed);
    if (!mutant)
      return mutant.error().within(model);
    return std::optional(*std::move(mutant));
  }

  Result<Program> programOf(const Check &check) const {
    if (arguments.program.empty())
      return check.program();
    TILERIG_TRY(Program program, readProgram(arguments.program));
    TILERIG_CHECK_OK(checkComparable(program, arguments.program, check.program(), model));
    return program;
  }

  Status add(Json record) {
    records.push_back(std::move(record));
    return report ? report->add(records.back()) : success();
  }

  struct JudgedLayers {
    Result<std::vector<EmittedLayer>> emitted;
    Result<std::vector<RoundedLayer>> rounded;
  };

  // Whether something suggests that a pass of the compiler is wrong: a decision on a type, or a layer that the emitted model
  // computes otherwise than the original one.
  static bool isPassSuspected(const Check &check, const JudgedLayers &layers) {
    const auto isOff = [](TensorStatus status) {
      return status != TensorStatus::match && status != TensorStatus::empty;
    };
    const auto isEmittedWrongly = [&](const EmittedLayer &layer) { return isOff(layer.comparison.status); };
    const auto isRoundedWrongly = [&](const RoundedLayer &layer) { return isOff(layer.status); };
    return check.model().passes.firstWrong || !layers.emitted || !layers.rounded ||
           std::ranges::any_of(*layers.emitted, isEmittedWrongly) ||
           std::ranges::any_of(*layers.rounded, isRoundedWrongly);
  }

  // The judgements of all passes of the compiler, if they were asked for, or if a pass is suspected and really is wrong: the
  // model is then compiled again, with the check after each pass.
  Result<std::optional<compiler::PassCheckResult>>
  judgedPasses(const Check &check, const JudgedLayers &layers, const SourceModel &source,
               const TensorMap &inputs, CompileOptions compilation) {
    std::optional<compiler::PassCheckResult> passes = check.model().passes;
    if (!arguments.afterEachPass) {
      if (!isPassSuspected(check, layers))
        return std::optional<compiler::PassCheckResult>();
      compilation.judgesPasses = true;
      compilation.onPasses = [&](const auto &judged, const auto &) {
        if (judged.firstWrong || !passes->firstWrong)
          passes = judged;
      };
      (void)compileStep(source, inputs, compilation, threads); // it may fail because of the wrong pass
    }
    addPrecision(layers.rounded ? *layers.rounded : std::vector<RoundedLayer>(), check.model().oracleLayers,
                 *passes);
    if (!arguments.afterEachPass && !passes->firstWrong)
      passes.reset();
    return passes;
  }

  Status record(const Check &check, const CheckRun &run, const JudgedLayers &layers,
                const std::optional<compiler::PassCheckResult> &passes, const std::optional<Mutant> &mutant,
                const CompileOptions &options) {
    CheckDescription known = description(check);
    if (arguments.mode == CheckMode::timed && !run.program.proof)
      known.notTimed = "cycles were not counted, because the program is not proved free of races; "
                       "use tilerig run --mode timed to see when its instructions run";
    if (mutant)
      known.injection = injectionRecord(*mutant, check, run);
    TILERIG_CHECK_OK(add(checkRunRecord(known, run)));
    if (std::optional<Json> wrong = programRecord(known, run))
      TILERIG_CHECK_OK(add(*std::move(wrong)));
    for (Json &finding : findingRecords(run)) {
      if (report)
        TILERIG_CHECK_OK(report->addFinding(run.program, finding));
      TILERIG_CHECK_OK(add(std::move(finding)));
    }
    if (arguments.mode == CheckMode::timed && known.notTimed.empty())
      TILERIG_CHECK_OK(addClock(check, run, options));
    TILERIG_CHECK_OK(addLayers(layers, passes));
    for (const std::string &name : run.accumulated.notKept)
      TILERIG_CHECK_OK(add(leftOutRecord({name, "the program does not keep the whole tensor"})));
    TILERIG_TRY(const JudgeOptions judged, judgeOptions(check));
    Progress progress(model, static_cast<uint64_t>(run.program.metadata.tensors_size()));
    TILERIG_CHECK_OK(check.judge(run, judged, [&](const CheckedTensor &tensor) -> Status {
      Json record = checkedRecord(run.program, tensor);
      TILERIG_CHECK_OK(verdicts.add(check, run, tensor, record));
      if (report)
        TILERIG_CHECK_OK(keepEvidence(check, run, tensor, record));
      progress.advance();
      return add(std::move(record));
    }));
    std::optional<Json> verdict = networkVerdict(run, verdicts.onTensors(), records);
    return verdict ? add(*std::move(verdict)) : success();
  }

  // Adds records that say which emitted layers are wrong (in floats, or in their precision), and the record
  // of the compiler's passes.
  Status addLayers(const JudgedLayers &layers, const std::optional<compiler::PassCheckResult> &passes) {
    const auto &[emitted, rounded] = layers;
    if (passes)
      TILERIG_CHECK_OK(addPasses(*passes));
    const bool isPassWrong = passes && passes->firstWrong;
    for (const auto &[status, title] :
         {std::pair{emitted ? success() : Status(emitted.error()), "layers as emitted"},
          std::pair{rounded ? success() : Status(rounded.error()), "layers as rounded"}})
      if (!status) {
        if (!isPassWrong)
          return status;
        // If a pass of the compiler is wrong, the emitted layers may not even be comparable with the original
        // model. This failure is then recorded, and the check goes on.
        TILERIG_CHECK_OK(add(leftOutRecord({title, status.error().message()})));
      }
    if (emitted)
      for (const EmittedLayer &layer : *emitted)
        TILERIG_CHECK_OK(add(emittedRecord(layer)));
    if (rounded)
      for (const RoundedLayer &layer : *rounded)
        TILERIG_CHECK_OK(add(roundedRecord(layer)));
    return success();
  }

  // With --loop, adds the records of the steps after the first. `check` and `run` are those of the first step.
  Status addSteps(const SourceModel &source, Check check, CheckRun run, const std::vector<StateLink> &links,
                  const DeviceOptions &device) {
    for (size_t step = 1; step < arguments.steps && run.accumulated.ended; ++step) {
      TILERIG_TRY(const TensorMap state, stateOf(links, run));
      TILERIG_TRY(TensorMap inputs, arguments.inputsFor(source, step));
      carryState(links, state, inputs);
      TILERIG_TRY(check, std::move(check).withInputs(inputs));
      TILERIG_TRY(run, check.run(std::move(run.program), device));
      TILERIG_CHECK_OK(add(stepRecord(step, check, run)));
    }
    return success();
  }

  // If a pass is wrong, the model may not compile or run. Then only the result of the pass check is recorded.
  Result<std::vector<Json>> recordWrongPass(const compiler::PassCheckResult &passes,
                                            const std::optional<compiler::InjectedPassBug> &injected,
                                            const Error &error) {
    TILERIG_CHECK_OK(addPasses(passes, "; the check then ended early: " + error.message(),
                               injected ? injectionRecord(*injected) : Json()));
    TILERIG_CHECK_OK(addDebugRecord());
    TILERIG_CHECK_OK(add(summaryRecord(records)));
    if (report)
      TILERIG_CHECK_OK(report->publish(records, model));
    return std::move(records);
  }

  // Adds the record that says whether the compiler's passes are right. For a wrong pass, writes files that
  // reproduce its error.
  Status addPasses(const compiler::PassCheckResult &passes, const std::string &consequence = "",
                   Json injection = {}) {
    std::string reproducer;
    if (passes.firstWrong && (arguments.afterEachPass || !folder.empty())) {
      const std::string place = folder.empty() ? "." : folder;
      TILERIG_TRY(reproducer,
                  writeReproducer(place + "/" + folderNameOf(model) + "-wrong-pass", *passes.firstWrong));
    }
    Json record = passRecord(passes, reproducer);
    record["reason"] = record["reason"].get<std::string>() + consequence;
    if (!injection.is_null())
      record["injection"] = std::move(injection);
    return add(std::move(record));
  }

  // Writes the evidence files of a tensor: the classifier's input and a picture for device against oracle,
  // and a picture for device against the original model.
  Status addEvidence(const Check &check, const CheckRun &run, const CheckedTensor &tensor, Json &record) {
    const bool isThere = tensor.comparison.status != TensorStatus::missing;
    if (record.contains("plane") && isThere)
      TILERIG_CHECK_OK(report->addEvidence(tensor.stored.reference, tensor.stored.target,
                                           circumstancesOf(check, run, tensor), tensor.comparison, record));
    if (record["truth"].is_object() && record["truth"].contains("plane")) {
      TILERIG_TRY(record["truth"]["picture"], report->addPicture(*tensor.truth));
      return Report::addErrorMap(tensor.real.reference, tensor.real.target, *tensor.truth, record["truth"]);
    }
    return success();
  }

  Status keepEvidence(const Check &check, const CheckRun &run, const CheckedTensor &tensor, Json &record) {
    if (arguments.keep == Keep::all || !isMatch(record))
      return addEvidence(check, run, tensor, record);
    dropEvidence(record);
    return success();
  }

  // Removes from a tensor's record the fields that only pictures need; its metrics remain.
  static void dropEvidence(Json &record) {
    const auto drop = [](Json &figures) {
      for (const char *field : {"plane", "worst", "buckets"})
        figures.erase(field);
    };
    drop(record);
    for (const char *comparison : {"isolated", "noise", "truth"})
      if (record[comparison].is_object())
        drop(record[comparison]);
  }

  CheckDescription description(const Check &check) const {
    return {.model = model,
            .precision = arguments.precision,
            .machine = check.program().machine.name,
            .inputs = arguments.inputsInWords(),
            .program = arguments.program,
            .notes = check.model().notes,
            .warnings = check.model().warnings,
            .notFinite = notFinite,
            .tiles = check.program().tiles};
  }

  Status addClock(const Check &check, const CheckRun &run, const CompileOptions &options) {
    Json clock = clockOf(run.program, run.accumulated.hostOperations, arguments.jitter);
    TILERIG_TRY(const LayersAlone alone, layersAlone(check.model(), options));
    addAlone(alone, clock);
    clock["record"] = "clock";
    return add(std::move(clock));
  }

  Result<JudgeOptions> judgeOptions(const Check &check) const {
    JudgeOptions options;
    options.limits = arguments.limits.limits();
    options.threads = threads.count();
    if (arguments.thresholds.empty())
      return options;
    TILERIG_TRY(options.thresholds, readThresholds(arguments.thresholds));
    std::set<std::string> names = tensorNames(check.program());
    for (const proto::Layer &layer : check.program().metadata.layers())
      names.insert(layer.name());
    TILERIG_CHECK_OK(options.thresholds.checkNames(names));
    return options;
  }

  // Reads the records of the baseline. Must run before the report is written, which may overwrite the
  // baseline's folder.
  Status readBefore() {
    if (arguments.baseline.empty())
      return success();
    const bool isOneOfMany = arguments.models.size() > 1;
    const std::string path = arguments.baseline + (isOneOfMany ? "/" + folderNameOf(model) : "");
    if (!std::filesystem::exists(path))
      return invalidInput(
          path,
          isOneOfMany && std::filesystem::exists(arguments.baseline)
              ? "the baseline has no report of this model"
              : "the records of the baseline do not exist",
          "leave --baseline out in the first check; what its --report writes is the next baseline");
    TILERIG_TRY(before, readBaseline(path));
    return success();
  }

public:
  // Subfolder for the report on a model: the name of the model's file without suffix, unless that is "." or
  // "..".
  static std::string folderNameOf(const std::string &model) {
    const std::filesystem::path name = std::filesystem::path(model).filename();
    const std::string stem = name.stem().string();
    return isFolderReference(stem) ? name.string() : stem;
  }
  static bool isFolderReference(const std::string &name) {
    return name.empty() || name == "." || name == "..";
  }

private:
  const CheckArguments &arguments;
  const CommandOptions &options;
  std::string model, folder;
  std::string notFinite; // which inputs contain NaN or infinity; empty if none does
  reference::Threads threads;
  CheckVerdicts verdicts;
  std::optional<Report> report;
  std::optional<std::vector<Json>> before; // records of the baseline; empty if none was given
  std::vector<Json> records;
};

ExitCode codeOf(const Gate &gate, const std::vector<Json> &records) {
  return passes(gate, records) ? ExitCode::done : ExitCode::mismatch;
}

// The result of the check of one of several models: its records, or the error that prevented the check.
struct Outcome {
  std::string model;
  Result<std::vector<Json>> records;
  ExitCode code;

  static Outcome of(const std::string &model, const Gate &gate, Result<std::vector<Json>> records) {
    const ExitCode code = records ? codeOf(gate, *records) : exitCodeOf(records.error().kind);
    return {model, std::move(records), code};
  }
  // The outcome of a check in one word. KNOWN: the model is as wrong as in the baseline, so the check passes.
  // LIMIT: the model is right, but a limit is exceeded, so the check fails.
  std::string_view word() const {
    if (code == ExitCode::done)
      return allMatch(*records) ? "match   " : "KNOWN   ";
    return allMatch(*records) ? "LIMIT   " : "MISMATCH";
  }
};

Json documentOfAll(const std::vector<Outcome> &outcomes) {
  Json models = Json::array();
  bool match = true;
  for (const Outcome &outcome : outcomes) {
    Json document = {{"model", outcome.model}};
    if (outcome.records)
      document.update(checkDocument(*outcome.records));
    else
      document["error"] = asJson(outcome.records.error());
    match &= outcome.records && allMatch(*outcome.records);
    models.push_back(std::move(document));
  }
  return {{"match", match}, {"models", std::move(models)}};
}

std::string linesOfAll(const std::vector<Outcome> &outcomes) {
  std::string lines;
  for (const Outcome &outcome : outcomes)
    lines += outcome.records
                 ? fmt::format("{} {}: {}", outcome.word(), outcome.model, summaryLine(*outcome.records))
                 : fmt::format("ERROR    {}\n", outcome.records.error().message());
  return lines;
}

Status writeSuites(const std::string &folder, const std::vector<Outcome> &outcomes) {
  std::vector<NamedRun> runs;
  for (const Outcome &outcome : outcomes)
    if (outcome.records)
      runs.push_back({outcome.model, &*outcome.records});
    else
      runs.push_back({outcome.model, nullptr, outcome.records.error().message()});
  return writeText(folder + "/junit.xml", asJUnit(runs));
}

Status checkFolderNames(const CheckArguments &arguments) {
  std::set<std::string> names;
  for (const std::string &model : arguments.models) {
    const std::string name = ModelCheck::folderNameOf(model);
    if (ModelCheck::isFolderReference(name))
      return invalidInput(model, "this is a folder, not a file");
    if (!names.insert(name).second)
      return usageError(model,
                        "another model has the same file name, so both would use the same report folder",
                        "check this model in a separate run");
  }
  return success();
}

std::string textOf(const CheckArguments &arguments, const std::vector<Json> &records) {
  return arguments.quiet ? asCheckLines(records) : asCheckTable(records);
}

std::string textOf(const Json &document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<ExitCode> checkSeveral(const CheckArguments &arguments, const CommandOptions &options, bool json) {
  if (!arguments.report.empty() || !arguments.baseline.empty() || !arguments.debug.empty())
    TILERIG_CHECK_OK(checkFolderNames(arguments));
  std::vector<Outcome> outcomes;
  ExitCode worst = ExitCode::done;
  for (const std::string &model : arguments.models) {
    const std::string folder =
        arguments.report.empty() ? "" : arguments.report + "/" + ModelCheck::folderNameOf(model);
    outcomes.push_back(
        Outcome::of(model, arguments.gate, ModelCheck(arguments, options, model, folder).run()));
    const Outcome &outcome = outcomes.back();
    worst = std::max(worst, outcome.code);
    const bool isTold = !arguments.quiet || (outcome.records && !allMatch(*outcome.records));
    if (!json && outcome.records && isTold)
      std::cout << model + "\n" + textOf(arguments, *outcome.records) + "\n";
  }
  if (!arguments.report.empty())
    TILERIG_CHECK_OK(writeSuites(arguments.report, outcomes));
  std::cout << (json ? textOf(documentOfAll(outcomes)) : linesOfAll(outcomes));
  return worst;
}

// Judges a wrong pass again from its reproducer (the module that shows the error).
Result<ExitCode> replay(const CheckArguments &arguments, bool json) {
  reference::Threads threads(arguments.threads);
  const std::string inputs = arguments.inputs.empty() ? "" : arguments.inputs.front();
  TILERIG_TRY(Json record, replayRecord(arguments.models.front(), inputs, arguments.passes, threads));
  const bool match = isMatch(record);
  if (json) {
    record.erase("record");
    record.erase("name");
    std::cout << textOf(Json{{"match", match}, {"passes", std::move(record)}});
  } else if (!arguments.quiet || !match) {
    std::cout << arguments.models.front() + ": " +
                     (match ? "the pass is right\n" : "the pass is wrong\n" + wrongPassLines(record));
  }
  return match ? ExitCode::done : ExitCode::mismatch;
}

Result<ExitCode> check(const CheckArguments &arguments, const CommandOptions &options, bool json) {
  TILERIG_CHECK_OK(arguments.check(options, json));
  if (!arguments.debug.empty())
    TILERIG_CHECK_OK(checkDebugFolder(arguments.debug));
  if (arguments.replays())
    return replay(arguments, json);
  if (arguments.models.size() > 1)
    return checkSeveral(arguments, options, json);
  TILERIG_TRY(const std::vector<Json> records,
              ModelCheck(arguments, options, arguments.models.front(), arguments.report).run());
  std::cout << (json ? textOf(checkDocument(records)) : textOf(arguments, records));
  return codeOf(arguments.gate, records);
}

} // namespace
} // namespace tilerig::verify

int main(int argc, char **argv) {
  using namespace tilerig;
  CommandLine line(command("check"),
                   "tilerig check model.onnx\n"
                   "tilerig check model.onnx --precision int8 -i pictures.npz --report out\n"
                   "tilerig check model.onnx --inject bias-missing@conv1\n"
                   "tilerig check a.onnx b.onnx --precision fp16 --json\n"
                   "tilerig check model.onnx --report new --baseline old");
  verify::CheckArguments arguments;
  arguments.declare(line.options());
  return line.run(argc, argv, [&] { return verify::check(arguments, line.options(), line.json()); });
}
