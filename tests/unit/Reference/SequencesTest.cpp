// Tests of sequences of tensors: the operators on them, and sequences in and through nested graphs.
#include "reference/Model/Load.h"
#include "reference/Run/Interpreter.h"
#include "tests/support/OnnxModel.h"

#include <gtest/gtest.h>

namespace tilerig::reference {
namespace {

using test::OnnxGraph;
using test::OnnxModel;

Result<NamedTensors> run(const OnnxModel &model, const NamedTensors &inputs = {}, RunOptions options = {}) {
  const std::string bytes = model.bytes();
  TILERIG_TRY(Model loaded, parseModel(std::as_bytes(std::span(bytes)), "m.onnx", ""));
  Threads threads(1);
  TILERIG_TRY(const Interpreter interpreter,
              Interpreter::create(std::move(loaded), std::move(options), threads));
  return interpreter.run(inputs);
}

RunOptions inPrecision(Precision precision) {
  RunOptions options;
  options.precision = precision;
  return options;
}

Tensor list(std::initializer_list<float> elements) {
  return Tensor::of<float>({static_cast<int64_t>(elements.size())}, elements);
}

// A model with the inputs a = [1], b = [2, 3], c = [4], from which it makes the sequence s = (a, b, c).
class Sequences : public testing::Test {
protected:
  Sequences() {
    for (const auto &[name, tensor] : inputs)
      model.input(name, DType::f32, tensor.shape());
    model.node("SequenceConstruct", {"a", "b", "c"}, {"s"});
  }
  void addNumber(const std::string &name, int64_t number) {
    model.initialiser(name, Tensor::scalar<int64_t>(number));
  }
  // Joins the tensors of the sequence to the output y.
  void join(const std::string &sequence) {
    test::setInt(model.node("ConcatFromSequence", {sequence}, {"y"}), "axis", 0);
    model.output("y");
  }
  void expectResult(const Tensor &expected, RunOptions options = {}) {
    const auto outputs = run(model, inputs, std::move(options));
    ASSERT_TRUE(outputs) << outputs.error().message();
    EXPECT_TRUE(identical(outputs->at("y"), expected)) << showShape(outputs->at("y").shape());
  }
  void expectError(const std::string &text, ErrorKind kind = ErrorKind::invalidInput) {
    const auto outputs = run(model, inputs);
    ASSERT_FALSE(outputs) << text;
    EXPECT_EQ(outputs.error().kind, kind);
    EXPECT_NE(outputs.error().message().find(text), std::string::npos) << outputs.error().message();
  }

  OnnxModel model;
  NamedTensors inputs = {{"a", list({1})}, {"b", list({2, 3})}, {"c", list({4})}};
};

class Positions : public Sequences, public testing::WithParamInterface<int64_t> {};

TEST_P(Positions, OfTheTensorThatIsRead) {
  addNumber("place", GetParam());
  model.node("SequenceAt", {"s", "place"}, {"y"});
  model.output("y");
  const Tensor tensors[] = {list({1}), list({2, 3}), list({4})};
  if (GetParam() < -3 || GetParam() > 2)
    expectError("position " + std::to_string(GetParam()) + " is outside a sequence of 3 tensors");
  else
    expectResult(tensors[(GetParam() + 3) % 3]);
}

TEST_P(Positions, OfTheTensorThatIsErased) {
  addNumber("place", GetParam());
  model.node("SequenceErase", {"s", "place"}, {"less"});
  join("less");
  const Tensor rest[] = {list({2, 3, 4}), list({1, 4}), list({1, 2, 3})};
  if (GetParam() < -3 || GetParam() > 2)
    expectError("is outside a sequence of 3 tensors");
  else
    expectResult(rest[(GetParam() + 3) % 3]);
}

TEST_P(Positions, WhereATensorIsInserted) {
  addNumber("place", GetParam());
  model.node("SequenceInsert", {"s", "c", "place"}, {"more"});
  join("more");
  const Tensor all[] = {list({4, 1, 2, 3, 4}), list({1, 4, 2, 3, 4}), list({1, 2, 3, 4, 4})};
  if (GetParam() < -3 || GetParam() > 3)
    expectError("is outside a sequence of 3 tensors");
  else
    expectResult(all[std::min<int64_t>(GetParam() < 0 ? GetParam() + 3 : GetParam(), 2)]);
}

INSTANTIATE_TEST_SUITE_P(Reference, Positions, testing::Range<int64_t>(-4, 5));

TEST_F(Sequences, LoseTheirLastTensorWithoutAPosition) {
  model.node("SequenceErase", {"s"}, {"less"});
  join("less");
  expectResult(list({1, 2, 3}));
}

TEST_F(Sequences, GetATensorAtTheirEndWithoutAPosition) {
  model.node("SequenceInsert", {"s", "a"}, {"more"});
  join("more");
  expectResult(list({1, 2, 3, 4, 1}));
}

TEST_F(Sequences, AreNotChangedByInsertion) {
  model.node("SequenceInsert", {"s", "a"}, {"more"});
  model.node("SequenceLength", {"s"}, {"y"});
  model.node("SequenceLength", {"more"}, {"z"});
  model.output("y");
  model.output("z");
  const auto outputs = run(model, inputs);
  ASSERT_TRUE(outputs) << outputs.error().message();
  EXPECT_TRUE(identical(outputs->at("y"), Tensor::scalar<int64_t>(3)));
  EXPECT_TRUE(identical(outputs->at("z"), Tensor::scalar<int64_t>(4)));
}

TEST_F(Sequences, AreJoinedAlongANewAxis) {
  model.node("SequenceConstruct", {"a", "c"}, {"t"});
  for (const auto &[axis, name, shape] : {std::tuple{0, "first", Shape{2, 1}}, {-1, "last", {1, 2}}}) {
    onnx::NodeProto &node = model.node("ConcatFromSequence", {"t"}, {name});
    test::setInt(node, "axis", axis);
    test::setInt(node, "new_axis", 1);
    model.output(name);
  }
  const auto outputs = run(model, inputs);
  ASSERT_TRUE(outputs) << outputs.error().message();
  EXPECT_TRUE(identical(outputs->at("first"), Tensor::of<float>({2, 1}, {1, 4})));
  EXPECT_TRUE(identical(outputs->at("last"), Tensor::of<float>({1, 2}, {1, 4})));
}

TEST_F(Sequences, OfTensorsThatDoNotFitAreNotJoined) {
  onnx::NodeProto &node = model.node("ConcatFromSequence", {"s"}, {"y"});
  test::setInt(node, "axis", 0);
  test::setInt(node, "new_axis", 1);
  model.output("y");
  expectError("tensor 1 (float32 [1, 2]) and tensor 0 (float32 [1, 1]) do not match along axis 0");
}

TEST_F(Sequences, WithoutTensorsAreNotJoined) {
  model.node("SequenceEmpty", {}, {"none"});
  join("none");
  expectError("the sequence has no tensors to concatenate");
}

TEST_F(Sequences, HaveTensorsOfOneType) {
  model.initialiser("number", Tensor::scalar<int64_t>(1));
  model.node("SequenceInsert", {"s", "number"}, {"more"});
  join("more");
  expectError("a tensor of type int64 cannot be in a sequence of type float32");
}

TEST_F(Sequences, WithoutTensorsHaveAType) {
  constexpr int64_t int64 = 7;
  test::setInt(model.node("SequenceEmpty", {}, {"none"}), "dtype", int64);
  model.node("SequenceInsert", {"none", "a"}, {"more"});
  join("more");
  expectError("a tensor of type float32 cannot be in a sequence of type int64");
}

TEST_F(Sequences, OfStringsAreRefused) {
  constexpr int64_t string = 8;
  test::setInt(model.node("SequenceEmpty", {}, {"none"}), "dtype", string);
  join("none");
  expectError("element type 8 is not supported", ErrorKind::unsupported);
}

// The type of an empty sequence is that of the run's precision.
TEST_F(Sequences, GrowFromNothingInEveryPrecision) {
  model.node("SequenceEmpty", {}, {"none"});
  model.node("SequenceInsert", {"none", "a"}, {"one"});
  model.node("SequenceInsert", {"one", "b"}, {"two"});
  join("two");
  for (const Precision precision : {Precision::fp32, Precision::fp16, Precision::bf16})
    expectResult(list({1, 2, 3}), inPrecision(precision));
  expectResult(Tensor::of<double>({3}, {1, 2, 3}), inPrecision(Precision::fp64));
}

TEST_F(Sequences, OfHalvesKeepTheirType) {
  constexpr int64_t float16 = 10;
  test::setInt(model.node("Cast", {"a"}, {"half"}), "to", float16);
  test::setInt(model.node("SequenceEmpty", {}, {"none"}), "dtype", float16);
  model.node("SequenceInsert", {"none", "half"}, {"one"});
  join("one");
  expectResult(Tensor::of<Float16>({1}, {{0x3c00}}));
}

TEST_F(Sequences, PassThroughIdentity) {
  model.node("Identity", {"s"}, {"same"});
  join("same");
  expectResult(list({1, 2, 3, 4}));
}

TEST_F(Sequences, OfConstantsAreMade) {
  model.initialiser("k", list({5}));
  model.node("SequenceConstruct", {"k", "k"}, {"constants"});
  join("constants");
  expectResult(list({5, 5}));
}

TEST_F(Sequences, AreNotCaptured) {
  join("s");
  std::vector<std::string> names;
  RunOptions options;
  options.capture = [&](const std::string &name, const Tensor &) {
    names.push_back(name);
    return success();
  };
  expectResult(list({1, 2, 3, 4}), options);
  EXPECT_EQ(names, std::vector<std::string>{"y"});
}

// An operator on tensors does not take sequences, and the other way round.
TEST_F(Sequences, AreNoTensors) {
  model.node("Relu", {"s"}, {"y"});
  model.output("y");
  expectError("node 'make_y' (Relu): input 0 is a sequence of tensors, expected a tensor");
}
TEST_F(Sequences, AreNoElementsOfSequences) {
  model.node("SequenceInsert", {"s", "s"}, {"more"});
  join("more");
  expectError("node 'make_more' (SequenceInsert): input 1 is a sequence of tensors, expected a tensor");
}
TEST_F(Sequences, AreWhatTheirOperatorsNeed) {
  model.node("SequenceLength", {"a"}, {"y"});
  model.output("y");
  expectError("node 'make_y' (SequenceLength): input 0 is not a sequence");
}

constexpr char isNoTensor[] = "output 's' is a sequence, but inputs and outputs of a model must be tensors";

TEST_F(Sequences, AreNoOutputs) {
  model.output("s");
  expectError(isNoTensor, ErrorKind::unsupported);
}
TEST_F(Sequences, AreNoDeclaredOutputs) {
  model.output("s");
  model.graph.mutable_output(0)->mutable_type()->mutable_sequence_type();
  expectError(std::string("m.onnx: ") + isNoTensor, ErrorKind::unsupported);
}
TEST_F(Sequences, AreNoInputs) {
  model.graph.add_input()->set_name("t");
  model.graph.mutable_input(3)->mutable_type()->mutable_sequence_type();
  join("t");
  expectError("m.onnx: input 't' is a sequence, but inputs and outputs of a model must be tensors",
              ErrorKind::unsupported);
}

// A model that splits x = [[0, 1, 2], [3, 4, 5]] along axis 1 to the sequence s.
class SplitToSequence : public testing::Test {
protected:
  SplitToSequence() { model.input("x", DType::f32, {2, 3}); }

  // Returns the parts, each read by SequenceAt; their number must be `count`.
  Result<std::vector<Tensor>> parts(const test::Names &operands, int64_t keepdims, int64_t count) {
    onnx::NodeProto &node = model.node("SplitToSequence", operands, {"s"});
    test::setInt(node, "axis", -1);
    test::setInt(node, "keepdims", keepdims);
    model.node("SequenceLength", {"s"}, {"length"});
    model.output("length");
    for (int64_t i = 0; i < count; ++i) {
      const std::string name = "y" + std::to_string(i);
      model.initialiser("at_" + name, Tensor::scalar<int64_t>(i));
      model.node("SequenceAt", {"s", "at_" + name}, {name});
      model.output(name);
    }
    TILERIG_TRY(const NamedTensors outputs,
                run(model, {{"x", Tensor::of<float>({2, 3}, {0, 1, 2, 3, 4, 5})}}));
    EXPECT_TRUE(identical(outputs.at("length"), Tensor::scalar(count)));
    std::vector<Tensor> tensors;
    for (int64_t i = 0; i < count; ++i)
      tensors.push_back(outputs.at("y" + std::to_string(i)));
    return tensors;
  }
  void expectError(const std::string &text) {
    const auto tensors = parts({"x", "split"}, 1, 0);
    ASSERT_FALSE(tensors) << text;
    EXPECT_NE(tensors.error().message().find(text), std::string::npos) << tensors.error().message();
  }

  OnnxModel model;
};

TEST_F(SplitToSequence, KeepsTheAxis) {
  const auto tensors = parts({"x"}, 1, 3);
  ASSERT_TRUE(tensors) << tensors.error().message();
  EXPECT_TRUE(identical((*tensors)[1], Tensor::of<float>({2, 1}, {1, 4})));
}

TEST_F(SplitToSequence, RemovesTheAxis) {
  const auto tensors = parts({"x"}, 0, 3);
  ASSERT_TRUE(tensors) << tensors.error().message();
  EXPECT_TRUE(identical((*tensors)[2], Tensor::of<float>({2}, {2, 5})));
}

// A single number is the length of all parts but the last; the axis then stays.
TEST_F(SplitToSequence, IntoPartsOfOneLength) {
  model.initialiser("split", Tensor::scalar<int64_t>(2));
  const auto tensors = parts({"x", "split"}, 0, 2);
  ASSERT_TRUE(tensors) << tensors.error().message();
  EXPECT_TRUE(identical((*tensors)[0], Tensor::of<float>({2, 2}, {0, 1, 3, 4})));
  EXPECT_TRUE(identical((*tensors)[1], Tensor::of<float>({2, 1}, {2, 5})));
}

TEST_F(SplitToSequence, IntoPartsOfStatedLengths) {
  model.initialiser("split", Tensor::of<int32_t>({3}, {1, 0, 2}));
  const auto tensors = parts({"x", "split"}, 1, 3);
  ASSERT_TRUE(tensors) << tensors.error().message();
  EXPECT_TRUE(identical((*tensors)[0], Tensor::of<float>({2, 1}, {0, 3})));
  EXPECT_EQ((*tensors)[1].shape(), (Shape{2, 0}));
  EXPECT_TRUE(identical((*tensors)[2], Tensor::of<float>({2, 2}, {1, 2, 4, 5})));
}

TEST_F(SplitToSequence, RefusesPartsThatDoNotFit) {
  model.initialiser("split", Tensor::of<int64_t>({2}, {2, 2}));
  expectError("a part of length 2 does not fit into the axis");
}
TEST_F(SplitToSequence, RefusesNegativeLengths) {
  model.initialiser("split", Tensor::of<int64_t>({2}, {4, -1}));
  expectError("a part of length 4 does not fit into the axis");
}
TEST_F(SplitToSequence, RefusesPartsThatLeaveElements) {
  model.initialiser("split", Tensor::of<int64_t>({2}, {1, 1}));
  expectError("the parts leave 1 elements of the axis");
}
TEST_F(SplitToSequence, RefusesPartsOfNothing) {
  model.initialiser("split", Tensor::scalar<int64_t>(0));
  expectError("the parts would have the length 0");
}
TEST_F(SplitToSequence, RefusesLengthsInAMatrix) {
  model.initialiser("split", Tensor(DType::i64, {1, 1}));
  expectError("split must be a number or a list of numbers");
}

// A tensor without elements can be split into more parts than there is memory for.
TEST(LongSequences, AreChargedToTheMemory) {
  RunOptions options;
  options.memoryLimit = 1 << 20;
  for (const int64_t size : {int64_t{1} << 20, int64_t{1} << 55}) {
    OnnxModel model;
    model.input("x", DType::f32, {size, 0});
    model.node("SplitToSequence", {"x"}, {"s"});
    model.node("SequenceLength", {"s"}, {"y"});
    model.output("y");
    const auto outputs = run(model, {{"x", Tensor(DType::f32, {size, 0})}}, options);
    ASSERT_FALSE(outputs);
    EXPECT_NE(
        outputs.error().message().find("node 'make_s' (SplitToSequence): the operator needs more memory"),
        std::string::npos)
        << outputs.error().message();
  }
}

// Inserts the number of every step into a sequence that the loop carries, and joins them afterwards.
TEST(SequencesInLoops, AreCarried) {
  OnnxModel model;
  model.input("trips", DType::i64, {});
  test::setInt(model.node("SequenceEmpty", {}, {"none"}), "dtype", 7);
  onnx::NodeProto &loop = model.node("Loop", {"trips", "", "none"}, {"s"});
  OnnxGraph body(test::addGraph(loop, "body"));
  body.input("step", DType::i64, {});
  body.input("condition", DType::boolean, {});
  body.graph.add_input()->set_name("list");
  body.node("SequenceInsert", {"list", "step"}, {"longer"});
  body.node("Identity", {"condition"}, {"again"});
  body.output("again");
  body.output("longer");
  onnx::NodeProto &join = model.node("ConcatFromSequence", {"s"}, {"y"});
  test::setInt(join, "axis", 0);
  test::setInt(join, "new_axis", 1);
  model.output("y");
  const auto outputs = run(model, {{"trips", Tensor::scalar<int64_t>(4)}});
  ASSERT_TRUE(outputs) << outputs.error().message();
  EXPECT_TRUE(identical(outputs->at("y"), Tensor::of<int64_t>({4}, {0, 1, 2, 3})));
}

// A loop whose output collects what its body returns: a sequence cannot be stacked.
TEST_F(Sequences, AreNotStacked) {
  addNumber("trips", 2);
  onnx::NodeProto &loop = model.node("Loop", {"trips"}, {"y"});
  OnnxGraph body(test::addGraph(loop, "body"));
  body.input("step", DType::i64, {});
  body.input("condition", DType::boolean, {});
  body.node("Identity", {"condition"}, {"again"});
  body.node("SequenceErase", {"s"}, {"less"});
  body.output("again");
  body.output("less");
  model.output("y");
  expectError("a value is a sequence of tensors, expected a tensor");
}

TEST_F(Sequences, DoNotControlLoops) {
  for (const test::Names &operands : {test::Names{"s"}, {"", "s"}}) {
    OnnxModel copy;
    copy.proto().CopyFrom(model.proto());
    OnnxGraph graph(*copy.proto().mutable_graph());
    onnx::NodeProto &loop = graph.node("Loop", operands, {"y"});
    OnnxGraph body(test::addGraph(loop, "body"));
    body.input("step", DType::i64, {});
    body.input("condition", DType::boolean, {});
    body.output("condition");
    body.output("step");
    graph.output("y");
    const auto outputs = run(copy, inputs);
    ASSERT_FALSE(outputs);
    EXPECT_NE(outputs.error().message().find("is a sequence of tensors, expected a tensor"),
              std::string::npos)
        << outputs.error().message();
  }
}

// Both branches give a sequence, one of which is made outside.
TEST_F(Sequences, ComeFromBranches) {
  model.input("condition", DType::boolean, {});
  onnx::NodeProto &node = model.node("If", {"condition"}, {"chosen"});
  OnnxGraph then(test::addGraph(node, "then_branch"));
  then.output("s");
  OnnxGraph otherwise(test::addGraph(node, "else_branch"));
  otherwise.node("SequenceErase", {"s"}, {"less"});
  otherwise.output("less");
  join("chosen");
  inputs["condition"] = Tensor::scalar(true);
  expectResult(list({1, 2, 3, 4}));
  inputs["condition"] = Tensor::scalar(false);
  expectResult(list({1, 2, 3}));
}

// The body of a Scan reads tensors of a sequence outside at the positions that it scans.
TEST_F(Sequences, AreReadByTheBodyOfAScan) {
  model.initialiser("places", Tensor::of<int64_t>({3}, {2, 0, 2}));
  onnx::NodeProto &scan = model.node("Scan", {"places"}, {"y"});
  test::setInt(scan, "num_scan_inputs", 1);
  OnnxGraph body(test::addGraph(scan, "body"));
  body.input("place", DType::i64, {});
  body.node("SequenceAt", {"s", "place"}, {"tensor"});
  body.output("tensor");
  model.output("y");
  expectResult(Tensor::of<float>({3, 1}, {4, 1, 4}));
}

TEST_F(Sequences, AreNoStatesOfAScan) {
  model.initialiser("places", Tensor::of<int64_t>({1}, {0}));
  onnx::NodeProto &scan = model.node("Scan", {"a", "places"}, {"y"});
  test::setInt(scan, "num_scan_inputs", 1);
  OnnxGraph body(test::addGraph(scan, "body"));
  body.graph.add_input()->set_name("state");
  body.input("place", DType::i64, {});
  body.node("SequenceConstruct", {"state"}, {"next"});
  body.output("next");
  model.output("y");
  expectError("a value is a sequence of tensors, expected a tensor");
}

} // namespace
} // namespace tilerig::reference
