// Tests that the exported ONNX file gives the scores of the trained network: the reference interpreter, which
// does not use torch, reproduces torch's numbers.
#include "classifier/Training/Export.h"

#include "models/Builder/GraphBuilder.h"
#include "tests/unit/Classifier/ToyRows.h"
#include "verify/Verdict/Classifier.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tilerig::test {
namespace {

using namespace classifier;

verify::Probabilities softmax(std::span<const float> logits, double temperature) {
  verify::Probabilities probabilities{};
  double sum = 0;
  for (float logit : logits)
    sum += std::exp(logit / temperature);
  for (size_t i = 0; i < numBugClasses; ++i)
    probabilities[i] = static_cast<float>(std::exp(logits[i] / temperature) / sum);
  return probabilities;
}

class Export : public testing::TestWithParam<std::string> {};

TEST_P(Export, GivesTheScoresOfTheTrainedNetwork) {
  const ModelKind &kind = *findKind(GetParam());
  const Rows rows = toyRows(60, 5), others = toyRows(60, 6);
  const Indices all = allOf(rows), some = allOf(others);
  const auto learned = learn(kind, rows, all, {}, {.epochs = 1, .batch = 20});
  ASSERT_TRUE(learned) << learned.error().message();
  const auto answers = answer(kind, learned->parameters, rows, all, 1);
  ASSERT_TRUE(answers) << answers.error().message();
  const auto otherAnswers = answer(kind, learned->parameters, others, some, 1);
  ASSERT_TRUE(otherAnswers) << otherAnswers.error().message();
  const auto calibration = calibrate(rows, {*answers, all}, {*answers, all});
  ASSERT_TRUE(calibration);
  const auto model = exportModel(kind, learned->parameters, *calibration);
  ASSERT_TRUE(model) << model.error().message();
  const std::string bytes = model->SerializeAsString();
  reference::Threads threads(1);
  const auto classifier = verify::Classifier::parse(std::as_bytes(std::span(bytes)), "model", threads);
  ASSERT_TRUE(classifier) << classifier.error().message();

  const std::vector<verify::Sample> samples = toySamples(60, 6);
  for (size_t i = 0; i < 12; ++i) {
    const auto scores = classifier->score(samples[i].evidence);
    ASSERT_TRUE(scores) << scores.error().message();
    const verify::Probabilities due = softmax(otherAnswers->logitsOf(i), calibration->temperature);
    for (size_t c = 0; c < numBugClasses; ++c)
      EXPECT_NEAR(scores->probabilities[c], due[c], 2e-5) << i << " " << c;
    const double unknown = calibration->unknown(*otherAnswers, i);
    // The tolerance allows for rounding in fp32 sums over two thousand numbers.
    EXPECT_NEAR(scores->unknown, 1 / (1 + std::exp(-unknown)), 2e-3) << i;
  }
}

std::vector<std::string> allKinds() {
  std::vector<std::string> names;
  for (const ModelKind &kind : modelKinds())
    names.emplace_back(kind.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Kinds, Export, testing::ValuesIn(allKinds()), [](const auto &info) {
  std::string name = info.param;
  std::erase(name, '-');
  return name;
});

TEST(Export, RefusesOtherFiles) {
  reference::Threads threads(1);
  const std::string nothing;
  EXPECT_FALSE(verify::Classifier::parse(std::as_bytes(std::span(nothing)), "nothing", threads));
  models::GraphBuilder graph("resnet18", 17);
  graph.output(graph.node("Relu", "y", {graph.input("x", DType::f32, {1, 4})}, {1, 4}));
  const std::string other = std::move(graph).finish().model.SerializeAsString();
  const auto refused = verify::Classifier::parse(std::as_bytes(std::span(other)), "other.onnx", threads);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::invalidInput);
}

} // namespace
} // namespace tilerig::test
