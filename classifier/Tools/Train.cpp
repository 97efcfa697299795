// `tilerig train`: trains a classifier on a dataset.
#include "classifier/Judging/Card.h"
#include "classifier/Judging/Plots.h"
#include "classifier/Training/Export.h"
#include "isa/Base/CommandLine/CommandLine.h"
#include "isa/Base/CommandLine/IdleOptions.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Writable.h"
#include "verify/Verdict/Classifier.h"

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
  std::vector<std::string> heldOut = usualSplit(), classes;
  LearnOptions learn;
  bool json = false;
};

std::vector<std::string> kindNames() {
  std::vector<std::string> names;
  for (const ModelKind &kind : modelKinds())
    names.emplace_back(kind.name);
  return names;
}

constexpr const char *eachClass = "each";

std::vector<std::string> classNames() {
  std::vector<std::string> names = {eachClass};
  for (size_t i = 0; i < numBugClasses; ++i)
    names.emplace_back(nameOf(static_cast<BugClass>(i)));
  return names;
}

std::string joined(const std::vector<std::string> &texts) {
  std::string all;
  for (const std::string &text : texts)
    all += (all.empty() ? "" : ",") + text;
  return all;
}

void addOptions(CommandOptions &line, Options &options) {
  line.addOption("DATASET", options.dataset, "dataset folder, made by tilerig dataset").required();
  line.addOption("-o,--output", options.output,
                 "classifier to write (.onnx), with its card and plots beside it; with --class, a folder")
      .required();
  line.addOption(
          "--class", options.classes,
          "classes of bugs: train one model for each, which tells this class from all others, and write it "
          "as CLASS.onnx into the folder of -o, which tilerig check --classifier can read; 'each' means all "
          "classes")
      .delimiter(',')
      .oneOf(classNames());
  line.addOption("--kind", options.kind, "kind of model").oneOf(kindNames()).showDefault();
  line.addOption("--epochs", options.learn.epochs, "number of passes over the training set")
      .range(1, 10000)
      .showDefault();
  line.addOption("--batch", options.learn.batch, "rows per optimisation step").range(2, 4096).showDefault();
  line.addOption("--rate", options.learn.rate, "peak learning rate").range(1e-6, 1.0).showDefault();
  line.addOption("--seed", options.learn.seed, "seed of all random choices").showDefault();
  options.learn.threads = 0;
  line.addOption("--threads", options.learn.threads,
                 "number of host threads; the last bits of the weights "
                 "may depend on it")
      .range(1, 1024);
  line.addFlag("--resume", options.learn.resume, "resume interrupted training from its checkpoint");
  line.addOption(
          "--held-out", options.heldOut,
          "rows to hold out of training: network families, or FIELD=VALUE with the field family, "
          "calibration, precision, machine, tiles, site, unknown_tuning or unknown (the last two name bugs)")
      .delimiter(',')
      .showDefault(joined(usualSplit()));
}

using RowsByPart = std::array<Indices, numParts>;

RowsByPart partition(const Split &split, const Rows &rows) {
  RowsByPart parts;
  for (size_t row = 0; row < rows.size(); ++row)
    parts[static_cast<size_t>(split.partOf(rows.origin(row)))].push_back(row);
  return parts;
}

Result<Calibration> calibrateOn(const Rows &rows, const RowsByPart &parts, const ModelKind &kind,
                                const TensorMap &parameters, const LearnOptions &options) {
  // Number of training rows to which the embedding space (Training/EmbeddingSpace.h) is fitted; more rows are
  // not needed.
  constexpr size_t enough = 8000;
  Indices training = parts[static_cast<size_t>(Part::training)];
  const size_t step = (training.size() + enough - 1) / enough;
  Indices some;
  for (size_t i = 0; i < training.size(); i += step)
    some.push_back(training[i]);
  const Indices &calibration = parts[static_cast<size_t>(Part::calibration)];
  TILERIG_TRY(const Answers trained, answer(kind, parameters, rows, some, options.threads, options.labels));
  TILERIG_TRY(const Answers held,
              answer(kind, parameters, rows, calibration, options.threads, options.labels));
  return calibrate(rows, {trained, some}, {held, calibration}, options.labels);
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

void report(const std::vector<std::string> &models, const std::vector<Card> &cards, const Options &options) {
  if (options.json) {
    Json all = Json::array();
    for (const Card &card : cards)
      all.push_back(asJson(card));
    std::cout << (options.classes.empty() ? all.front() : all).dump(2) << "\n";
    return;
  }
  for (size_t i = 0; i < cards.size(); ++i)
    std::cout << fmt::format("{}: {} parameters trained on {} rows in {:.1f} minutes\n", models[i],
                             cards[i].parameters, cards[i].rows.at("training"), cards[i].minutes);
}

// Refuses options of gradient training (epochs, batch, rate, resume) for a kind of model that is solved in
// closed form.
Status refuseIdleSteps(const Options &options, const CommandOptions &line) {
  for (const char *option : {"--epochs", "--batch", "--rate", "--resume"})
    TILERIG_CHECK_OK(refuseIdle(line, {{option, findKind(options.kind)->closedForm,
                                        "this option controls gradient training, but the kind '" +
                                            options.kind + "' is solved in closed form",
                                        "leave this option out"}}));
  return success();
}

// One model to train: its output path, and its labels.
struct Goal {
  std::string output;
  Labels labels;
};

std::vector<Goal> goalsOf(const Options &options) {
  if (options.classes.empty())
    return {{options.output, {}}};
  const bool each = std::ranges::find(options.classes, eachClass) != options.classes.end();
  std::vector<Goal> goals;
  for (size_t i = 0; i < numBugClasses; ++i) {
    const auto alone = static_cast<BugClass>(i);
    if (each || std::ranges::find(options.classes, nameOf(alone)) != options.classes.end())
      goals.push_back({verify::classifierFileOf(options.output, alone), Labels(alone)});
  }
  return goals;
}

// Checks before training that the output can be written, since training takes hours. The model card, the plot
// of losses and the checkpoint are written beside the model, under its name.
Status checkOutput(const Options &options) {
  if (options.classes.empty()) {
    if (cardPathOf(options.output) == options.output)
      return usageError(
          "--output",
          fmt::format("'{}' is the name of the model's card, which is written, too", options.output),
          "choose another name for the model, for example classifier.onnx");
    return checkWritable(options.output);
  }
  std::error_code failed;
  std::filesystem::create_directories(options.output, failed);
  if (failed)
    return invalidInput(options.output, "the folder cannot be created: " + failed.message(),
                        "with --class, -o must be a folder");
  return checkWritable(goalsOf(options).front().output);
}

// Checks before training that there are rows of each class to be learned.
Status checkHasRows(const Rows &rows, const Indices &training, const std::vector<Goal> &goals) {
  for (const Goal &goal : goals)
    if (goal.labels.alone() && std::ranges::none_of(training, [&](size_t row) {
          return rows.bugClass(row) == *goal.labels.alone();
        }))
      return invalidInput(
          "the dataset", fmt::format("the training set has no row of class {}", nameOf(*goal.labels.alone())),
          "leave this class out of --class, or hold out fewer rows with --held-out");
  return success();
}

class Trainer {
public:
  Trainer(const Options &options, const verify::DatasetManifest &manifest, const Rows &rows, Split split)
      : options(options), manifest(manifest), rows(rows), split(std::move(split)),
        parts(partition(this->split, rows)), kind(*findKind(options.kind)) {}

  Status check(const std::vector<Goal> &goals) const {
    TILERIG_CHECK_OK(checkCalibrates(rows, part(Part::calibration)));
    return checkHasRows(rows, part(Part::training), goals);
  }

  Result<Card> train(const Goal &goal) const {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    LearnOptions learning = options.learn;
    learning.labels = goal.labels;
    learning.checkpoint = std::filesystem::path(goal.output).replace_extension(".checkpoint.npz").string();
    // If one model is trained for each class and training was interrupted, some models were not begun and
    // have no checkpoint. Training of these begins anew.
    if (goal.labels.alone() && !std::filesystem::exists(learning.checkpoint))
      learning.resume = false;
    TILERIG_TRY(const Learned learned,
                learn(kind, rows, part(Part::training), part(Part::calibration), learning,
                      [&](size_t epoch, const EpochFigures &figures) { say(epoch, figures); }));
    TILERIG_TRY(const Calibration calibration, calibrateOn(rows, parts, kind, learned.parameters, learning));
    TILERIG_TRY(const onnx::ModelProto model,
                exportModel(kind, learned.parameters, calibration, goal.labels));
    TILERIG_CHECK_OK(writeText(goal.output, model.SerializeAsString()));
    TILERIG_CHECK_OK(writePlots(goal.output, learned.epochs));
    Card card = cardOf(learned, calibration);
    card.minutes = std::chrono::duration<double, std::ratio<60>>(Clock::now() - start).count();
    TILERIG_CHECK_OK(writeCard(cardPathOf(goal.output), card));
    return card;
  }

private:
  const Indices &part(Part which) const { return parts[static_cast<size_t>(which)]; }

  void say(size_t epoch, const EpochFigures &figures) const {
    if (!options.json)
      std::cout
          << fmt::format(
                 "epoch {}: training loss {:.4f}, calibration loss {:.4f}, calibration accuracy {:.1f} %\n",
                 epoch, figures.trainingLoss, figures.checkingLoss, 100 * figures.checkingAccuracy)
          << std::flush;
  }

  Card cardOf(const Learned &learned, const Calibration &calibration) const {
    Card card;
    card.kind = options.kind;
    card.command = options.command;
    card.datasetCommand = manifest.command;
    card.datasetSeed = manifest.seed;
    card.seed = options.learn.seed;
    card.evidenceVersion = manifest.evidenceVersion;
    card.epochs = options.learn.epochs;
    card.threads = options.learn.threads;
    card.split = split;
    for (size_t row = 0; row < rows.size(); ++row)
      ++card.bugs[rows.origin(row).bug];
    for (size_t i = 0; i < numParts; ++i)
      card.rows[std::string(nameOf(static_cast<Part>(i)))] = parts[i].size();
    card.parameters = countNumbers(learned.parameters);
    card.temperature = calibration.temperature;
    return card;
  }

  const Options &options;
  const verify::DatasetManifest &manifest;
  const Rows &rows;
  const Split split;
  const RowsByPart parts;
  const ModelKind &kind;
};

Result<ExitCode> train(Options options) {
  TILERIG_TRY(const Split split, Split::of(options.heldOut));
  TILERIG_CHECK_OK(checkOutput(options));
  TILERIG_TRY(const verify::DatasetManifest manifest, verify::readManifest(options.dataset));
  TILERIG_TRY(const Rows rows, Rows::read(options.dataset));
  // The default of --held-out is not checked: a small dataset may lack some of the names in it.
  if (options.heldOut != usualSplit())
    TILERIG_CHECK_OK(split.checkNames(rows));
  if (options.learn.threads == 0)
    options.learn.threads = std::thread::hardware_concurrency();
  const Trainer trainer(options, manifest, rows, split);
  const std::vector<Goal> goals = goalsOf(options);
  TILERIG_CHECK_OK(trainer.check(goals));
  std::vector<std::string> models;
  std::vector<Card> cards;
  for (const Goal &goal : goals) {
    if (!options.json && goal.labels.alone())
      std::cout << nameOf(*goal.labels.alone()) << "\n";
    TILERIG_TRY(Card card, trainer.train(goal));
    models.push_back(goal.output);
    cards.push_back(std::move(card));
  }
  report(models, cards, options);
  return ExitCode::done;
}

// The command line, without those options that do not affect the trained model.
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
                                     "tilerig train dataset -o classes --class each --kind mlp\n"
                                     "tilerig train dataset -o other.onnx --held-out resnet,calibration=vgg");
  classifier::Options options;
  classifier::addOptions(line.options(), options);
  options.command = classifier::commandOf(argc, argv);
  return line.run(argc, argv, [&]() -> Result<ExitCode> {
    options.json = line.json();
    TILERIG_CHECK_OK(classifier::refuseIdleSteps(options, line.options()));
    return classifier::train(options);
  });
}
