#include "verify/Check/Headlines.h"

#include "isa/Tools/Inspect/Table.h"
#include "verify/Records/Render.h"
#include "verify/Records/StatedWrongly.h"

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
  return fmt::format("  {} as {}, {}: {}{}\n", countText(count, "layer", "layers"), stated, fault,
                     printable(fmt::format("{}", fmt::join(names, ", "))),
                     count > shown ? fmt::format(" and {} more", count - shown) : "");
}

std::string statementLines(const std::vector<Json> &records) {
  const StatedWrongly wrong = statedWrongly(records);
  return statementLine(wrong.emitted, "emitted", "not the model's own") +
         statementLine(wrong.rounded, "rounded", "off by more than the precision allows");
}

std::string programLine(const Json &program) {
  return fmt::format("  {}: {}: {}\n", printable(program["name"].get<std::string>()),
                     program["status"].get<std::string>(), inOneLine(program["reason"].get<std::string>()));
}

} // namespace

bool isHeadline(const Json &record) {
  if (record["record"] == "program")
    return true;
  return record["record"] == "verdict" && (record["proved"] == true || !record["stated_wrongly"].is_null() ||
                                           (record["answer"] == "cannot_say" && record["layer"].is_null()));
}

std::string networkVerdictLine(const Json &verdict) {
  if (verdict["proved"] == true)
    return fmt::format("  verdict: {}, proved by the {}: {}\n", verdict["class"].get<std::string>(),
                       verdict["proved_by"].get<std::string>(),
                       inOneLine(verdict["reason"].get<std::string>()));
  const std::string on =
      verdict["layer"].is_null() ? "" : " on " + printable(verdict["layer"].get<std::string>());
  if (verdict["answer"] == "cannot_say")
    return fmt::format("  verdict{}: cannot say: {}\n", on, inOneLine(verdict["reason"].get<std::string>()));
  if (on.empty())
    return "";
  const std::string name = verdict["class"];
  return fmt::format("  verdict{}: {}{} ({:.0f} %)\n", on,
                     verdict["answer"] == "unknown" ? "an unknown bug, likest to " : "", name,
                     100 * verdict["probabilities"][name].get<double>());
}

std::string headlinesOf(const std::vector<Json> &records) {
  std::string verdict, program;
  for (const Json &record : records)
    if (isHeadline(record)) {
      if (record["record"] == "verdict")
        verdict = networkVerdictLine(record);
      else
        program = programLine(record);
    }
  return verdict + program + statementLines(records);
}

} // namespace tilerig::verify
