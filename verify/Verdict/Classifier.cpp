#include "verify/Verdict/Classifier.h"

#include "reference/Model/Load.h"
#include "verify/Evidence/Channels.h"
#include "verify/Evidence/Densities.h"

#include <filesystem>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <numeric>

namespace tilerig::verify {

namespace {

Tensor densitiesOf(const Tensor &bytes) {
  Shape shape = bytes.shape();
  shape.insert(shape.begin(), 1);
  Tensor densities(DType::f32, std::move(shape));
  std::ranges::transform(bytes.as<uint8_t>(), densities.mutableAs<float>().begin(),
                         [](uint8_t byte) { return static_cast<float>(byte) / 255; });
  return densities;
}

Tensor rowOf(const Features &features) {
  Tensor row(DType::f32, {1, static_cast<int64_t>(numFeatures)});
  std::ranges::copy(features, row.mutableAs<float>().begin());
  return row;
}

Error notAClassifier(const std::string &place, const std::string &problem) {
  return invalidInput(place, problem, "use a classifier that this version of tilerig train wrote");
}

// Reads an output of a classifier by name. The output must have one of the given numbers of elements.
Result<Tensor> takeFloats(const reference::NamedTensors &outputs, const std::string &name,
                          std::initializer_list<size_t> counts, const std::string &place) {
  const auto output = outputs.find(name);
  if (output == outputs.end() || output->second.dtype() != DType::f32 ||
      std::ranges::find(counts, output->second.elementCount()) == counts.end())
    return notAClassifier(place, fmt::format("the model has no float output '{}' with {} elements", name,
                                             fmt::join(counts, " or ")));
  for (float number : output->second.as<float>())
    if (!(number >= 0 && number <= 1))
      return notAClassifier(place, fmt::format("output '{}' has a value outside 0 to 1", name));
  return output->second;
}

bool readsInput(const reference::Interpreter &interpreter, std::string_view input) {
  const reference::Graph &graph = interpreter.model().graph;
  return std::ranges::any_of(graph.inputs, [&](reference::ValueId id) {
    return graph.values[static_cast<size_t>(id)].name == input;
  });
}

struct Said {
  std::vector<float> probabilities;
  float unknown = 0;
};

Result<Said> ask(const reference::Interpreter &interpreter, const reference::NamedTensors &evidence,
                 std::initializer_list<size_t> labels) {
  reference::NamedTensors inputs;
  for (const auto &[name, tensor] : evidence)
    if (readsInput(interpreter, name))
      inputs.emplace(name, tensor);
  TILERIG_TRY(const reference::NamedTensors outputs, interpreter.run(inputs));
  const std::string &place = interpreter.model().path;
  TILERIG_TRY(const Tensor probabilities, takeFloats(outputs, "probabilities", labels, place));
  TILERIG_TRY(const Tensor unknown, takeFloats(outputs, "unknown", {1}, place));
  const auto numbers = probabilities.as<float>();
  return Said{{numbers.begin(), numbers.end()}, unknown.as<float>()[0]};
}

// Combines classifiers each of which was trained for a single class. `sure` holds the probability that each
// classifier gives to its class.
Scores together(Probabilities sure) {
  const float most = *std::ranges::max_element(sure);
  const float sum = std::accumulate(sure.begin(), sure.end(), 0.0f);
  for (float &share : sure)
    share = sum > 0 ? share / sum : 1.0f / numBugClasses;
  return {sure, 1 - most};
}

} // namespace

std::string classifierGraphName(std::optional<BugClass> alone) {
  return alone ? fmt::format("classifier of {} alone, evidence {}", nameOf(*alone), evidenceVersion)
               : fmt::format("bug classifier, evidence {}", evidenceVersion);
}

std::string classifierFileOf(const std::string &folder, BugClass alone) {
  return (std::filesystem::path(folder) / fmt::format("{}.onnx", nameOf(alone))).string();
}

Result<Classifier::Part> Classifier::partOf(reference::Model model, std::optional<BugClass> alone,
                                            reference::Threads &threads) {
  if (model.graph.name != classifierGraphName(alone))
    return notAClassifier(model.path, fmt::format("the graph is named '{}', expected '{}'", model.graph.name,
                                                  classifierGraphName(alone)));
  TILERIG_TRY(reference::Interpreter interpreter,
              reference::Interpreter::create(std::move(model), {}, threads));
  return Part{std::move(interpreter), alone};
}

Result<Classifier> Classifier::create(std::vector<Part> parts) {
  Classifier classifier(std::move(parts));
  // Runs the classifier once on an empty input, so that a file with wrong inputs or outputs is refused at
  // once.
  constexpr auto side = static_cast<int64_t>(evidenceSide);
  const Evidence nothing{Tensor(DType::u8, {static_cast<int64_t>(numChannels), side, side}),
                         Tensor(DType::u8, {static_cast<int64_t>(picturePlanes), side, side}),
                         {}};
  TILERIG_CHECK_OK(classifier.score(nothing));
  return classifier;
}

Result<Classifier> Classifier::loadFolder(const std::string &folder, reference::Threads &threads) {
  std::vector<Part> parts;
  for (size_t i = 0; i < numBugClasses; ++i) {
    const auto alone = static_cast<BugClass>(i);
    const std::string path = classifierFileOf(folder, alone);
    if (!std::filesystem::exists(path))
      return invalidInput(
          folder, fmt::format("the file '{}' is missing", std::filesystem::path(path).filename().string()),
          fmt::format("train it: tilerig train DATASET -o {} --class {}", folder, nameOf(alone)));
    TILERIG_TRY(reference::Model model, reference::loadModel(path));
    TILERIG_TRY(Part part, partOf(std::move(model), alone, threads));
    parts.push_back(std::move(part));
  }
  return create(std::move(parts));
}

Result<Classifier> Classifier::load(const std::string &path, reference::Threads &threads) {
  if (std::filesystem::is_directory(path))
    return loadFolder(path, threads);
  TILERIG_TRY(reference::Model model, reference::loadModel(path));
  TILERIG_TRY(Part part, partOf(std::move(model), {}, threads));
  std::vector<Part> parts;
  parts.push_back(std::move(part));
  return create(std::move(parts));
}

Result<Classifier> Classifier::parse(std::span<const std::byte> bytes, const std::string &place,
                                     reference::Threads &threads) {
  TILERIG_TRY(reference::Model model, reference::parseModel(bytes, place, ""));
  TILERIG_TRY(Part part, partOf(std::move(model), {}, threads));
  std::vector<Part> parts;
  parts.push_back(std::move(part));
  return create(std::move(parts));
}

bool Classifier::reads(std::string_view input) const {
  return std::ranges::any_of(parts, [&](const Part &part) { return readsInput(part.interpreter, input); });
}

Result<Scores> Classifier::score(const Evidence &evidence) const {
  reference::NamedTensors inputs;
  if (reads("channels"))
    inputs.emplace("channels", densitiesOf(evidence.channels));
  if (reads("picture"))
    inputs.emplace("picture", densitiesOf(evidence.picture));
  if (reads("features"))
    inputs.emplace("features", rowOf(evidence.features));
  Probabilities probabilities{};
  for (const Part &part : parts) {
    TILERIG_TRY(const Said said, part.alone
                                     ? ask(part.interpreter, inputs, {2})
                                     : ask(part.interpreter, inputs, {numBugClasses, numProgramBugClasses}));
    if (!part.alone) {
      std::ranges::copy(said.probabilities, probabilities.begin());
      return Scores{probabilities, said.unknown};
    }
    probabilities[static_cast<size_t>(*part.alone)] = said.probabilities[1];
  }
  return together(probabilities);
}

} // namespace tilerig::verify
