// Tests of the check of a program whose inputs and outputs are 8-bit integers on the host. Its layers are the
// same as with float inputs and outputs, and its outputs are compared as the real numbers that the integers
// represent.
#include "isa/Bugs/Choice.h"
#include "tests/unit/Verify/CheckedNetwork.h"
#include "verify/Check/Injection.h"
#include "verify/Check/MissingClip.h"

namespace tilerig::verify::test {
namespace {

CompileOptions withEdges(const char *precision, compiler::QuantisedEdges edges,
                         const char *machine = "tr64") {
  CompileOptions options;
  options.precision = precision;
  options.edges = edges;
  options.machine = valueOf(loadMachine(machine));
  options.program.tiles = 4;
  options.keepsOps = true;
  return options;
}

const proto::Tensor *tensorOf(const Program &program, proto::TensorRole role) {
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (tensor.role() == role)
      return &tensor;
  return nullptr;
}

class QuantisedEdgesOfCheck : public testing::Test {
protected:
  const SourceModel source = sourceOf("resnet18", zooNetwork("resnet18", 32, true));
  const compiler::QuantisedEdges both{compiler::QuantisedType::uint8, compiler::QuantisedType::int8};
  const Check check =
      valueOf(Check::create(source, inputsOf(source), withEdges("int8", both), testThreads()));
};

TEST_F(QuantisedEdgesOfCheck, TensorsMatchAndOutputsAreComparedAsReals) {
  EXPECT_EQ(tensorOf(check.program(), proto::INPUT)->dtype(), "uint8");
  const proto::Tensor *output = tensorOf(check.program(), proto::OUTPUT);
  EXPECT_EQ(output->dtype(), "int8");
  const auto tensors = judged(check, check.program());
  for (const auto &[name, tensor] : tensors)
    EXPECT_EQ(tensor.comparison.status, TensorStatus::match) << name << ": " << tensor.comparison.reason;
  const CheckedTensor &last = tensors.at(output->name());
  ASSERT_TRUE(last.noise);
  EXPECT_EQ(last.real.reference.dtype(), DType::f32);
  EXPECT_EQ(last.real.target.dtype(), DType::f32);
  EXPECT_GT(last.noise->sqnrDecibel, 10.0);
  EXPECT_GT(last.noise->maxAbs, 0.0);
  for (const EmittedLayer &layer : valueOf(check.judgeEmittedLayers()))
    EXPECT_EQ(layer.comparison.status, TensorStatus::match) << layer.name << ": " << layer.comparison.reason;
  for (const RoundedLayer &layer : valueOf(check.judgeRoundedLayers()))
    EXPECT_EQ(layer.status, TensorStatus::match) << layer.name << ": " << layer.reason;
}

// The output has nine bits in the OCM (on-chip memory) and is clipped on its way to DDR, so a missing clip
// can be injected there.
TEST_F(QuantisedEdgesOfCheck, AMissingClipCanBeInjectedAtTheOutput) {
  const BugChoice bug = valueOf(parseBugChoice("clip-missing"));
  const Mutant mutant = valueOf(injectBug(check.model(), withEdges("int8", both), bug, 1));
  EXPECT_FALSE(mutant.bug.layerName.empty());
}

// By default, a user gets an output as float32, but it leaves the device as 8-bit integers. Some of these
// networks have outputs that the host also reorders or from which it drops axes of one element.
TEST(FloatOutputs, LeaveTheDeviceInEightBits) {
  for (const char *network : {"resnet18", "squeezenet", "inception_v1"}) {
    const SourceModel source = sourceOf(network, zooNetwork(network, 64, true));
    const CompileOptions options = withEdges("int8", {});
    const Check check = valueOf(Check::create(source, inputsOf(source), options, testThreads()));
    const proto::Tensor *output = tensorOf(check.program(), proto::OUTPUT);
    EXPECT_EQ(output->dtype(), "float32") << network;
    EXPECT_EQ(output->stored_type(), "i8") << network;
    for (const auto &[name, tensor] : judged(check, check.program()))
      EXPECT_EQ(tensor.comparison.status, TensorStatus::match)
          << network << ", " << name << ": " << tensor.comparison.reason;
    const Mutant mutant =
        valueOf(injectBug(check.model(), options, valueOf(parseBugChoice("clip-missing")), 1));
    EXPECT_FALSE(mutant.bug.layerName.empty()) << network;
  }
}

// An activation function whose result is an output is a layer of its own, with results of nine bits (type
// i9). The operands of BERT's normalisations also have nine bits, because only the vector engine reads them.
TEST(NineBits, AreThoseOfLastFunctionsAndOfOperandsOfTheVectorEngine) {
  const SourceModel source = sourceOf("bert_tiny", zooNetwork("bert_tiny", 0, true));
  const CompileOptions options = withEdges("int8", {});
  const Check check = valueOf(Check::create(source, inputsOf(source), options, testThreads()));
  const auto placements = check.program().metadata.tensors();
  EXPECT_GE(std::ranges::count(placements, "i9", &proto::Tensor::stored_type), 4);
  for (const auto &[name, tensor] : judged(check, check.program()))
    EXPECT_EQ(tensor.comparison.status, TensorStatus::match) << name << ": " << tensor.comparison.reason;
  const BugChoice bug = valueOf(parseBugChoice("clip-missing@pooler.tanh"));
  EXPECT_EQ(valueOf(injectBug(check.model(), options, bug, 1)).bug.layerName, "pooler.tanh");
}

// An injected missing clip is recognised from a single element that has lost its ninth bit. In a program that
// clips, the same values are no evidence of a missing clip.
TEST(MissingClip, IsRecognisedByItsElementsAndItsProgram) {
  const SourceModel source = sourceOf("resnet18", zooNetwork("resnet18", 32, true));
  const CompileOptions options = withEdges("int8", {});
  const Check check = valueOf(Check::create(source, inputsOf(source), options, testThreads()));
  const Mutant mutant =
      valueOf(injectBug(check.model(), options, valueOf(parseBugChoice("clip-missing")), 1));
  CheckedTensor tensor;
  for (const proto::Tensor &placement : mutant.program.metadata.tensors())
    if (placement.role() != proto::OUTPUT && placement.pieces(0).ddr() && placement.role() != proto::INPUT)
      tensor.match.name = placement.name();
  const auto judgedAs = [&](int8_t reference, int8_t target, const Program &program) {
    tensor.stored = {Tensor(DType::i8, {3}), Tensor(DType::i8, {3})};
    tensor.stored.reference.mutableAs<int8_t>()[1] = reference;
    tensor.stored.target.mutableAs<int8_t>()[1] = target;
    return lacksClip(program, tensor.match.name, tensor.stored.reference, tensor.stored.target);
  };
  EXPECT_TRUE(judgedAs(127, -126, mutant.program));
  EXPECT_TRUE(judgedAs(-128, 3, mutant.program));
  EXPECT_FALSE(judgedAs(127, 126, mutant.program));
  EXPECT_FALSE(judgedAs(126, -126, mutant.program));
  EXPECT_FALSE(judgedAs(-128, -3, mutant.program));
  EXPECT_FALSE(judgedAs(127, -126, check.program()));
}

// A tensor inside the network that is spilled to DDR is clipped as well, here without any 8-bit output.
TEST(SpilledTensors, HaveAPlaceForAMissingClip) {
  const SourceModel source = sourceOf("resnet18", zooNetwork("resnet18", 64, true));
  const CompileOptions options = withEdges("int8", {}, "tiny");
  const Check check = valueOf(Check::create(source, inputsOf(source), options, testThreads()));
  const Mutant mutant =
      valueOf(injectBug(check.model(), options, valueOf(parseBugChoice("clip-missing")), 1));
  EXPECT_FALSE(mutant.bug.layerName.empty());
  for (const auto &[name, tensor] : judged(check, check.program()))
    EXPECT_EQ(tensor.comparison.status, TensorStatus::match) << name << ": " << tensor.comparison.reason;
}

TEST(QuantisedEdges, AreRefusedWhereTheOutputIsAFloat) {
  const SourceModel source = sourceOf("resnet18", zooNetwork("resnet18", 32, true));
  const auto check = Check::create(
      source, inputsOf(source), withEdges("fp16", {.inputs = {}, .outputs = compiler::QuantisedType::int8}),
      testThreads());
  ASSERT_FALSE(check);
  EXPECT_EQ(check.error().kind, ErrorKind::unsupported);
  EXPECT_NE(check.error().message().find("does not compute 8-bit integers"), std::string::npos)
      << check.error().message();
}

} // namespace
} // namespace tilerig::verify::test
