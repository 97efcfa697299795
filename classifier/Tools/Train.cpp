// `tilerig train`: a classifier from a dataset.
#include "classifier/Judging/Card.h"
#include "classifier/Judging/Plots.h"
#include "classifier/Training/Export.h"
#include "isa/Support/File.h"
#include "isa/Support/Writable.h"
#include "isa/Tools/CommandLine.h"
#include "isa/Tools/IdleOptions.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/core.h>
#include <iostream>
#include <thread>

namespace tilerig::classifier {
namespace {

struct Options {
  std::string dataset, output, kind = "resnet", command;
  std::vector<std::string> heldOut = usualSplit();
  LearnOptions learn;
  bool json = false;
};

std::vector<std::string> kindNames() {
  std::vector<std::string> names;
  for (const ModelKind &kind : modelKinds())
    names.emplace_back(kind.name);
  return names;
}

std::string joined(const std::vector<std::string> &texts) {
  std::string all;
  for (const std::string &text : texts)
    all += (all.empty() ? "" : ",") + text;
  return all;
}

void addOptions(CLI::App &app, Options &options) {
  app.add_option("DATASET", options.dataset, "folder that tilerig dataset made")->required();
  app.add_option("-o,--output", options.output,
                 "the classifier (.onnx); its card and plots are written beside it")
      ->required();
  app.add_option("--kind", options.kind, "of model")
      ->check(CLI::IsMember(kindNames()))
      ->capture_default_str();
  app.add_option("--epochs", options.learn.epochs, "times that each row is seen")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--batch", options.learn.batch, "rows to a step")
      ->check(CLI::Range(2, 4096))
      ->capture_default_str();
  app.add_option("--rate", options.learn.rate, "of learning, at its highest")
      ->check(CLI::Range(1e-6, 1.0))
      ->capture_default_str();
  app.add_option("--seed", options.learn.seed, "of all that is drawn")->capture_default_str();
  options.learn.threads = 0;
  app.add_option("--threads", options.learn.threads, "threads; another number may give other last bits")
      ->check(CLI::Range(1, 1024));
  app.add_flag("--resume", options.learn.resume,
               "go on from the checkpoint of training that was interrupted");
  app.add_option(
         "--held-out", options.heldOut,
         "what is not trained on: families, or FIELD=VALUE with family, calibration, precision, machine, "
         "tiles, site, unknown_tuning or unknown (the last two are bugs)")
      ->delimiter(',')
      ->default_str(joined(usualSplit()));
}

using RowsByPart = std::array<Indices, numParts>;

RowsByPart partition(const Split &split, const Rows &rows) {
  RowsByPart parts;
  for (size_t row = 0; row < rows.size(); ++row)
    parts[static_cast<size_t>(split.partOf(rows.origin(row)))].push_back(row);
  return parts;
}

Result<Calibration> calibrateOn(const Rows &rows, const RowsByPart &parts, const ModelKind &kind,
                                const TensorMap &parameters, unsigned threads) {
  // As many as tell how the features lie.
  constexpr size_t enough = 8000;
  Indices training = parts[static_cast<size_t>(Part::training)];
  const size_t step = (training.size() + enough - 1) / enough;
  Indices some;
  for (size_t i = 0; i < training.size(); i += step)
    some.push_back(training[i]);
  const Indices &calibration = parts[static_cast<size_t>(Part::calibration)];
  TRY(const Answers trained, answer(kind, parameters, rows, some, threads));
  TRY(const Answers held, answer(kind, parameters, rows, calibration, threads));
  return calibrate(rows, {trained, some}, {held, calibration});
}

uint64_t countNumbers(const TensorMap &parameters) {
  uint64_t count = 0;
  for (const auto &[name, tensor] : parameters)
    count += tensor.elementCount();
  return count;
}

Status writePlots(const std::string &output, const std::vector<EpochFigures> &epochs) {
  std::vector<double> training, checking;
  for (const EpochFigures &figures : epochs) {
    training.push_back(figures.trainingLoss);
    checking.push_back(figures.checkingLoss);
  }
  return writePicture(std::filesystem::path(output).replace_extension(".loss.png").string(),
                      drawLosses(training, checking));
}

void report(const Card &card, const Options &options) {
  if (options.json)
    std::cout << asJson(card).dump(2) << "\n";
  else
    std::cout << fmt::format("{}: {} numbers learnt of {} rows in {:.1f} minutes\n", options.output,
                             card.parameters, card.rows.at("training"), card.minutes);
}

// Of a kind that is solved in closed form nothing is learnt step by step.
Status refuseIdleSteps(const Options &options, const CLI::App &line) {
  for (const char *option : {"--epochs", "--batch", "--rate", "--resume"})
    CHECK_OK(refuseIdle(
        line, {{option, findKind(options.kind)->closedForm,
                "is about training in steps, and the kind '" + options.kind + "' is solved in closed form",
                "leave it out"}}));
  return success();
}

Result<ExitCode> train(Options options) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  TRY(const Split split, Split::of(options.heldOut));
  const ModelKind &kind = *findKind(options.kind);
  // Nobody should lose an hour of training to a folder that is not there.
  CHECK_OK(checkWritable(options.output));
  TRY(const verify::DatasetManifest manifest, verify::readManifest(options.dataset));
  TRY(const Rows rows, Rows::read(options.dataset));
  if (options.heldOut != usualSplit()) // what is usual may not all be in a dataset of few families
    CHECK_OK(split.checkNames(rows));
  const RowsByPart parts = partition(split, rows);
  CHECK_OK(checkCalibrates(rows, parts[static_cast<size_t>(Part::calibration)]));
  if (options.learn.threads == 0)
    options.learn.threads = std::thread::hardware_concurrency();
  options.learn.checkpoint =
      std::filesystem::path(options.output).replace_extension(".checkpoint.npz").string();
  TRY(const Learned learned,
      learn(kind, rows, parts[static_cast<size_t>(Part::training)],
            parts[static_cast<size_t>(Part::calibration)], options.learn,
            [&](size_t epoch, const EpochFigures &figures) {
              if (!options.json)
                std::cout << fmt::format("epoch {}: loss {:.4f}; of what calibrates {:.4f}, {:.1f} % right\n",
                                         epoch, figures.trainingLoss, figures.checkingLoss,
                                         100 * figures.checkingAccuracy)
                          << std::flush;
            }));
  TRY(const Calibration calibration,
      calibrateOn(rows, parts, kind, learned.parameters, options.learn.threads));
  TRY(const onnx::ModelProto model, exportModel(kind, learned.parameters, calibration));
  CHECK_OK(writeText(options.output, model.SerializeAsString()));
  CHECK_OK(writePlots(options.output, learned.epochs));

  Card card{options.kind,
            options.command,
            manifest.command,
            manifest.seed,
            options.learn.seed,
            manifest.evidenceVersion,
            options.learn.epochs,
            options.learn.threads,
            split,
            {},
            {},
            0,
            0,
            0};
  for (size_t row = 0; row < rows.size(); ++row)
    ++card.bugs[rows.origin(row).bug];
  for (size_t i = 0; i < numParts; ++i)
    card.rows[std::string(nameOf(static_cast<Part>(i)))] = parts[i].size();
  card.parameters = countNumbers(learned.parameters);
  card.temperature = calibration.temperature;
  card.minutes = std::chrono::duration<double, std::ratio<60>>(Clock::now() - start).count();
  CHECK_OK(writeCard(cardPathOf(options.output), card));
  report(card, options);
  return ExitCode::done;
}

// Beside the model, under its name, the card, the picture of losses and the checkpoint are written.
Status checkOutput(const std::string &path) {
  return cardPathOf(path) == path
             ? Status(usageError("--output", fmt::format("'{}' is where the model's description goes", path),
                                 "name the model otherwise, for instance classifier.onnx"))
             : success();
}

// Without what leaves no trace in the result.
std::string commandOf(int argc, char **argv) {
  std::string text = "tilerig train";
  for (int i = 1; i < argc; ++i)
    if (argv[i] != std::string_view("--resume"))
      text += std::string(" ") + argv[i];
  return text;
}

} // namespace
} // namespace tilerig::classifier

int main(int argc, char **argv) {
  using namespace tilerig;
  CommandLine line(command("train"), "tilerig train dataset -o classifier.onnx\n"
                                     "tilerig train dataset -o picture.onnx --kind picture --epochs 20\n"
                                     "tilerig train dataset -o other.onnx --held-out resnet,calibration=vgg");
  classifier::Options options;
  classifier::addOptions(line.options(), options);
  options.command = classifier::commandOf(argc, argv);
  return line.run(argc, argv, [&]() -> Result<ExitCode> {
    options.json = line.json();
    CHECK_OK(classifier::refuseIdleSteps(options, line.options()));
    CHECK_OK(classifier::checkOutput(options.output));
    return classifier::train(options);
  });
}
