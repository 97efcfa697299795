#include "verify/Verdict/AttributionRecord.h"

#include "verify/Verdict/Words.h"

#include <fmt/core.h>

namespace tilerig::verify {

namespace {

double shareOf(const ElementCounts &part, const ElementCounts &all) {
  if (all.failed)
    return static_cast<double>(part.failed) / static_cast<double>(all.failed);
  return all.elements ? static_cast<double>(part.elements) / static_cast<double>(all.elements) : 0;
}

Json countsRecord(const ElementCounts &part, const ElementCounts &all) {
  return {{"elements", part.elements}, {"failed", part.failed}, {"share", shareOf(part, all)}};
}

Json classRecord(const ClassAttribution &of, const ElementCounts &all) {
  Json record = countsRecord(of.counts, all);
  record["class"] = nameOf(of.bugClass);
  record["words"] = wordsOf(of.bugClass);
  record["explained_by"] = Json::array();
  for (const Feature hypothesis : of.explainedBy)
    record["explained_by"].push_back({{"name", nameOf(hypothesis)}, {"words", wordsOf(hypothesis)}});
  return record;
}

std::string percent(const Json &part) { return fmt::format("{:.1f} %", 100 * part["share"].get<double>()); }

} // namespace

Json attributionRecord(const Attribution &attribution) {
  Json record = {{"elements", attribution.all.elements},
                 {"failed", attribution.all.failed},
                 {"replayed", attribution.replayed},
                 {"classes", Json::array()},
                 {"unexplained", countsRecord(attribution.unexplained, attribution.all)}};
  for (const ClassAttribution &of : attribution.classes)
    record["classes"].push_back(classRecord(of, attribution.all));
  return record;
}

std::string attributionLine(const Json &record) {
  const bool haveFailed = record["failed"] != 0;
  std::string line =
      fmt::format("explanations of the {} {} elements: ", record[haveFailed ? "failed" : "elements"].dump(),
                  haveFailed ? "failed" : "different");
  for (const Json &of : record["classes"]) {
    line += of["class"].get<std::string>() + ' ' + percent(of);
    if (const Json &replayed = of["explained_by"]; !replayed.empty())
      line += fmt::format(" ({})", replayed[0]["words"].get<std::string>());
    line += ", ";
  }
  return line + "unexplained " + percent(record["unexplained"]);
}

} // namespace tilerig::verify
