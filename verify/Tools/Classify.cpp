// `tilerig classify`: names the bug behind the differences of two sets of tensors.
#include "isa/Base/CommandLine/CommandLine.h"
#include "isa/Base/Support/Progress.h"
#include "isa/Program/Reader.h"
#include "verify/Evidence/Concerned.h"
#include "verify/Inputs/Matching.h"
#include "verify/Metrics/Compare.h"
#include "verify/Records/Record.h"
#include "verify/Tools/ClassifyReport.h"
#include "verify/Tools/LimitOptions.h"
#include "verify/Verdict/JudgePair.h"
#include "verify/Verdict/Shipped.h"

#include <iostream>
#include <thread>

namespace tilerig::verify {
namespace {

struct Options {
  std::string reference, target, program, map, classifier;
  LimitOptions limits;
  bool exact = false, acrossTypes = false, all = false;
  unsigned threads = 0;
};

void addOptions(CommandOptions &line, Options &options) {
  line.addOption("--reference", options.reference, "expected tensors: .npz, .npy, .pb, or a folder of them")
      .required();
  line.addOption("--target", options.target, "tensors to judge: .npz, .npy, .pb, or a folder of them")
      .required();
  line.addOption("--program", options.program,
                 "program that computed the target (.trb); it says which layer a tensor belongs to, and "
                 "where the parts of two tiles meet");
  line.addOption("--map", options.map, "file that pairs tensors whose names differ (.json)");
  options.limits.declare(line);
  line.addFlag("--exact", options.exact, "require equality: every difference is an error");
  line.addFlag("--across-types", options.acrossTypes,
               "compare values of different types, such as fp16 with fp32");
  line.addFlag("--all", options.all, "print a row for every tensor, not only for wrong ones");
  line.addOption(
      "--classifier", options.classifier,
      "classifier to use instead of the built-in one (.onnx, or a folder with one model per class)");
  line.addOption("--threads", options.threads, "number of host threads; results do not depend on it")
      .range(1, 1024);
}

struct Job {
  TensorSource reference, target;
  Matching matching;
  CompareOptions compare;
  const Classifier &classifier;

  Result<Json> classify(const TensorMatch &match) const;
  Result<Json> classifyPair(const TensorMatch &match, const StreamPair &pair) const;
};

Circumstances circumstancesOf(const Job &job, const TensorMatch &match) {
  Circumstances known;
  known.isOracle = job.compare.exact;
  if (match.kind.empty())
    return known; // without a program, only the values of the tensor are known
  known.seams = match.seams;
  known.layerKind = match.kind;
  return known;
}

Json recordOf(const TensorMatch &match, const Comparison &comparison, const ExplainedVerdict &explained) {
  return {{"name", match.name},
          {"layer", match.layer.empty() ? Json() : Json(match.layer)},
          {"status", nameOf(comparison.status)},
          {"elements", comparison.elements},
          {"different", comparison.different},
          {"concerned", nullptr},
          {"verdict", verdictRecord(explained)}};
}

Json rangesRecord(const ConcernedAxis &axis) {
  Json ranges = Json::array();
  for (const IndexRange &range : axis.ranges)
    ranges.push_back({range.first, range.last});
  return {{"size", axis.size}, {"ranges", ranges}};
}

Json concernedRecord(const Concerned &concerned) {
  return {{"elements", concerned.elements},
          {"channels", rangesRecord(concerned.channels)},
          {"rows", rangesRecord(concerned.rows)},
          {"columns", rangesRecord(concerned.columns)},
          {"words", inWords(concerned)}};
}

// Whether a tensor was compared element by element and differs.
bool hasWrongElements(const Comparison &comparison) {
  return comparison.status == TensorStatus::mismatch || comparison.status == TensorStatus::nonFinite;
}

Result<Json> Job::classifyPair(const TensorMatch &match, const StreamPair &pair) const {
  CompareOptions options = compare;
  options.limits.eightBit = match.eightBit;
  TILERIG_TRY(const Comparison comparison, compareStreams(pair.reference, pair.target, options));
  TILERIG_TRY(const ExplainedVerdict explained,
              judgePair(classifier, pair.reference, pair.target, comparison, circumstancesOf(*this, match)));
  Json record = recordOf(match, comparison, explained);
  if (hasWrongElements(comparison)) {
    TILERIG_TRY(const Concerned concerned,
                findConcerned(pair.reference, pair.target, comparison, compare.exact));
    record["concerned"] = concernedRecord(concerned);
  }
  return record;
}

Result<Json> Job::classify(const TensorMatch &match) const {
  if (match.reference.empty() || match.target.empty()) {
    Comparison nothing;
    nothing.status = TensorStatus::missing;
    return recordOf(
        match, nothing,
        {.verdict = cannotSay(match.reference.empty() ? "the reference does not contain this tensor"
                                                      : "the target does not contain this tensor")});
  }
  TILERIG_TRY(const StreamPair pair, openPair(reference, target, match));
  return classifyPair(match, pair);
}

Result<Job> prepare(const Options &options, const Classifier &classifier) {
  TILERIG_TRY(TensorSource reference, TensorSource::open(options.reference));
  TILERIG_TRY(TensorSource target, TensorSource::open(options.target));
  std::optional<Program> program;
  if (!options.program.empty()) {
    TILERIG_TRY(Program read, readProgram(options.program));
    program.emplace(std::move(read));
  }
  std::optional<TensorNameMap> map;
  if (!options.map.empty()) {
    TILERIG_TRY(map, readMap(options.map));
  }
  TILERIG_TRY(Matching matching,
              matchTensors(reference, target, program ? &*program : nullptr, map ? &*map : nullptr));
  CompareOptions compare;
  compare.limits = options.limits.limits();
  compare.exact = options.exact;
  compare.acrossTypes = options.acrossTypes;
  compare.threads = options.threads ? options.threads : std::thread::hardware_concurrency();
  return Job{std::move(reference), std::move(target), std::move(matching), compare, classifier};
}

Result<ExitCode> classify(const Options &options, bool json) {
  reference::Threads threads(options.threads);
  TILERIG_TRY(const Classifier classifier, openClassifier(options.classifier, threads));
  TILERIG_TRY(const Job job, prepare(options, classifier));
  Json layers = Json::array();
  Progress progress("classify", job.matching.matches.size());
  for (const TensorMatch &match : job.matching.matches) {
    TILERIG_TRY(Json layer, job.classify(match));
    layers.push_back(std::move(layer));
    progress.advance();
  }
  const Json verdict = headlineOf(layers);
  if (json)
    std::cout << Json{{"verdict", verdict}, {"layers", layers}}.dump(2, ' ', false,
                                                                     Json::error_handler_t::replace)
              << "\n";
  else
    std::cout << classifyText(layers, options.all);
  return verdict.is_null() ? ExitCode::done : ExitCode::mismatch;
}

} // namespace
} // namespace tilerig::verify

int main(int argc, char **argv) {
  using namespace tilerig;
  CommandLine line(command("classify"),
                   "tilerig classify --reference r.npz --target t.npz\n"
                   "tilerig classify --reference r.npz --target t.npz --program m.trb --exact\n"
                   "tilerig classify --reference fp32.npz --target fp16.npz --across-types --json");
  verify::Options options;
  verify::addOptions(line.options(), options);
  return line.run(argc, argv, [&] { return verify::classify(options, line.json()); });
}
