// Tests of the parts of a bisection: the search for the shortest failing prefix, subnetworks of a model, and child processes.
#include "verify/Bisect/ChildProcess.h"
#include "verify/Bisect/ShortestFailing.h"
#include "verify/Bisect/SmallerModels.h"
#include "verify/Bisect/StarvedWait.h"
#include "verify/Bisect/Subnetworks.h"

#include "tests/support/OnnxModel.h"
#include "tests/support/Random.h"
#include "tests/unit/Verify/CheckedNetwork.h"
#include "verify/Check/ReferenceRun.h"

#include <csignal>
#include <gtest/gtest.h>
#include <stdexcept>
#include <unistd.h>

namespace tilerig::verify {
namespace {

size_t halvingsOf(size_t length) {
  size_t halvings = 0;
  while ((size_t(1) << halvings) < length)
    ++halvings;
  return halvings;
}

TEST(ShortestFailing, TakesTwoTrialsWhereThePlaceIsKnown) {
  for (size_t length = 1; length <= 40; ++length)
    for (size_t first = 1; first <= length; ++first) {
      size_t trials = 0;
      const auto result = findShortestFailing(length, first, [&](size_t prefix) -> Result<PrefixOutcome> {
        ++trials;
        return prefix < first ? PrefixOutcome::passes : PrefixOutcome::fails;
      });
      ASSERT_TRUE(result);
      EXPECT_EQ(result->length, first);
      EXPECT_TRUE(result->isMonotone);
      EXPECT_LE(trials, 2U);
    }
}

TEST(ShortestFailing, HalvesTheDistanceWhereThePlaceIsUnknown) {
  for (size_t length = 1; length <= 130; ++length)
    for (size_t first = 1; first <= length; ++first) {
      size_t trials = 1; // that of the whole sequence
      const auto result = findShortestFailing(length, {}, [&](size_t prefix) -> Result<PrefixOutcome> {
        ++trials;
        return prefix < first ? PrefixOutcome::passes : PrefixOutcome::fails;
      });
      ASSERT_TRUE(result);
      EXPECT_EQ(result->length, first);
      EXPECT_TRUE(result->isMonotone);
      EXPECT_LE(trials, halvingsOf(length) + 2) << length << " " << first;
    }
}

TEST(ShortestFailing, FindsAFailingPrefixNextToOneThatDoesNotFailWhateverTheOutcomes) {
  tilerig::test::Random random(7);
  for (int round = 0; round < 3000; ++round) {
    const size_t length = 1 + random.below(40);
    std::vector<PrefixOutcome> outcomes(length + 1, PrefixOutcome::passes);
    for (size_t i = 1; i < length; ++i)
      outcomes[i] = static_cast<PrefixOutcome>(random.below(4));
    outcomes[length] = PrefixOutcome::fails;
    std::optional<size_t> expected;
    if (random.below(2))
      expected = 1 + random.below(length);
    size_t trials = 0;
    const auto result = findShortestFailing(length, expected, [&](size_t prefix) -> Result<PrefixOutcome> {
      ++trials;
      return outcomes.at(prefix);
    });
    ASSERT_TRUE(result);
    EXPECT_EQ(outcomes[result->length], PrefixOutcome::fails);
    size_t before = result->length - 1;
    while (outcomes[before] == PrefixOutcome::undecided)
      --before;
    EXPECT_NE(outcomes[before], PrefixOutcome::fails);
    EXPECT_LE(trials, length + 1);
    EXPECT_TRUE(result->elsewhere.empty() || !result->isMonotone);
  }
}

TEST(ShortestFailing, NoticesThatALongerPrefixPasses) {
  const auto result = findShortestFailing(40, {}, [&](size_t prefix) -> Result<PrefixOutcome> {
    return (prefix >= 3 && prefix < 22) || prefix > 38 ? PrefixOutcome::fails : PrefixOutcome::passes;
  });
  ASSERT_TRUE(result);
  EXPECT_EQ(result->length, 3U);
  EXPECT_FALSE(result->isMonotone);
}

TEST(ChildProcess, ReturnsMessagesOfAnyLength) {
  const std::string longLine(3'000'000, 'x');
  const auto end = runInChild(
      [&](const SendLine &send) {
        send("first");
        send(longLine);
        std::puts("this is not shown");
      },
      0);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->kind, ChildEnd::Kind::finished);
  EXPECT_EQ(end->lines, (std::vector<std::string>{"first", longLine}));
}

TEST(ChildProcess, SurvivesCrashesExceptionsAndEndlessLoops) {
  const auto crashed = runInChild(
      [](const SendLine &send) {
        send("begun");
        std::fputs("the reason\n", stderr);
        ::signal(SIGABRT, SIG_DFL);
        std::abort();
      },
      0);
  ASSERT_TRUE(crashed);
  EXPECT_EQ(crashed->kind, ChildEnd::Kind::crashed);
  EXPECT_EQ(crashed->lines, std::vector<std::string>{"begun"});
  EXPECT_EQ(crashed->reason, "signal 6 (Aborted)");
  EXPECT_EQ(crashed->errors, "the reason");

  const auto thrown = runInChild([](const SendLine &) { throw std::runtime_error("no more"); }, 0);
  ASSERT_TRUE(thrown);
  EXPECT_EQ(thrown->kind, ChildEnd::Kind::crashed);
  EXPECT_EQ(thrown->errors, "no more");

  const auto endless = runInChild(
      [](const SendLine &send) {
        send("begun");
        while (true)
          ::pause();
      },
      0.2);
  ASSERT_TRUE(endless);
  EXPECT_EQ(endless->kind, ChildEnd::Kind::timedOut);
  EXPECT_EQ(endless->lines, std::vector<std::string>{"begun"});
}

Result<TensorMap> valuesOf(const SourceModel &model, const TensorMap &inputs) {
  TILERIG_TRY(reference::Model graph, model.forReference());
  TILERIG_TRY(const ReferenceRun run,
              ReferenceRun::load(std::move(graph), reference::Arithmetic::fast, test::testThreads()));
  return run.run(inputs);
}

// Each value of a subnetwork must be that of the whole model.
void expectSameValues(const SourceModel &part, const TensorMap &inputs, const TensorMap &whole) {
  const auto own = Subnetworks::inputsOf(part, inputs);
  ASSERT_TRUE(own) << own.error().message();
  const auto values = valuesOf(part, *own);
  ASSERT_TRUE(values) << values.error().message();
  EXPECT_FALSE(values->empty());
  for (const NamedTensor &value : *values) {
    const Tensor *right = whole.find(value.name);
    ASSERT_TRUE(right) << value.name;
    EXPECT_TRUE(identical(*right, value.tensor)) << value.name;
  }
}

// A model with branches, an If that reads values of the graph around it, a node without a name, and nodes in an order that
// is not topological.
std::string tangledModel() {
  tilerig::test::OnnxModel model;
  model.input("x", DType::f32, {2, 3});
  model.input("condition", DType::boolean, {});
  model.node("Add", {"left", "right"}, {"sum"});
  model.node("Relu", {"x"}, {"left"}).clear_name();
  model.node("Neg", {"x"}, {"right"});
  onnx::NodeProto &choice = model.node("If", {"condition"}, {"chosen"});
  for (const auto &[branch, source] : {std::pair{"then_branch", "left"}, {"else_branch", "sum"}}) {
    tilerig::test::OnnxGraph graph(tilerig::test::addGraph(choice, branch));
    graph.node("Abs", {source}, {std::string(branch) + ".result"});
    graph.output(std::string(branch) + ".result");
  }
  model.node("Shape", {"chosen"}, {"shape"});
  model.node("Reshape", {"right", "shape"}, {"shaped"});
  model.output("chosen");
  model.output("shaped");
  return model.bytes();
}

TEST(Subnetworks, ShortenAModelWithBranchesAndSubgraphs) {
  const SourceModel source = SourceModel::of("tangled", tangledModel());
  const auto subnetworks = Subnetworks::of(source);
  ASSERT_TRUE(subnetworks) << subnetworks.error().message();
  std::vector<std::string> names;
  for (NodeIndex i = 0; i < subnetworks->size(); ++i)
    names.push_back(subnetworks->nameOf(i));
  EXPECT_EQ(names, (std::vector<std::string>{"Relu#1", "make_right", "make_sum", "make_chosen", "make_shape",
                                             "make_shaped"}));
  EXPECT_EQ(subnetworks->branchPoints(), 2U); // left and right are read twice
  EXPECT_EQ(subnetworks->readBy(3), (std::vector<NodeIndex>{0, 2}));
  EXPECT_EQ(subnetworks->producerOf("sum"), NodeIndex(2));
  EXPECT_FALSE(subnetworks->producerOf("x"));

  TensorMap inputs;
  ASSERT_TRUE(inputs.add("x", Tensor::of<float>({2, 3}, {1, -2, 3, -4, 5, -6})));
  ASSERT_TRUE(inputs.add("condition", Tensor::of<bool>({}, {false})));
  const auto whole = valuesOf(source, inputs);
  ASSERT_TRUE(whole) << whole.error().message();
  for (size_t length = 1; length <= subnetworks->size(); ++length) {
    const auto part = subnetworks->shortened(length);
    ASSERT_TRUE(part) << part.error().message();
    expectSameValues(*part, inputs, *whole);
  }
  // What other nodes compute becomes an input, but a shape a constant.
  const auto part = subnetworks->madeOf({3, 5}, *whole, "part");
  ASSERT_TRUE(part) << part.error().message();
  const auto graph = part->forReference();
  ASSERT_TRUE(graph);
  std::vector<std::string> read;
  for (const reference::ValueId id : graph->graph.inputs)
    read.push_back(graph->graph.values[static_cast<size_t>(id)].name);
  EXPECT_EQ(read, (std::vector<std::string>{"condition", "left", "sum", "right"}));
  expectSameValues(*part, *whole, *whole);
}

TEST(Subnetworks, ComputeTheValuesOfTheWholeNetwork) {
  for (const char *name : {"bert_tiny", "translator", "decoder_tiny", "gru_speech"}) {
    const SourceModel source = test::sourceOf(name, test::zooNetwork(name, 0, false));
    const auto subnetworks = Subnetworks::of(source);
    ASSERT_TRUE(subnetworks);
    const TensorMap inputs = test::inputsOf(source);
    const auto whole = valuesOf(source, inputs);
    ASSERT_TRUE(whole);
    for (size_t length = 1; length < subnetworks->size(); length += 7) {
      const auto shortened = subnetworks->shortened(length);
      ASSERT_TRUE(shortened) << shortened.error().message();
      expectSameValues(*shortened, inputs, *whole);
      const auto subnetwork = subnetworks->madeOf({length - 1, length}, *whole, "subnetwork");
      ASSERT_TRUE(subnetwork) << subnetwork.error().message();
      expectSameValues(*subnetwork, *whole, *whole);
    }
  }
}

ModelWithInputs twoConvolutions() {
  tilerig::test::OnnxModel model;
  model.input("x", DType::f32, {1, 4, 6, 6});
  model.initialiser("w", Tensor(DType::f32, {4, 4, 3, 3}));
  model.initialiser("b", Tensor::of<float>({4}, {1, 2, 3, 4}));
  model.initialiser("shape", Tensor::of<int64_t>({3}, {1, 4, 36}));
  tilerig::test::setInts(model.node("Conv", {"x", "w", "b"}, {"conv"}), "pads", {1, 1, 1, 1});
  model.node("Relu", {"conv"}, {"relu"});
  model.node("Neg", {"relu"}, {"y"});
  model.node("Reshape", {"y", "shape"}, {"z"});
  model.output("y");
  model.output("z");
  ModelWithInputs network{.model = model.proto(), .inputs = {}};
  Tensor x(DType::f32, {1, 4, 6, 6});
  for (size_t i = 0; i < x.elementCount(); ++i)
    x.mutableAs<float>()[i] = static_cast<float>(i);
  EXPECT_TRUE(network.inputs.add("x", x));
  return network;
}

TEST(SmallerModels, CutAllAxesOfASize) {
  const ModelWithInputs network = twoConvolutions();
  EXPECT_EQ(axisSizes(network), (std::set<int64_t>{3, 4, 6}));
  const auto cut = withAxesCut(network, 4, 2);
  ASSERT_TRUE(cut) << cut.error().message();
  const Tensor *x = cut->inputs.find("x");
  ASSERT_TRUE(x);
  EXPECT_EQ(x->shape(), (Shape{1, 2, 6, 6}));
  EXPECT_EQ(x->as<float>()[71], 71.0F);
  EXPECT_EQ(cut->model.graph().input(0).type().tensor_type().shape().dim(1).dim_value(), 2);
  const auto &weights = cut->model.graph().initializer(0);
  EXPECT_EQ((std::vector<int64_t>(weights.dims().begin(), weights.dims().end())),
            (std::vector<int64_t>{2, 2, 3, 3}));
  // The shape that Reshape reads, which has become {1, 2, 36}, fits the smaller network.
  const auto values = valuesOf(SourceModel::of("cut", cut->model.SerializeAsString()), cut->inputs);
  ASSERT_TRUE(values) << values.error().message();
  EXPECT_EQ(values->find("z")->shape(), (Shape{1, 2, 36}));
  EXPECT_EQ(values->find("y")->as<float>()[36], -2.0F);
}

TEST(SmallerModels, SetTensorsToZero) {
  const ModelWithInputs network = twoConvolutions();
  EXPECT_EQ(tensorsWithValues(network), (std::set<std::string>{"b", "x"})); // w is zero already
  const auto cleared = withZeros(network, "x");
  ASSERT_TRUE(cleared);
  EXPECT_EQ(tensorsWithValues(*cleared), std::set<std::string>{"b"});
  EXPECT_EQ(countValues(network), countValues(*cleared) + 143); // the first element of x is zero
}

TEST(SmallerModels, LeaveOutNodes) {
  const ModelWithInputs network = twoConvolutions();
  const auto values = valuesOf(SourceModel::of("whole", network.model.SerializeAsString()), network.inputs);
  ASSERT_TRUE(values);
  // The output keeps its name although the node that computes it is left out.
  const auto withoutNeg = withoutNode(network, 2, *values);
  ASSERT_TRUE(withoutNeg);
  ASSERT_TRUE(withoutNeg->has_value());
  const auto own =
      valuesOf(SourceModel::of("part", (*withoutNeg)->model.SerializeAsString()), (*withoutNeg)->inputs);
  ASSERT_TRUE(own) << own.error().message();
  EXPECT_TRUE(identical(*own->find("y"), *values->find("relu")));
  // Reshape has no operand of the type and shape of its result.
  const auto withoutReshape = withoutNode(network, 3, *values);
  ASSERT_TRUE(withoutReshape);
  EXPECT_FALSE(withoutReshape->has_value());
  // Without the convolution, its constants are gone, too.
  const auto withoutConv = withoutNode(network, 0, *values);
  ASSERT_TRUE(withoutConv);
  ASSERT_TRUE(withoutConv->has_value());
  EXPECT_EQ((*withoutConv)->model.graph().initializer_size(), 1);
}

// Tile 1 waits for signals of tile 0 in layers 1, 2 and 3; the signal of layer 1 is missing.
TEST(StarvedWait, IsTheFirstThatIsSatisfiedByALaterLayer) {
  Program program;
  program.tiles = 2;
  DeviceStage stage;
  stage.tiles.resize(2);
  for (const uint32_t layer : {0U, 2U, 3U})
    stage.tiles[0].push_back(
        Signal{.layer = layer, .engine = Engine::dmaOut, .tile = 1, .semaphore = 5, .amount = 2});
  stage.tiles[1].push_back(Wait{.layer = 1, .engine = Engine::pod, .semaphore = 4, .value = 7});
  for (const uint32_t layer : {0U, 1U, 2U, 3U})
    stage.tiles[1].push_back(
        Wait{.layer = layer, .engine = Engine::pod, .semaphore = 5, .value = 2 * layer + 2});
  program.stages.push_back({.name = "main", .phase = Phase::inference, .work = std::move(stage)});
  const Place endless{
      .stage = 0, .host = false, .tile = 1, .engine = Engine::pod, .instruction = 4, .layer = 3};
  EXPECT_EQ(layerOfFirstStarvedWait(program, endless), 1U);
  const Place signal{
      .stage = 0, .host = false, .tile = 0, .engine = Engine::dmaOut, .instruction = 0, .layer = 0};
  EXPECT_FALSE(layerOfFirstStarvedWait(program, signal));
}

TEST(Subnetworks, RefuseModelsThatAreNone) {
  EXPECT_FALSE(Subnetworks::of(SourceModel::of("text", "this is not a model")));
  tilerig::test::OnnxModel model;
  model.input("x", DType::f32, {1});
  model.output("x");
  EXPECT_FALSE(Subnetworks::of(SourceModel::of("empty", model.bytes())));
}

} // namespace
} // namespace tilerig::verify
