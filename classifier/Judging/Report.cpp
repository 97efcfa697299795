#include "classifier/Judging/Report.h"

#include <fmt/core.h>

namespace tilerig::classifier {

namespace {

std::string className(size_t i) { return std::string(nameOf(static_cast<BugClass>(i))); }

Json asJson(const Figures &figures) {
  Json classes = Json::object();
  for (size_t i = 0; i < numBugClasses; ++i)
    if (const ClassFigures &of = figures.classes[i]; of.rows || of.said)
      classes[className(i)] = {{"rows", of.rows},
                               {"said", of.said},
                               {"precision", of.precision()},
                               {"recall", of.recall()},
                               {"f1", of.f1()}};
  return {{"rows", figures.rows},
          {"accuracy", figures.accuracy},
          {"macro_f1", figures.macroF1},
          {"worst_recall", figures.worstRecall},
          {"worst_class", nameOf(figures.worstClass)},
          {"expected_calibration_error", figures.calibrationError},
          {"classes", std::move(classes)},
          {"confusion", figures.confusion}};
}

Json asJson(const UnknownFigures &of) {
  Json byBug = Json::object();
  for (const auto &[bug, its] : of.byBug)
    byBug[bug] = {{"rows", its.unknown}, {"auroc", its.area}, {"passing_at_95", its.passing}};
  return {{"rows", of.separation.unknown},    {"known_rows", of.separation.known},
          {"auroc", of.separation.area},      {"passing_at_95", of.separation.passing},
          {"called_unknown", of.unknownSaid}, {"known_called_unknown", of.knownRejected},
          {"bugs", std::move(byBug)}};
}

std::string percent(size_t part, size_t whole) {
  return whole ? fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole))
               : "-";
}

std::string partsTable(const Evaluation &evaluation) {
  std::string text =
      "| rows that were not trained on | rows | macro-F1 | worst recall | calibration error | accuracy |\n"
      "|---|---:|---:|---|---:|---:|\n";
  for (const PartFigures &part : evaluation.parts) {
    const Figures &figures = part.figures;
    text += fmt::format("| {} | {} | {:.3f} | {:.2f} {} | {:.3f} | {:.3f} |\n", part.description,
                        figures.rows, figures.macroF1, figures.worstRecall, nameOf(figures.worstClass),
                        figures.calibrationError, figures.accuracy);
  }
  return text;
}

std::string unknownRow(const char *label, const UnknownFigures &of) {
  const Separation &both = of.separation;
  return fmt::format("| {} | {} | {} | {:.3f} | {:.2f} | {} | {} |\n", label, both.unknown, both.known,
                     both.area, both.passing, percent(of.unknownSaid, both.unknown),
                     percent(of.knownRejected, both.known));
}

// Table of held-out bugs: how well the unknown score (Training/Calibrate.h) separates each from known bugs,
// in rows with all the measurements of tilerig check.
std::string unknownBugsTable(const UnknownFigures &of) {
  std::string text = "| held-out bug | rows | AUROC | counted as known |\n|---|---:|---:|---:|\n";
  for (const auto &[bug, its] : of.byBug)
    text += fmt::format("| {} | {} | {:.3f} | {:.2f} |\n", bug, its.unknown, its.area, its.passing);
  return of.byBug.empty() ? "" : "\n" + text;
}

std::string unknownText(const Evaluation &evaluation) {
  return "Bugs that were never trained on (held out), compared with known bugs, in families of networks that "
         "were never trained on: the share of the held-out bugs that counts as known at the limit at which "
         "95 % of the known bugs do, and how many of both are called unknown.\n\n"
         "| rows | held out | known | AUROC | counted as known | held out, called unknown | known, called "
         "unknown |\n"
         "|---|---:|---:|---:|---:|---:|---:|\n" +
         unknownRow("all", evaluation.unknown) +
         unknownRow("rows with all measurements of tilerig check", evaluation.unknownOfChecks) +
         unknownBugsTable(evaluation.unknownOfChecks) +
         fmt::format("\nOf {} tensors without a bug that differ from the reference, {} were called wrong.\n",
                     evaluation.clean.rows, evaluation.clean.calledWrong);
}

std::string classTable(const Figures &figures) {
  std::string text =
      "| class | rows | precision | recall | F1 | most often taken for |\n|---|---:|---:|---:|---:|---|\n";
  for (size_t i = 0; i < numBugClasses; ++i) {
    const ClassFigures &of = figures.classes[i];
    if (!of.rows)
      continue;
    size_t most = i ? 0 : 1;
    for (size_t j = 0; j < numBugClasses; ++j)
      if (j != i && figures.confusion[i][j] > figures.confusion[i][most])
        most = j;
    const size_t times = figures.confusion[i][most];
    text +=
        fmt::format("| {} | {} | {:.3f} | {:.3f} | {:.3f} | {} |\n", className(i), of.rows, of.precision(),
                    of.recall(), of.f1(), times ? fmt::format("{} ({})", className(most), times) : "");
  }
  return text;
}

std::string confusionTable(const Figures &figures) {
  std::string text = "| true class (rows), verdict (columns) |", rule = "|---|";
  for (size_t j = 0; j < numBugClasses; ++j) {
    text += fmt::format(" {} |", j);
    rule += "---:|";
  }
  text += "\n" + rule + "\n";
  for (size_t i = 0; i < numBugClasses; ++i) {
    text += fmt::format("| {} {} |", i, className(i));
    for (size_t count : figures.confusion[i])
      text += count ? fmt::format(" {} |", count) : " |";
    text += "\n";
  }
  return text;
}

const PartFigures *partNamed(const Evaluation &evaluation, std::string_view name) {
  for (const PartFigures &part : evaluation.parts)
    if (part.name == name)
      return &part;
  return nullptr;
}

// The parts of the dataset for which the report has a table with the metrics of each class, and the tables'
// titles.
constexpr std::pair<const char *, const char *> partsByClass[] = {
    {"unseen_families_check",
     "families that were never trained on, only rows with all measurements of tilerig check"},
    {"unseen_families", "families that were never trained on, all rows"},
    {"in_distribution", "families that were trained on, but other networks"}};

std::string comparisonTable(const std::vector<Evaluation> &evaluations) {
  std::string text =
      "A row of a dataset describes one tensor; rows of check are those with all measurements of tilerig "
      "check. The first four metrics are measured in families of networks that were never trained on: the "
      "fourth in all rows, the others only in rows of check. The columns about held-out bugs say, for bugs "
      "that were never trained on and only in rows of check, how well these are separated from known bugs, "
      "and which share of them counts as known.\n\n"
      "| kind | parameters | macro-F1, rows of check | worst recall of a class | calibration error | "
      "macro-F1, all rows | held-out bugs: AUROC | held-out bugs: counted as known | minutes of training | "
      "milliseconds per row, one thread |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  std::string commands;
  for (const Evaluation &evaluation : evaluations) {
    const PartFigures *check = partNamed(evaluation, "unseen_families_check"),
                      *all = partNamed(evaluation, "unseen_families");
    text += fmt::format(
        "| {} | {} | {} | {} | {} | {} | {:.3f} | {:.2f} | {:.1f} | {:.1f} |\n", evaluation.card.kind,
        evaluation.card.parameters, check ? fmt::format("{:.3f}", check->figures.macroF1) : "-",
        check ? fmt::format("{:.2f}", check->figures.worstRecall) : "-",
        check ? fmt::format("{:.3f}", check->figures.calibrationError) : "-",
        all ? fmt::format("{:.3f}", all->figures.macroF1) : "-", evaluation.unknownOfChecks.separation.area,
        evaluation.unknownOfChecks.separation.passing, evaluation.card.minutes,
        evaluation.millisecondsPerRow);
    commands += evaluation.card.command + "\n";
  }
  return text + "\n```\n" + commands + "```\n";
}

uint64_t trainedOn(const Card &card) {
  const auto entry = card.rows.find(std::string(nameOf(Part::training)));
  return entry == card.rows.end() ? 0 : entry->second;
}

std::string heldOutText(const Card &card) {
  std::string text;
  const Json heldOut = card.split.asJson();
  for (const auto &[field, values] : heldOut.items()) {
    text += fmt::format("{}{}: ", text.empty() ? "" : "; ", field);
    for (size_t i = 0; i < values.size(); ++i)
      text += (i ? ", " : "") + values[i].get<std::string>();
  }
  return text;
}

} // namespace

Json asJson(const Evaluation &evaluation) {
  Json parts = Json::object();
  for (const PartFigures &part : evaluation.parts)
    parts[part.name] = asJson(part.figures);
  return {{"file_type", "Evaluation"},
          {"version", 1},
          {"model", evaluation.model},
          {"card", asJson(evaluation.card)},
          {"parts", std::move(parts)},
          {"unknown", asJson(evaluation.unknown)},
          {"unknown_check", asJson(evaluation.unknownOfChecks)},
          {"clean", {{"rows", evaluation.clean.rows}, {"called_wrong", evaluation.clean.calledWrong}}},
          {"ms_per_row", evaluation.millisecondsPerRow}};
}

std::string asMarkdown(const std::vector<Evaluation> &evaluations, const std::string &command,
                       const std::string &date) {
  const Evaluation &first = evaluations.front();
  std::string text = fmt::format(
      "# Evaluation of classifiers\n\n> Accuracy of classifiers on rows that they were not trained on, "
      "measured by `{}` on {}.\n\n",
      command, date);
  if (evaluations.size() > 1)
    text += "## Kinds of models, compared on the same rows\n\n" + comparisonTable(evaluations) + "\n";
  text += fmt::format(
      "## {}\n\nTrained in {:.0f} minutes on {} rows:\n\n```\n{}\n{}\n```\n\nHeld out of training: "
      "{}.\n\n{}\n{}",
      first.card.kind, first.card.minutes, trainedOn(first.card), first.card.datasetCommand,
      first.card.command, heldOutText(first.card), partsTable(first), unknownText(first));
  for (const auto &[name, title] : partsByClass)
    if (const PartFigures *part = partNamed(first, name))
      text += fmt::format("\n### By class: {}\n\n{}\n{}", title, classTable(part->figures),
                          confusionTable(part->figures));
  return text;
}

} // namespace tilerig::classifier
