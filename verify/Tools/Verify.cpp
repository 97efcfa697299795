// `tilerig verify`: compares all tensors of two files and says which ones are right.
#include "isa/Base/CommandLine/CommandLine.h"
#include "isa/Base/CommandLine/IdleOptions.h"
#include "isa/Base/Support/Progress.h"
#include "isa/Program/Reader.h"
#include "verify/Inputs/Matching.h"
#include "verify/Inputs/ThresholdsFile.h"
#include "verify/Metrics/Compare.h"
#include "verify/Records/Elements.h"
#include "verify/Records/Render.h"
#include "verify/Tools/LimitOptions.h"
#include "verify/Tools/Report.h"

#include <fmt/core.h>
#include <iostream>
#include <thread>

namespace tilerig::verify {
namespace {

struct Options {
  std::string reference, target, program, thresholds, elements, map, report;
  std::string oomScale = "ratio", outputType = "auto";
  LimitOptions limits;
  bool exact = false, acrossTypes = false;
  unsigned threads = 0;
};

void addOptions(CommandOptions &line, Options &options) {
  line.addOption("--reference", options.reference,
                 "expected tensors: .npz, .npy, .pb, .safetensors, .json of Polygraphy, or a folder of them")
      .required();
  line.addOption("--target", options.target, "tensors to judge: files as of --reference").required();
  line.addOption("--program", options.program,
                 "program that computed the target (.trb); the tensors that it lists are compared");
  options.limits.declare(line);
  line.addOption("--oom-scale", options.oomScale,
                 "how orders of magnitude are printed: as ratios, or as "
                 "their log10; limits are always ratios")
      .oneOf({"ratio", "log10"})
      .showDefault();
  line.addOption("--output-type", options.outputType,
                 "type whose values the numbers represent; auto: the type that the program states, "
                 "else the stored type")
      .oneOf({"auto", "float", "int8", "uint8"})
      .showDefault();
  line.addFlag("--exact", options.exact, "require equality, for a reference that is exact to the bit");
  line.addFlag("--across-types", options.acrossTypes,
               "compare values of different types, such as fp16 with fp32");
  line.addOption("--thresholds", options.thresholds, "file with limits for single types or layers (.json)");
  line.addOption("--map", options.map, "file that pairs tensors whose names differ (.json)");
  line.addOption("--elements", options.elements, "write a table of all elements to this file (.csv or .npz)");
  line.addOption("--report", options.report,
                 "write records, an HTML report, tables and pictures into this "
                 "folder");
  line.addOption("--threads", options.threads, "number of host threads; results do not depend on it")
      .range(1, 1024);
}

// The options and inputs of one call of `tilerig verify`, which the comparison of each tensor needs.
struct Job {
  Options options;
  TensorSource reference, target;
  Matching matching;
  Thresholds thresholds;
  RunDescription description;
};

Status checkThresholdNames(const Job &job) {
  std::set<std::string> names;
  for (const TensorMatch &match : job.matching.matches)
    names.insert({match.name, match.layer});
  names.erase("");
  return job.thresholds.checkNames(names);
}

Result<Job> prepare(const Options &options) {
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
  Job job{options, std::move(reference), std::move(target), {}, {}, {}};
  TILERIG_TRY(job.matching,
              matchTensors(job.reference, job.target, program ? &*program : nullptr, map ? &*map : nullptr));
  if (!options.thresholds.empty()) {
    TILERIG_TRY(job.thresholds, readThresholds(options.thresholds));
    TILERIG_CHECK_OK(checkThresholdNames(job));
  }
  job.description = {options.reference, options.target, options.program,    options.thresholds,
                     options.map,       options.exact,  options.acrossTypes};
  return job;
}

CompareOptions compareOptions(const Job &job, const TensorMatch &match, DType type) {
  CompareOptions compare;
  compare.exact = job.options.exact;
  compare.acrossTypes = job.options.acrossTypes;
  compare.threads = job.options.threads ? job.options.threads : std::thread::hardware_concurrency();
  Limits limits = job.options.limits.limits();
  limits.eightBit = match.eightBit;
  if (job.options.outputType != "auto")
    limits.eightBit = static_cast<EightBit>(std::ranges::find(outputTypeNames, job.options.outputType) -
                                            outputTypeNames.begin());
  compare.limits = job.thresholds.limitsFor(limits, type, match.name, match.layer);
  return compare;
}

Circumstances circumstancesOf(const Job &job, const TensorMatch &match) {
  Circumstances known;
  known.isOracle = job.options.exact;
  if (match.kind.empty())
    return known; // without a program, only the values of the tensor are known
  known.seams = match.seams;
  known.layerKind = match.kind;
  return known;
}

// Compares one tensor, writes its evidence files and a table of its elements if requested, and returns its
// record.
Result<Json> compareOne(const Job &job, const TensorMatch &match, Report *report, ElementsFile *elements) {
  if (match.reference.empty() || match.target.empty())
    return missingRecord(match, job.description);
  TILERIG_TRY(const StreamPair pair, openPair(job.reference, job.target, match));
  TILERIG_TRY(const Comparison comparison,
              compareStreams(pair.reference, pair.target, compareOptions(job, match, pair.target.dtype())));
  Json record = layerRecord(match, pair.target, comparison);
  if (!record.contains("plane"))
    return record; // the tensor's record states why the tensors could not be compared
  if (elements)
    TILERIG_CHECK_OK(elements->add(match.name, pair.reference, pair.target, comparison));
  if (report)
    TILERIG_CHECK_OK(
        report->addEvidence(pair.reference, pair.target, circumstancesOf(job, match), comparison, record));
  return record;
}

Result<std::vector<Json>> compareAll(const Job &job, Report *report, ElementsFile *elements) {
  std::vector<Json> records;
  auto add = [&](Json record) -> Status {
    records.push_back(std::move(record));
    return report ? report->add(records.back()) : success();
  };
  TILERIG_CHECK_OK(add(runRecord(job.description)));
  for (const LeftOut &leftOut : job.matching.leftOut)
    TILERIG_CHECK_OK(add(leftOutRecord(leftOut)));
  Progress progress("verify", job.matching.matches.size());
  for (const TensorMatch &match : job.matching.matches) {
    TILERIG_TRY(Json record, compareOne(job, match, report, elements));
    TILERIG_CHECK_OK(add(std::move(record)));
    progress.advance();
  }
  TILERIG_CHECK_OK(add(summaryRecord(records)));
  return records;
}

Result<ExitCode> verify(const Options &options, bool json) {
  TILERIG_TRY(const Job job, prepare(options));
  std::optional<ElementsFile> elements;
  if (!options.elements.empty()) {
    TILERIG_TRY(ElementsFile created, ElementsFile::create(options.elements, options.oomScale == "log10"));
    elements.emplace(std::move(created));
  }
  std::optional<Report> report;
  if (!options.report.empty()) {
    TILERIG_TRY(Report created, Report::create(options.report));
    report.emplace(std::move(created));
  }
  TILERIG_TRY(const std::vector<Json> records,
              compareAll(job, report ? &*report : nullptr, elements ? &*elements : nullptr));
  if (elements)
    TILERIG_CHECK_OK(elements->commit());
  if (report)
    TILERIG_CHECK_OK(report->publish(records, options.target));
  std::cout << (json ? asDocument(records) : asTable(records));
  return allMatch(records) ? ExitCode::done : ExitCode::mismatch;
}

} // namespace
} // namespace tilerig::verify

int main(int argc, char **argv) {
  using namespace tilerig;
  CommandLine line(command("verify"),
                   "tilerig verify --reference r.npz --target t.npz\n"
                   "tilerig verify --reference r.npz --target t.npz --program m.trb --exact\n"
                   "tilerig verify --reference r.npz --target t.npz --report out --json");
  verify::Options options;
  verify::addOptions(line.options(), options);
  return line.run(argc, argv, [&]() -> Result<ExitCode> {
    TILERIG_CHECK_OK(refuseIdle(
        line.options(), {{.option = "--oom-scale",
                          .isIdle = options.elements.empty(),
                          .why = "this option changes the file of --elements, but --elements is not given",
                          .remedy = "add --elements"}}));
    return verify::verify(options, line.json());
  });
}
