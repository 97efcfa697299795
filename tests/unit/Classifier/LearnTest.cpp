// Tests of training: the loss falls, the same seed gives the same bits, and so does a resumed training.
#include "classifier/Training/Learn.h"

#include "tests/support/TemporaryFolder.h"
#include "tests/unit/Classifier/ToyRows.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <utility>

namespace tilerig::test {
namespace {

using namespace classifier;

bool identicalMaps(const TensorMap &left, const TensorMap &right) {
  if (left.size() != right.size())
    return false;
  for (const auto &[name, tensor] : left)
    if (const Tensor *other = right.find(name); !other || !identical(tensor, *other))
      return false;
  return true;
}

TEST(Learn, DistinguishesSquares) {
  const Rows rows = toyRows(120, 1), others = toyRows(60, 2);
  const Indices all = allOf(rows), allOthers = allOf(others);
  for (const char *name : {"mlp", "statistics"}) {
    const ModelKind &kind = *findKind(name);
    const auto learned = learn(kind, rows, all, {}, {.epochs = 15, .batch = 20});
    ASSERT_TRUE(learned) << learned.error().message();
    const auto answers = answer(kind, learned->parameters, others, allOthers, 1);
    ASSERT_TRUE(answers);
    size_t right = 0;
    for (size_t i = 0; i < others.size(); ++i) {
      const auto logits = answers->logitsOf(i);
      right += static_cast<size_t>(std::ranges::max_element(logits) - logits.begin()) ==
               static_cast<size_t>(others.bugClass(i));
    }
    EXPECT_EQ(right, others.size()) << name;
  }
}

TEST(Learn, SameSeedSameBits) {
  const Rows rows = toyRows(40, 1);
  const ModelKind &kind = *findKind("resnet");
  const LearnOptions options = {.epochs = 1, .seed = 3, .batch = 20};
  const auto one = learn(kind, rows, allOf(rows), {}, options),
             two = learn(kind, rows, allOf(rows), {}, options);
  ASSERT_TRUE(one && two);
  EXPECT_TRUE(identicalMaps(one->parameters, two->parameters));
  LearnOptions other = options;
  other.seed = 4;
  const auto three = learn(kind, rows, allOf(rows), {}, other);
  ASSERT_TRUE(three);
  EXPECT_FALSE(identicalMaps(one->parameters, three->parameters));
}

class Interrupted : public testing::Test {
protected:
  TemporaryFolder folder;
  const Rows rows = toyRows(40, 1);
  const Indices all = allOf(rows);
  const ModelKind &kind = *findKind("mlp");
  LearnOptions options = {.epochs = 4, .seed = 3, .batch = 20, .checkpoint = folder.path("checkpoint.npz")};
};

TEST_F(Interrupted, ResumedTrainingGivesTheSameBits) {
  const std::string kept = folder.path("kept.npz");
  const auto whole = learn(kind, rows, all, all, options, [&](size_t epoch, const EpochFigures &) {
    if (epoch == 2)
      std::filesystem::copy_file(options.checkpoint, kept);
  });
  ASSERT_TRUE(whole);
  std::filesystem::copy_file(kept, options.checkpoint, std::filesystem::copy_options::overwrite_existing);
  options.resume = true;
  size_t epochs = 0;
  const auto resumed = learn(kind, rows, all, all, options, [&](size_t, const EpochFigures &) { ++epochs; });
  ASSERT_TRUE(resumed) << resumed.error().message();
  EXPECT_EQ(epochs, 2u);
  EXPECT_EQ(resumed->epochs.size(), 4u);
  EXPECT_TRUE(identicalMaps(whole->parameters, resumed->parameters));
}

TEST_F(Interrupted, RefusesToResumeAnotherTraining) {
  ASSERT_TRUE(learn(kind, rows, all, {}, options));
  options.resume = true;
  options.seed = 4;
  const auto refused = learn(kind, rows, all, {}, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::invalidInput);
  options.seed = 3;
  const double rate = std::exchange(options.rate, 2 * options.rate);
  EXPECT_FALSE(learn(kind, rows, all, {}, options));
  options.rate = rate;
  EXPECT_TRUE(learn(kind, rows, all, {}, options));
  EXPECT_FALSE(learn(*findKind("lstm"), rows, all, {}, options));
  options.checkpoint = folder.path("none.npz");
  EXPECT_FALSE(learn(kind, rows, all, {}, options));
}

TEST(Learn, RefusesWithoutRows) {
  const Rows rows = toyRows(10, 1);
  EXPECT_FALSE(learn(*findKind("mlp"), rows, {}, {}, {}));
}

} // namespace
} // namespace tilerig::test
