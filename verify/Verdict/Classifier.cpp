#include "verify/Verdict/Classifier.h"

#include "reference/Model/Load.h"
#include "verify/Evidence/Channels.h"
#include "verify/Evidence/Densities.h"

#include <cmath>
#include <fmt/core.h>

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

Tensor rowOf(const Facts &facts) {
  Tensor row(DType::f32, {1, static_cast<int64_t>(numFacts)});
  std::ranges::copy(facts, row.mutableAs<float>().begin());
  return row;
}

Error notAClassifier(const std::string &place, const std::string &what) {
  return invalidInput(place, what, "take a file that this version's tilerig train wrote");
}

Result<Tensor> takeFloats(const reference::NamedTensors &outputs, const std::string &name, size_t count,
                          const std::string &place) {
  const auto found = outputs.find(name);
  if (found == outputs.end() || found->second.dtype() != DType::f32 || found->second.elementCount() != count)
    return notAClassifier(place, fmt::format("gives no '{}' of {} numbers", name, count));
  for (float number : found->second.as<float>())
    if (!(number >= 0 && number <= 1))
      return notAClassifier(place, fmt::format("gives a '{}' that is no share", name));
  return found->second;
}

} // namespace

std::string classifierGraphName() { return fmt::format("bug classifier, evidence {}", evidenceVersion); }

Result<Classifier> Classifier::create(reference::Model model, reference::Threads &threads) {
  const std::string place = model.path;
  if (model.graph.name != classifierGraphName())
    return notAClassifier(place,
                          fmt::format("is '{}', and not a '{}'", model.graph.name, classifierGraphName()));
  TRY(reference::Interpreter interpreter, reference::Interpreter::create(std::move(model), {}, threads));
  Classifier classifier(std::move(interpreter));
  // What does not fit together shows at once, and not at the first failing layer.
  constexpr auto side = static_cast<int64_t>(evidenceSide);
  const Evidence nothing{Tensor(DType::u8, {static_cast<int64_t>(numChannels), side, side}),
                         Tensor(DType::u8, {static_cast<int64_t>(picturePlanes), side, side}),
                         {}};
  CHECK_OK(classifier.score(nothing));
  return classifier;
}

Result<Classifier> Classifier::load(const std::string &path, reference::Threads &threads) {
  TRY(reference::Model model, reference::loadModel(path));
  return create(std::move(model), threads);
}

Result<Classifier> Classifier::parse(std::span<const std::byte> bytes, const std::string &place,
                                     reference::Threads &threads) {
  TRY(reference::Model model, reference::parseModel(bytes, place, ""));
  return create(std::move(model), threads);
}

bool Classifier::reads(std::string_view input) const {
  const reference::Graph &graph = interpreter.model().graph;
  return std::ranges::any_of(graph.inputs, [&](reference::ValueId id) {
    return graph.values[static_cast<size_t>(id)].name == input;
  });
}

Result<Scores> Classifier::score(const Evidence &evidence) const {
  reference::NamedTensors inputs;
  if (reads("channels"))
    inputs.emplace("channels", densitiesOf(evidence.channels));
  if (reads("picture"))
    inputs.emplace("picture", densitiesOf(evidence.picture));
  if (reads("facts"))
    inputs.emplace("facts", rowOf(evidence.facts));
  TRY(const reference::NamedTensors outputs, interpreter.run(inputs));
  const std::string &place = interpreter.model().path;
  TRY(const Tensor probabilities, takeFloats(outputs, "probabilities", numBugClasses, place));
  TRY(const Tensor unknown, takeFloats(outputs, "unknown", 1, place));
  Scores scores;
  std::ranges::copy(probabilities.as<float>(), scores.probabilities.begin());
  scores.unknown = unknown.as<float>()[0];
  return scores;
}

} // namespace tilerig::verify
