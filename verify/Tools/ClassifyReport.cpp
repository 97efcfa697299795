#include "verify/Tools/ClassifyReport.h"

#include "isa/Base/CommandLine/TextTable.h"
#include "verify/Metrics/Comparison.h"
#include "verify/Verdict/AttributionRecord.h"
#include "verify/Verdict/VerdictRecord.h"

#include <array>
#include <fmt/core.h>

namespace tilerig::verify {

namespace {

// How a tensor is judged, from the worst to the best. The headline is about the first tensor with the worst
// judgement that occurs.
enum class Standing : uint8_t { wrong, undecided, sound, inherited, notCompared, match };
constexpr size_t numStandings = 6;

Standing standingOf(const Json &layer) {
  if (layer["status"] == nameOf(TensorStatus::match))
    return Standing::match;
  if (layer["status"] == nameOf(TensorStatus::missing))
    return Standing::notCompared;
  if (layer["status"] == nameOf(TensorStatus::inherited))
    return Standing::inherited;
  const Json &verdict = layer["verdict"];
  if (verdict["answer"] == nameOf(Answer::cannotSay))
    return Standing::undecided;
  return verdict["class"] == nameOf(BugClass::noError) ? Standing::sound : Standing::wrong;
}

// The record of the tensor about which the headline speaks; null if all tensors match.
const Json *layerOfHeadline(const Json &layers) {
  const Json *first = nullptr;
  Standing standing = Standing::match;
  for (const Json &layer : layers)
    if (standingOf(layer) < standing) {
      first = &layer;
      standing = standingOf(layer);
    }
  return first;
}

std::string nameOfLayer(const Json &layer) {
  return (layer["layer"].is_null() ? layer["name"] : layer["layer"]).get<std::string>();
}

std::string tableOf(const Json &layers, Standing shown, bool all) {
  using enum Align;
  Table table({{"tensor", left}, {"status", left}, {"verdict", left}, {"where", left}});
  size_t rows = 0;
  for (const Json &layer : layers) {
    const Standing standing = standingOf(layer);
    if (!all && standing != shown)
      continue;
    const Json &where = layer["concerned"];
    table.add(
        {layer["name"], layer["status"],
         standing == Standing::match || standing == Standing::inherited ? "-" : verdictLine(layer["verdict"]),
         where.is_null() ? "-" : where["words"].get<std::string>()});
    ++rows;
  }
  return rows ? table.text() + "\n" : "";
}

// The number of tensors by the way in which they are judged: "374 tensors: 252 match, 121 differ without a
// bug, 1 judged wrong".
std::string countLine(const Json &layers) {
  constexpr std::array<const char *, numStandings> words = {
      "judged wrong",       "differ without a verdict",    "differ without a bug",
      "inherited an error", "only in reference or target", "match"};
  std::array<size_t, numStandings> counts{};
  for (const Json &layer : layers)
    ++counts[static_cast<size_t>(standingOf(layer))];
  std::string text = fmt::format("{} tensor{}", layers.size(), layers.size() == 1 ? "" : "s");
  const char *separator = ": ";
  for (size_t i = numStandings; i-- > 0;)
    if (counts[i]) {
      text += fmt::format("{}{} {}", separator, counts[i], words[i]);
      separator = ", ";
    }
  return text + "\n";
}

// A note for the headline if some earlier tensors have no verdict: the tensor of the headline may have
// inherited its error from one of them. Empty if there are none.
std::string doubtsBefore(const Json &layers, const Json &headline) {
  const Json *first = nullptr;
  size_t count = 0;
  for (const Json &layer : layers) {
    if (&layer == &headline)
      break;
    if (standingOf(layer) != Standing::undecided)
      continue;
    first = first ? first : &layer;
    ++count;
  }
  if (!first)
    return "";
  return fmt::format("  earlier tensors that may be wrong too: {}; the first is {}: {}\n", count,
                     printable(nameOfLayer(*first)), verdictLine((*first)["verdict"]));
}

// The mistake with which the model computes the tensor of the headline; empty if none is known.
std::string mistakeOf(const Json &layer) {
  const Json mistake = layer.value("reproduced_by", Json());
  if (!mistake.is_object())
    return "";
  return fmt::format("  the model computes {:.1f} % of the wrong elements, and the right ones, by {}\n",
                     100 * mistake["share"].get<double>(), printable(mistake["words"].get<std::string>()));
}

std::string reasonsOf(const Json &verdict) {
  std::string text;
  for (const Json &reason : verdict["evidence"])
    text += fmt::format("  {} ({})\n", reason["words"].get<std::string>(), reason["name"].get<std::string>());
  auto addList = [&](const char *title, const Json &items, const char *separator) {
    for (size_t i = 0; i < items.size(); ++i)
      text += (i ? separator : title) + items[i].get<std::string>();
    text += items.empty() ? "" : "\n";
  };
  if (!verdict["top"].empty())
    addList("  suspected parts of compiler or machine: ", verdict["top"][0]["suspects"], ", ");
  if (!verdict["attribution"].is_null())
    text += "  " + attributionLine(verdict["attribution"]) + "\n";
  addList("  information that was not available: ", verdict["missing"], "; ");
  return text;
}

} // namespace

Json headlineOf(const Json &layers) {
  const Json *layer = layerOfHeadline(layers);
  if (!layer)
    return nullptr;
  Json verdict = (*layer)["verdict"];
  verdict["layer"] = nameOfLayer(*layer);
  return verdict;
}

std::string classifyText(const Json &layers, bool all) {
  const Json *layer = layerOfHeadline(layers);
  const Standing standing = layer ? standingOf(*layer) : Standing::match;
  const bool hasRows = standing == Standing::wrong || standing == Standing::undecided;
  std::string text = all || hasRows ? tableOf(layers, standing, all) : "";
  text += countLine(layers);
  if (!layer)
    return text + "no tensor is wrong\n";
  if (standing != Standing::wrong)
    text += "no tensor is judged wrong\n";
  if (!hasRows)
    return text;
  text += fmt::format("first {}: {}: {}\n", standing == Standing::wrong ? "wrong" : "undecided",
                      printable(nameOfLayer(*layer)), verdictLine((*layer)["verdict"]));
  if (!(*layer)["concerned"].is_null())
    text += fmt::format("  where: {}\n", (*layer)["concerned"]["words"].get<std::string>());
  if (standing == Standing::wrong)
    text += doubtsBefore(layers, *layer);
  return text + mistakeOf(*layer) + reasonsOf((*layer)["verdict"]);
}

} // namespace tilerig::verify
