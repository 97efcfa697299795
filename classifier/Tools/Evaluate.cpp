// `tilerig evaluate`: evaluates classifiers on rows that they were not trained on.
#include "classifier/Judging/Plots.h"
#include "classifier/Judging/Report.h"
#include "isa/Base/CommandLine/CommandLine.h"
#include "isa/Base/Support/File.h"

#include <ctime>
#include <filesystem>
#include <fmt/chrono.h>
#include <iostream>
#include <thread>

namespace tilerig::classifier {
namespace {

struct Options {
  std::vector<std::string> files; // paths of the models, followed by that of the dataset
  std::string report, command, date;
  unsigned threads = 0;
};

void addOptions(CommandOptions &line, Options &options) {
  line.addOption(
          "MODEL... DATASET", options.files,
          "classifiers that tilerig train wrote (.onnx with its card beside it, or a folder with one per "
          "class), then a dataset folder")
      .required();
  line.addOption("--report", options.report,
                 "write evaluation.json, evaluation.md and confusion.png into "
                 "this folder");
  line.addOption("--threads", options.threads, "number of host threads; results do not depend on it")
      .range(1, 1024);
}

Result<std::vector<Card>> readCards(const std::vector<std::string> &models) {
  std::vector<Card> cards;
  for (const std::string &model : models) {
    TILERIG_TRY(Card card, readCardOf(model));
    cards.push_back(std::move(card));
  }
  return cards;
}

Status writeReport(const Options &options, const std::vector<Evaluation> &evaluations, const Json &json) {
  const std::string &folder = options.report;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    return invalidInput(folder, "the folder cannot be created: " + failed.message());
  TILERIG_CHECK_OK(writeText(folder + "/evaluation.json", json.dump(1) + "\n"));
  TILERIG_CHECK_OK(
      writeText(folder + "/evaluation.md", asMarkdown(evaluations, options.command, options.date)));
  return writePicture(folder + "/confusion.png",
                      drawConfusion(evaluations.front().parts.front().figures.confusion));
}

Result<ExitCode> evaluateAll(Options options, bool json) {
  const std::string dataset = options.files.back();
  options.files.pop_back();
  if (options.files.empty())
    return usageError("MODEL... DATASET", "only one path is given",
                      "give at least one classifier and a dataset");
  if (options.threads == 0)
    options.threads = std::thread::hardware_concurrency();
  TILERIG_TRY(const std::vector<Card> cards, readCards(options.files));
  TILERIG_TRY(const Rows rows, Rows::read(dataset, [&](const verify::Origin &origin) {
                return std::ranges::any_of(cards, [&](const Card &card) { return isJudged(card, origin); });
              }));
  std::vector<Evaluation> evaluations;
  for (size_t i = 0; i < cards.size(); ++i) {
    TILERIG_TRY(Evaluation evaluation, evaluate(options.files[i], cards[i], rows, options.threads));
    evaluations.push_back(std::move(evaluation));
  }
  Json document = Json::array();
  for (const Evaluation &evaluation : evaluations)
    document.push_back(asJson(evaluation));
  if (!options.report.empty())
    TILERIG_CHECK_OK(writeReport(options, evaluations, document));
  std::cout << (json ? document.dump(2) + "\n" : asMarkdown(evaluations, options.command, options.date));
  return ExitCode::done;
}

std::string commandOf(int argc, char **argv) {
  std::string text = "tilerig evaluate";
  for (int i = 1; i < argc; ++i)
    text += std::string(" ") + argv[i];
  return text;
}

} // namespace
} // namespace tilerig::classifier

int main(int argc, char **argv) {
  using namespace tilerig;
  CommandLine line(command("evaluate"),
                   "tilerig evaluate classifier.onnx dataset\n"
                   "tilerig evaluate classifier.onnx picture.onnx mlp.onnx dataset --report out");
  classifier::Options options;
  classifier::addOptions(line.options(), options);
  options.command = classifier::commandOf(argc, argv);
  options.date = fmt::format("{:%F}", fmt::localtime(std::time(nullptr)));
  return line.run(argc, argv, [&] { return classifier::evaluateAll(options, line.json()); });
}
