#include "classifier/Judging/Card.h"

#include "isa/Base/Support/Advice.h"
#include "isa/Base/Support/File.h"
#include "verify/Evidence/OriginJson.h"
#include "verify/Verdict/Classifier.h"

#include <filesystem>

namespace tilerig::classifier {

std::string cardPathOf(const std::string &model) {
  return std::filesystem::path(model).replace_extension(".json").string();
}

Json asJson(const Card &card) {
  return {{"file_type", "Classifier"},
          {"version", 1},
          {"kind", card.kind},
          {"command", card.command},
          {"dataset", {{"command", card.datasetCommand}, {"seed", card.datasetSeed}}},
          {"evidence_version", card.evidenceVersion},
          {"seed", card.seed},
          {"epochs", card.epochs},
          {"threads", card.threads},
          {"held_out", card.split.asJson()},
          {"rows", card.rows},
          {"bugs", card.bugs},
          {"parameters", card.parameters},
          {"temperature", card.temperature},
          {"minutes", card.minutes}};
}

Status writeCard(const std::string &path, const Card &card) {
  return writeText(path, asJson(card).dump(2) + "\n");
}

static Result<Card> cardIn(const JsonPlace &file) {
  TILERIG_CHECK_OK(file.expectFileType("Classifier"));
  TILERIG_CHECK_OK(file.at("version").wholeNumber(1, 1));
  Card card;
  TILERIG_TRY(card.kind, file.at("kind").text());
  TILERIG_TRY(card.command, file.at("command").text());
  TILERIG_TRY(card.split, Split::fromJson(file.at("held_out")));
  for (auto [name, number] : {std::pair{"seed", &card.seed}, std::pair{"parameters", &card.parameters}})
    if (const JsonPlace field = file.at(name)) {
      TILERIG_TRY(*number, field.wholeNumber<uint64_t>());
    }
  if (const JsonPlace command = file.at("dataset").at("command")) {
    TILERIG_TRY(card.datasetCommand, command.text());
  }
  for (auto [name, counts] : {std::pair{"rows", &card.rows}, std::pair{"bugs", &card.bugs}})
    if (const JsonPlace field = file.at(name)) {
      TILERIG_TRY(*counts, verify::countsIn(field));
    }
  if (const JsonPlace minutes = file.at("minutes")) {
    TILERIG_TRY(card.minutes, minutes.number());
  }
  return card;
}

Result<Card> readCard(const std::string &path) {
  TILERIG_TRY(const Json json, readStrictJson(path));
  return advised(cardIn({&json, path}),
                 "use the model card (.json) that tilerig train wrote beside the model");
}

Result<Card> readCardOf(const std::string &model) {
  if (!std::filesystem::is_directory(model))
    return readCard(cardPathOf(model));
  std::optional<Card> all;
  for (size_t i = 0; i < numBugClasses; ++i) {
    const std::string path = cardPathOf(verify::classifierFileOf(model, static_cast<BugClass>(i)));
    TILERIG_TRY(Card card, readCard(path));
    if (!all) {
      all = std::move(card);
      continue;
    }
    if (card.split.asJson() != all->split.asJson())
      return invalidInput(
          path, "this model was trained with another --held-out than the other models of the folder",
          "train all models of the folder with the same --held-out");
    if (card.command != all->command)
      all->command += "\n" + card.command;
    all->parameters += card.parameters;
    all->minutes += card.minutes;
  }
  all->kind += ", one model for each class";
  return *all;
}

} // namespace tilerig::classifier
