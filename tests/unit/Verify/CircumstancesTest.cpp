// Tests of the facts about a tensor that `tilerig check` gives the classifier besides the tensor's values
// (its circumstances), on compiled programs with an injected bug.
#include "tests/unit/Verify/Mutants.h"
#include "verify/Check/CheckedCircumstances.h"
#include "verify/Check/ProductOperands.h"
#include "verify/Evidence/Channels.h"
#include "verify/Metrics/Compare.h"

namespace tilerig::verify::test {
namespace {

const MutantMaker &maker(const std::string &precision) {
  static const std::unique_ptr<SmallNetwork> network = imageNetwork();
  static std::map<std::string, std::unique_ptr<MutantMaker>> makers;
  auto &maker = makers[precision];
  if (!maker)
    maker = std::make_unique<MutantMaker>(*network, precision, 4);
  return *maker;
}

struct Seen {
  Circumstances known;
  Features features{};
  float operator[](Feature feature) const { return features[static_cast<size_t>(feature)]; }
};

// The features and maps of the first wrong tensor, and the facts known about this tensor besides its values.
Seen seen(const MutantMaker &maker, const RunMutant &mutant) {
  const std::optional<CheckedTensor> first = maker.checked().firstDiffering(mutant.run);
  if (!first)
    throw std::runtime_error("nothing is wrong");
  Seen result{.known = circumstancesOf(maker.checked(), mutant.run, *first)};
  const auto &[reference, target] = first->stored;
  const Comparison comparison = compareTensors(reference, target, {.limits = {}, .exact = true});
  result.features = valueOf(makeEvidence(reference, target, comparison, result.known)).features;
  return result;
}

struct Explained {
  const char *bug;
  Feature feature;
  bool needsEightBits = false;
};

// Bugs that a replay explains: computing the layer again with the suspected bug reproduces the wrong elements
// of the program.
const Explained explained[] = {
    {"weights-flipped:axes=both@relu1", Feature::replayTurnedWeights},
    {"weights-order@wide", Feature::replayTurnedWeights},
    {"weights-transposed@plain", Feature::replayTurnedWeights},
    {"weights-shifted:elements=9@plain", Feature::replayMovedWeights},
    {"weights-blocks-swapped:first=0,second=1@relu1", Feature::replayExchangedWeights},
    {"weights-short:outputs=12@plain", Feature::replayNoWeights},
    {"weights-stale:outputs=20@plain", Feature::replayStaleWeights},
    {"bias-missing@relu2", Feature::replayNoBias}, // with an addend
    {"bias-scale:power=2@wide", Feature::replayScaledBias},
    {"bias-shifted:by=5@wide", Feature::replayOtherBias},
    {"bias-stale@plain", Feature::replayStaleBias},
    {"depth-tail-lost:products=3@plain", Feature::replayShorterDepth},
    {"base-shifted:elements=37@plain", Feature::replayMovedInput},
    {"pitch-wrong:elements=5@plain", Feature::replayLongerRows},
    {"stride-wrong:axis=columns,by=1@plain", Feature::replayStride},
    {"dilation-wrong:axis=rows,by=1@plain", Feature::replayDilation},
    {"pad-amount:side=top,amount=1@plain", Feature::replayMorePadding},
    {"pad-value@plain", Feature::replayPaddingValue},
    {"input-type@wide", Feature::replayInputType, true},
    {"weights-type@plain", Feature::replayWeightType, true},
    {"input-zero-point:by=7@wide", Feature::replayInputZero, true},
    {"scale-power:power=-2@soft", Feature::replayPowerOfScale, true},
};

class ExplainedBugs : public testing::TestWithParam<Explained> {};

TEST_P(ExplainedBugs, AreComputedAgain) {
  for (const char *precision : {"int8", "fp16"}) {
    if (GetParam().needsEightBits && std::string_view(precision) != "int8")
      continue;
    SCOPED_TRACE(precision);
    const Seen result = seen(maker(precision), maker(precision).run(GetParam().bug, 1));
    EXPECT_EQ(result[Feature::replaysKnown], 1);
    EXPECT_GE(result[GetParam().feature], 0.8F);
  }
}

INSTANTIATE_TEST_SUITE_P(OfEachKind, ExplainedBugs, testing::ValuesIn(explained), [](const auto &info) {
  std::string name(info.param.bug);
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

TEST(CheckedCircumstances, OperandsLieAsTheMachineHasThem) {
  const auto product = productOf(maker("int8").checked(), "plain");
  ASSERT_TRUE(product);
  EXPECT_EQ(product->inputSizes, (Product::Sizes{1, 8, 8, 32}));
  EXPECT_EQ(product->weightSizes, (Product::Sizes{48, 3, 3, 32}));
  EXPECT_EQ(product->resultSizes, (Product::Sizes{1, 8, 8, 48}));
  EXPECT_EQ(product->rows.padding, 1);
  EXPECT_EQ(product->order, (std::vector<size_t>{0, 3, 1, 2}));
  EXPECT_EQ(product->bias.size(), 48u);
  EXPECT_EQ(product->weightSteps->steps.size(), 48u);
  EXPECT_EQ(product->weightsBefore.size(), 32u * 3 * 3 * 32); // weights of conv2
  ASSERT_EQ(product->around.size(), 3 * product->weights.size());
  // `around` has three parts of equal size, in quantisation steps: the constants before the weights in
  // memory, the weights, and the constants after them.
  for (size_t i = 0; i < product->weights.size(); ++i)
    ASSERT_NEAR(product->around[product->weights.size() + i] * product->weightSteps->of(i / product->depth()),
                product->weights[i], 1e-6);
  EXPECT_EQ(productOf(maker("int8").checked(), "pool"), nullptr);
  EXPECT_EQ(productOf(maker("int8").checked(), "nowhere"), nullptr);
}

TEST(CheckedCircumstances, AMatrixIsAnImageOfOneColumn) {
  // `fc_1` is the layer's result in fp16; the host converts it to the float32 output `fc`.
  const auto product = productOf(maker("fp16").checked(), "fc_1");
  ASSERT_TRUE(product);
  EXPECT_EQ(product->inputSizes, (Product::Sizes{1, 1, 1, 2048}));
  EXPECT_EQ(product->weightSizes, (Product::Sizes{40, 1, 1, 2048}));
  EXPECT_FALSE(product->inputSteps || product->weightSteps);
}

// The feature `hubOutOfOrder` looks at the engine with most conflicts. Among the instructions that conflict
// The feature `hubOutOfOrder` looks at the engine that is involved in most races. Of the instructions that
// race with this engine, it counts those that are not in the order of layers or addresses. Swapped
// instructions must give a mean that is more than twice that of a missing sync.
TEST(CheckedCircumstances, InstructionsOutOfOrder) {
  const MutantMaker &network = maker("int8");
  double swapped = 0, deleted = 0;
  size_t swaps = 0, deletions = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed)
    for (const char *bug : {"instructions-swapped", "sync-deleted"}) {
      const RunMutant mutant = network.run(bug, seed);
      const Order &order = mutant.run.order;
      if (!order.unordered)
        continue;
      EXPECT_GT(order.conflicts, 0u);
      EXPECT_GT(order.instructions, 0);
      EXPECT_LE(order.hubOutOfOrder, 1);
      const bool isSwap = std::string_view(bug) == "instructions-swapped";
      (isSwap ? swapped : deleted) += order.hubOutOfOrder;
      ++(isSwap ? swaps : deletions);
    }
  ASSERT_GT(swaps, 2u);
  ASSERT_GT(deletions, 2u);
  EXPECT_GT(swapped / static_cast<double>(swaps), 2 * deleted / static_cast<double>(deletions));
}

TEST(CheckedCircumstances, ASemaphoreThatIsLeftOver) {
  const MutantMaker &network = maker("int8");
  size_t leftOver = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed)
    leftOver += network.run("wait-deleted", seed).run.order.leftOver;
  EXPECT_GT(leftOver, 0u);
  EXPECT_FALSE(network.run("sync-deleted", 1).run.order.leftOver);
}

} // namespace
} // namespace tilerig::verify::test
