#include "tests/conformance/clean-passes/Findings.h"

#include "verify/Passes/PassRecord.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>

namespace tilerig::meaning {

namespace {

// The message without names and numbers, so that messages that differ only in these are counted together.
std::string general(const std::string &text) {
  std::string result;
  bool isInName = false, isAfterDigit = false;
  for (const char letter : text.substr(0, text.find('\n'))) {
    const bool isDigit = letter >= '0' && letter <= '9';
    if (letter == '\'') {
      isInName = !isInName;
      result += isInName ? "'..." : "'";
    } else if (!isInName && !(isDigit && isAfterDigit)) {
      result += isDigit ? '#' : letter;
    }
    isAfterDigit = isDigit;
  }
  return result;
}

void printCounts(const char *title, const std::map<std::string, size_t> &counts) {
  if (counts.empty())
    return;
  size_t sum = 0;
  std::vector<std::pair<size_t, std::string>> rows;
  for (const auto &[reason, count] : counts) {
    rows.emplace_back(count, reason);
    sum += count;
  }
  std::ranges::sort(rows, std::greater<>());
  fmt::print("{}: {}\n", title, sum);
  for (const auto &[count, reason] : rows)
    fmt::print("  {:6} {}\n", count, reason);
}

std::string fileNameOf(std::string name) {
  std::ranges::replace_if(
      name, [](char letter) { return letter == '/' || letter == ' ' || letter == ','; }, '_');
  return name;
}

} // namespace

void Findings::addRefusedModel(const std::string &model, const Error &error) {
  if (error.kind == ErrorKind::internal)
    return addError(model, "import", error);
  ++refusals[general(error.what)];
}

void Findings::addError(const std::string &model, const std::string &run, const Error &error) {
  ++errorCount;
  fmt::print("{}: {}: {}\n", model, run, error.message());
}

Status Findings::add(const std::string &model, const PassRun &run, const PassJudgement &judgement) {
  models += lastModel != model;
  lastModel = model;
  ++runs;
  passesRun += judgement.passes.ran;
  checkedCount += judgement.passes.checked;
  for (const compiler::SkippedPass &pass : judgement.passes.skipped)
    ++skipped[pass.pass + ": " + general(pass.reason)];
  if (!judgement.refusal.empty())
    ++withoutLayers[general(judgement.refusal)];
  if (!judgement.passes.firstWrong)
    return success();
  ++accusedCount;
  std::string reproducer;
  if (!folder.empty()) {
    const std::filesystem::path place = std::filesystem::path(folder) / fileNameOf(model + "-" + run.name);
    TILERIG_TRY(reproducer, verify::writeReproducer(place.string(), *judgement.passes.firstWrong));
  }
  fmt::print("{}: {}:\n{}{}", model, run.name,
             run.pipeline.empty() ? "" : fmt::format("  passes: {}\n", run.pipeline),
             verify::wrongPassLines(verify::passRecord(judgement.passes, reproducer)));
  std::fflush(stdout);
  return success();
}

void Findings::print() const {
  fmt::print(
      "{} models, {} runs of the compiler's passes; {} passes ran, {} changed a tensor and were judged\n",
      models, runs, passesRun, checkedCount);
  fmt::print("accused: {}\n", accusedCount);
  printCounts("skipped passes", skipped);
  printCounts("runs that end at an operator without a layer", withoutLayers);
  printCounts("models that reference or importer refuse", refusals);
  if (errorCount > 0)
    fmt::print("errors: {}\n", errorCount);
}

} // namespace tilerig::meaning
