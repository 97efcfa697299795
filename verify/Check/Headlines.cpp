#include "verify/Check/Headlines.h"

#include "isa/Base/CommandLine/TextTable.h"
#include "verify/Findings/Finding.h"
#include "verify/Passes/PassRecord.h"
#include "verify/Records/Render.h"
#include "verify/Records/StatedWrongly.h"

#include <algorithm>
#include <fmt/ranges.h>

namespace tilerig::verify {

namespace {

std::string statementLine(std::vector<std::string> names, const char *stated, const char *fault) {
  constexpr size_t shown = 5;
  if (names.empty())
    return "";
  const size_t count = names.size();
  if (count > shown)
    names.resize(shown);
  return fmt::format("  {} {} wrongly ({}): {}{}\n", countText(count, "layer", "layers"), stated, fault,
                     printable(fmt::format("{}", fmt::join(names, ", "))),
                     count > shown ? fmt::format(" and {} more", count - shown) : "");
}

std::string statementLines(const std::vector<Json> &records) {
  const StatedWrongly wrong = statedWrongly(records);
  return statementLine(wrong.emitted, "emitted", "different from the original model") +
         statementLine(wrong.rounded, "rounded", "error larger than the precision explains");
}

// The headline of a faulty program, such as "the program: unproved: the analyser found 30 race, 1 deadlock".
std::string programLine(const Json &program) {
  std::string counts;
  for (const auto &[field, words] :
       {std::pair("findings", "the analyser found "), {"traps", "the emulator met "}})
    if (!program[field].empty())
      counts += (counts.empty() ? ": " : "; ") + (words + describeCounts(program[field]));
  return fmt::format("  {}: {}{}\n", printable(program["name"].get<std::string>()),
                     program["status"].get<std::string>(), counts);
}

uint64_t totalOf(const Json &program) {
  uint64_t total = 0;
  for (const char *field : {"findings", "traps"})
    for (const auto &[kind, count] : program[field].items())
      total += count.get<uint64_t>();
  return total;
}

// The first findings (problems that the analyser or a trap found) as lines of text, and the number of further
// ones. The analyser may have counted more problems (`total`) than it kept.
std::string linesOfFindings(const std::vector<Json> &records, uint64_t total) {
  constexpr size_t shown = 5;
  std::string lines;
  size_t count = 0;
  for (const Json &record : records)
    if (record["record"] == "finding" && count < shown) {
      lines += findingLines(record);
      ++count;
    }
  if (total > count)
    lines += fmt::format("    and {} more findings; --json and --report list all that were recorded\n",
                         total - count);
  return lines;
}

std::string shares(const Json &verdict) {
  std::vector<std::pair<double, std::string>> all;
  for (const Json &name : verdict["classes"])
    all.emplace_back(verdict["probabilities"][name.get<std::string>()].get<double>(), name);
  std::ranges::stable_sort(all, [](const auto &a, const auto &b) { return a.first > b.first; });
  std::string text;
  for (const auto &[share, name] : all)
    text += fmt::format("{}{} ({:.0f} %)", text.empty() ? "" : ", ", name, 100 * share);
  return text;
}

} // namespace

bool isHeadline(const Json &record) {
  if (record["record"] == "program" || record["record"] == "passes")
    return true;
  return record["record"] == "verdict" && (record["proved"] == true || !record["stated_wrongly"].is_null() ||
                                           (record["answer"] == "cannot_say" && record["layer"].is_null()));
}

static std::string onLayer(const Json &verdict) {
  return verdict["layer"].is_null() ? "" : " on " + printable(verdict["layer"].get<std::string>());
}

static std::string guess(const Json &verdict) {
  const std::string name = verdict["class"];
  if (verdict.contains("proved_by"))
    return fmt::format("{}, proved by the {}", name, verdict["proved_by"].get<std::string>());
  return fmt::format("{}{} ({:.0f} %)",
                     verdict["answer"] == "unknown" ? "an unknown bug, most similar to " : "", name,
                     100 * verdict["probabilities"][name].get<double>());
}

static std::string lineOfCause(const Json &verdict) {
  const std::string on = onLayer(verdict);
  if (verdict["answer"] == "one_of")
    return fmt::format("  verdict{}: proved by the {} to be one of {}\n", on,
                       verdict["proved_by"].get<std::string>(), shares(verdict));
  if (verdict["proved"] == true)
    return fmt::format("  verdict{}: {}, proved by the {}\n", on, verdict["class"].get<std::string>(),
                       verdict["proved_by"].get<std::string>());
  if (verdict["answer"] == "cannot_say")
    return fmt::format("  verdict{}: cannot say: {}\n", on, inOneLine(verdict["reason"].get<std::string>()));
  return on.empty() ? "" : fmt::format("  verdict{}: {}\n", on, guess(verdict));
}

std::string networkVerdictLines(const Json &verdict) {
  std::string lines = lineOfCause(verdict);
  for (const Json &other : verdict["others"])
    lines += fmt::format("  another bug{}: {}\n", onLayer(other),
                         other["answer"] == "cannot_say"
                             ? "cannot say: " + inOneLine(other["reason"].get<std::string>())
                             : guess(other));
  return lines;
}

std::string headlinesOf(const std::vector<Json> &records) {
  std::string verdict, program, passes;
  for (const Json &record : records)
    if (isHeadline(record)) {
      if (record["record"] == "verdict")
        verdict = networkVerdictLines(record);
      else if (record["record"] == "passes")
        passes = isMatch(record) ? "" : wrongPassLines(record);
      else
        program = programLine(record) + linesOfFindings(records, totalOf(record));
    }
  return verdict + passes + program + statementLines(records);
}

} // namespace tilerig::verify
