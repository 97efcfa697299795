#include "classifier/Judging/Card.h"

#include "isa/Base/Support/File.h"
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

Result<Card> readCard(const std::string &path) {
  TILERIG_TRY(const std::string text, readText(path));
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const char *const remedy = "use the .json file that tilerig train wrote beside the model";
  if (!json.is_object() || json.value("file_type", Json()) != Json("Classifier") ||
      json.value("version", Json()) != Json(1))
    return invalidInput(path, "is not the description of a classifier", remedy);
  for (const char *name : {"kind", "command"})
    if (!json.contains(name) || !json[name].is_string())
      return invalidInput(path, "the string '" + std::string(name) + "' is missing", remedy);
  Card card;
  card.kind = json["kind"];
  card.command = json["command"];
  TILERIG_TRY(card.split, Split::fromJson(json.value("held_out", Json()), path));
  for (auto [name, number] : {std::pair{"seed", &card.seed}, std::pair{"parameters", &card.parameters}})
    if (json.contains(name) && json[name].is_number_unsigned())
      *number = json[name];
  if (const Json dataset = json.value("dataset", Json::object()); dataset.is_object())
    if (const Json command = dataset.value("command", Json()); command.is_string())
      card.datasetCommand = command;
  for (auto [name, counts] : {std::pair{"rows", &card.rows}, std::pair{"bugs", &card.bugs}})
    if (const Json entries = json.value(name, Json::object()); entries.is_object())
      for (const auto &[key, count] : entries.items())
        if (count.is_number_unsigned())
          (*counts)[key] = count;
  if (json.contains("minutes") && json["minutes"].is_number())
    card.minutes = json["minutes"];
  return card;
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
      return invalidInput(path, "this model holds out other rows than the other models of the folder",
                          "train all of them with the same --held-out");
    if (card.command != all->command)
      all->command += "\n" + card.command;
    all->parameters += card.parameters;
    all->minutes += card.minutes;
  }
  all->kind += ", one for each class";
  return *all;
}

} // namespace tilerig::classifier
