// Tests that the compiler refuses invalid ONNX models, each with one defect, as the reference does: with the
// same kind of error, and with the same message where the file itself is malformed. Where only the operands
// of an operator are wrong, the compiler may word the message differently.
#include "compiler/Graph/Import/Import.h"
#include "isa/Base/Support/File.h"
#include "reference/Model/Load.h"
#include "reference/Run/Interpreter.h"
#include "tests/support/OnnxModel.h"
#include "tests/support/TemporaryFolder.h"

#include <filesystem>
#include <functional>
#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;
namespace {

using test::OnnxGraph;
using test::OnnxModel;

constexpr const char *path = "m.onnx";

// The error with which the reference refuses to load the model, or to run it on zeros; none if it runs.
std::optional<Error> referenceError(const std::string &bytes, const std::string &folder) {
  auto model = reference::parseModel(std::as_bytes(std::span(bytes)), path, folder);
  if (!model)
    return model.error();
  reference::Threads threads(1);
  auto interpreter = reference::Interpreter::create(*std::move(model), {}, threads);
  if (!interpreter)
    return interpreter.error();
  auto outputs = interpreter->run({{"x", Tensor(DType::f32, {1, 4})}});
  return outputs ? std::nullopt : std::optional(outputs.error());
}

std::optional<Error> compilerError(const std::string &bytes, const std::string &folder) {
  auto file = OnnxFile::parse(std::as_bytes(std::span(bytes)), path, folder);
  if (!file)
    return file.error();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = importModel(context, *file, {});
  return module ? std::nullopt : std::optional(module.error());
}

enum class Words { same, own };

void expectSameRefusal(const std::string &bytes, Words words, const std::string &folder = "") {
  const auto expected = referenceError(bytes, folder), got = compilerError(bytes, folder);
  ASSERT_TRUE(expected) << "the model is not broken";
  ASSERT_TRUE(got) << "only the reference refuses it: " << expected->message();
  EXPECT_EQ(got->kind, expected->kind) << got->message() << "\n" << expected->message();
  EXPECT_EQ(exitCodeOf(got->kind), ExitCode::input);
  if (words == Words::same) {
    EXPECT_EQ(got->message(), expected->message());
  }
  // The compiler's message must name the file, and a node if the reference's message names one.
  EXPECT_TRUE(got->message().starts_with(path)) << got->message();
  if (expected->message().find("node '") != std::string::npos) {
    EXPECT_NE(got->message().find("node '"), std::string::npos) << got->message();
  }
}

// A defect that a test adds to a model; without it, the model has only the input x, a 1 × 4 float tensor.
// `words` says whether compiler and reference must refuse the model with the same message.
struct Broken {
  const char *name;
  Words words;
  std::function<void(OnnxModel &)> make;
};

Tensor ints(std::initializer_list<int64_t> values) {
  return Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values);
}

onnx::TensorShapeProto::Dimension &dimension(OnnxModel &model, int index) {
  return *model.graph.mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(
      index);
}

// Adds a node y = op(x, operand) to the model.
void withOperand(OnnxModel &model, const std::string &op, const Tensor &operand) {
  model.initialiser("operand", operand);
  model.node(op, {"x", "operand"}, {"y"});
}

const Broken broken[] = {
    // --- Files ---
    {"MissingInput", Words::same,
     [](OnnxModel &m) {
       m.node("Add", {"x", "z"}, {"y"});
     }},
    {"Cycle", Words::same,
     [](OnnxModel &m) {
       m.node("Add", {"x", "b"}, {"a"});
       m.node("Relu", {"a"}, {"b"});
       m.node("Relu", {"b"}, {"y"});
     }},
    {"NoOperatorSet", Words::same,
     [](OnnxModel &m) { m.node("Relu", {"x"}, {"y"}).set_domain("com.example"); }},
    {"NegativeDimension", Words::same,
     [](OnnxModel &m) {
       m.node("Relu", {"x"}, {"y"});
       dimension(m, 0).set_dim_value(-1);
     }},
    {"NegativeDimensionOfAnInitialiser", Words::same,
     [](OnnxModel &m) {
       withOperand(m, "Add", Tensor(DType::f32, {1, 4}));
       m.graph.mutable_initializer(0)->set_dims(0, -1);
     }},
    {"DataOfAnotherSize", Words::same,
     [](OnnxModel &m) {
       withOperand(m, "Add", Tensor(DType::f32, {1, 4}));
       m.graph.mutable_initializer(0)->set_dims(1, 5);
     }},
    {"DataOfAnUnusedInitialiser", Words::same,
     [](OnnxModel &m) {
       m.node("Relu", {"x"}, {"y"});
       m.initialiser("unused", Tensor(DType::f32, {1, 4}));
       m.graph.mutable_initializer(0)->set_dims(1, 5);
     }},
    {"InitialiserOfStrings", Words::same,
     [](OnnxModel &m) {
       withOperand(m, "Add", Tensor(DType::f32, {1, 4}));
       m.graph.mutable_initializer(0)->set_data_type(onnx::TensorProto::STRING);
     }},
    {"ShapeThatOverflows", Words::same,
     [](OnnxModel &m) {
       withOperand(m, "Add", Tensor(DType::f32, {1, 4}));
       for (int i = 0; i < 2; ++i)
         m.graph.mutable_initializer(0)->set_dims(i, int64_t{1} << 40);
     }},
    {"ValueTwice", Words::same,
     [](OnnxModel &m) {
       m.node("Relu", {"x"}, {"y"});
       m.node("Neg", {"x"}, {"y"});
     }},
    {"InputTwice", Words::same,
     [](OnnxModel &m) {
       m.input("x", DType::f32, {1, 4});
       m.node("Relu", {"x"}, {"y"});
     }},
    {"InputWithoutAName", Words::same,
     [](OnnxModel &m) {
       m.input("", DType::f32, {1, 4});
       m.node("Relu", {"x"}, {"y"});
     }},
    {"OutputTwice", Words::same,
     [](OnnxModel &m) {
       m.node("Relu", {"x"}, {"y"});
       m.output("y");
     }},
    {"ConstantLargerThanAnyMemory", Words::own,
     [](OnnxModel &m) {
       m.initialiser("sizes", ints({1, int64_t{1} << 40}));
       m.node("ConstantOfShape", {"sizes"}, {"c"});
       m.node("ReduceSum", {"c"}, {"sum"});
       m.node("Add", {"x", "sum"}, {"y"});
     }},
    {"ExpansionLargerThanAnyMemory", Words::own,
     [](OnnxModel &m) {
       m.initialiser("sizes", ints({int64_t{1} << 40, 1}));
       m.node("Expand", {"x", "sizes"}, {"c"});
       m.node("ReduceSum", {"c"}, {"y"});
     }},
    {"InitialiserTwice", Words::same,
     [](OnnxModel &m) {
       for (int i = 0; i < 2; ++i)
         m.initialiser("w", Tensor(DType::f32, {4}));
       m.node("Relu", {"x"}, {"y"});
     }},
    {"AttributeTwice", Words::same,
     [](OnnxModel &m) {
       auto &node = m.node("Softmax", {"x"}, {"y"});
       test::setInt(node, "axis", 0);
       test::setInt(node, "axis", 1);
     }},
    {"AttributeOfNoType", Words::same,
     [](OnnxModel &m) {
       auto &node = m.node("Softmax", {"x"}, {"y"});
       test::setInt(node, "axis", 0);
       node.mutable_attribute(0)->set_type(onnx::AttributeProto::UNDEFINED);
     }},
    {"AttributeOfAnotherType", Words::same,
     [](OnnxModel &m) { test::setText(m.node("Softmax", {"x"}, {"y"}), "axis", "one"); }},
    {"AttributeTensorOfAnotherSize", Words::same,
     [](OnnxModel &m) {
       auto &node = m.node("Constant", {}, {"c"});
       test::setTensor(node, "value", Tensor(DType::f32, {1, 4}));
       node.mutable_attribute(0)->mutable_t()->set_dims(1, 5);
       m.node("Add", {"x", "c"}, {"y"});
     }},
    {"OutputOfNothing", Words::same,
     [](OnnxModel &m) {
       m.node("Relu", {"x"}, {"y"});
       m.output("z");
     }},
    {"InputOfStrings", Words::same,
     [](OnnxModel &m) {
       m.node("Relu", {"x"}, {"y"});
       m.graph.mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(8);
     }},
    {"InputOfSequences", Words::same,
     [](OnnxModel &m) {
       m.node("Relu", {"x"}, {"y"});
       m.graph.mutable_input(0)->mutable_type()->mutable_sequence_type();
     }},
    {"SparseInitialiser", Words::same,
     [](OnnxModel &m) {
       m.node("Relu", {"x"}, {"y"});
       m.graph.add_sparse_initializer();
     }},
    {"NameInAGraphInside", Words::same,
     [](OnnxModel &m) {
       m.initialiser("condition", Tensor::scalar(true));
       auto &node = m.node("If", {"condition"}, {"y"});
       for (const char *branch : {"then_branch", "else_branch"}) {
         OnnxGraph inner(test::addGraph(node, branch));
         inner.node("Relu", {"nowhere"}, {"r"});
         inner.output("r");
       }
     }},
    // --- Nodes ---
    {"TooFewInputs", Words::same, [](OnnxModel &m) { m.node("Add", {"x"}, {"y"}); }},
    {"TooManyInputs", Words::same,
     [](OnnxModel &m) {
       m.node("Relu", {"x", "x"}, {"y"});
     }},
    {"AbsentInput", Words::same, [](OnnxModel &m) { m.node("Relu", {""}, {"y"}); }},
    {"NoOutputs", Words::same,
     [](OnnxModel &m) {
       m.node("Relu", {"x"}, {"y"});
       m.node("Relu", {"x"}, {"dead"}).clear_output();
     }},
    {"UnknownOperator", Words::own, [](OnnxModel &m) { m.node("Fly", {"x"}, {"y"}); }},
    {"RandomOperator", Words::own, [](OnnxModel &m) { m.node("RandomUniformLike", {"x"}, {"y"}); }},
    {"SequenceOperator", Words::same,
     [](OnnxModel &m) {
       m.node("SequenceConstruct", {"x"}, {"s"});
       m.node("Relu", {"s"}, {"y"});
     }},
    // --- Operands ---
    {"TypesOfASum", Words::own,
     [](OnnxModel &m) {
       withOperand(m, "Add", Tensor(DType::i32, {1, 4}));
     }},
    {"TypesOfAProduct", Words::own,
     [](OnnxModel &m) {
       withOperand(m, "MatMul", Tensor(DType::boolean, {4, 1}));
     }},
    {"ShapesOfASum", Words::own, [](OnnxModel &m) { withOperand(m, "Add", Tensor(DType::f32, {3})); }},
    {"AxesOfALocalNormalisation", Words::own,
     [](OnnxModel &m) {
       m.initialiser("shape", Tensor::of<int64_t>({1}, {4}));
       m.node("Reshape", {"x", "shape"}, {"r"});
       test::setInt(m.node("LRN", {"r"}, {"y"}), "size", 3);
     }},
    {"AxesOfAnInstanceNormalisation", Words::own,
     [](OnnxModel &m) {
       m.initialiser("scale", Tensor(DType::f32, {4}));
       m.node("InstanceNormalization", {"x", "scale", "scale"}, {"y"});
     }},
    {"ScaleOfAnInstanceNormalisation", Words::own,
     [](OnnxModel &m) {
       m.initialiser("shape", Tensor::of<int64_t>({3}, {1, 2, 2}));
       m.initialiser("scale", Tensor(DType::f32, {3}));
       m.node("Reshape", {"x", "shape"}, {"r"});
       m.node("InstanceNormalization", {"r", "scale", "scale"}, {"y"});
     }},
    {"GroupsOfAGroupNormalisation", Words::own,
     [](OnnxModel &m) {
       m.initialiser("shape", Tensor::of<int64_t>({3}, {1, 2, 2}));
       m.initialiser("scale", Tensor(DType::f32, {2}));
       m.node("Reshape", {"x", "shape"}, {"r"});
       test::setInt(m.node("GroupNormalization", {"r", "scale", "scale"}, {"y"}), "num_groups", 0);
     }},
    {"ScaleOfAGroupNormalisation", Words::own,
     [](OnnxModel &m) {
       m.initialiser("shape", Tensor::of<int64_t>({3}, {1, 2, 2}));
       m.initialiser("scale", Tensor(DType::f32, {3}));
       m.node("Reshape", {"x", "shape"}, {"r"});
       test::setInt(m.node("GroupNormalization", {"r", "scale", "scale"}, {"y"}), "num_groups", 2);
     }},
    {"VarianceOfABatchNormalisation", Words::own,
     [](OnnxModel &m) {
       m.initialiser("four", Tensor(DType::f32, {4}));
       m.initialiser("table", Tensor(DType::f32, {4, 2}));
       m.node("BatchNormalization", {"x", "four", "four", "four", "table"}, {"y"});
     }},
    {"ShapesOfAProduct", Words::own,
     [](OnnxModel &m) {
       withOperand(m, "MatMul", Tensor(DType::f32, {3, 4}));
     }},
    // A Clip with two bounds, which do not broadcast to the 1 x 4 tensor x.
    {"LowerBoundOfTwoElements", Words::own,
     [](OnnxModel &m) { withOperand(m, "Clip", Tensor(DType::f32, {2})); }},
    {"LowerBoundOfAllElements", Words::own,
     [](OnnxModel &m) { withOperand(m, "Clip", Tensor(DType::f32, {4})); }},
    {"UpperBoundOfMoreAxes", Words::own,
     [](OnnxModel &m) {
       m.initialiser("high", Tensor(DType::f32, {2, 1, 4}));
       m.node("Clip", {"x", "", "high"}, {"y"});
     }},
    {"EmptyBound", Words::own, [](OnnxModel &m) { withOperand(m, "Clip", Tensor(DType::f32, {0})); }},
    {"ComputedBoundOfSeveralElements", Words::own,
     [](OnnxModel &m) {
       m.node("Clip", {"x", "x"}, {"y"});
     }},
    {"BoundOfAnotherType", Words::own,
     [](OnnxModel &m) { withOperand(m, "Clip", Tensor::scalar<int64_t>(1)); }},
    {"ValueOfAPadOfSeveralElements", Words::own,
     [](OnnxModel &m) {
       m.initialiser("pads", ints({0, 1, 0, 1}));
       m.initialiser("value", Tensor(DType::f32, {2}));
       m.node("Pad", {"x", "pads", "value"}, {"y"});
     }},
    {"ValueOfAPadOfAnotherType", Words::own,
     [](OnnxModel &m) {
       m.initialiser("pads", ints({0, 1, 0, 1}));
       m.initialiser("value", Tensor::scalar<int64_t>(1));
       m.node("Pad", {"x", "pads", "value"}, {"y"});
     }},
    {"DepthsOfAOneHot", Words::own,
     [](OnnxModel &m) {
       m.initialiser("depths", ints({3, 3}));
       m.initialiser("values", Tensor(DType::f32, {2}));
       m.node("OneHot", {"x", "depths", "values"}, {"y"});
     }},
    {"AxesOfACumSum", Words::own,
     [](OnnxModel &m) {
       withOperand(m, "CumSum", ints({0, 1}));
     }},
    {"DiagonalsOfATrilu", Words::own,
     [](OnnxModel &m) {
       withOperand(m, "Trilu", ints({0, 1}));
     }},
    {"StartsOfARange", Words::own,
     [](OnnxModel &m) {
       m.initialiser("zeros", ints({0, 0}));
       m.initialiser("one", Tensor::scalar<int64_t>(1));
       m.node("Range", {"zeros", "one", "one"}, {"y"});
     }},
    {"ShapeOfAReshape", Words::own,
     [](OnnxModel &m) {
       withOperand(m, "Reshape", ints({3, -1}));
     }},
    {"TwoOpenAxes", Words::own,
     [](OnnxModel &m) {
       withOperand(m, "Reshape", ints({-1, -1}));
     }},
    {"NegativeTile", Words::own,
     [](OnnxModel &m) {
       withOperand(m, "Tile", ints({1, -2}));
     }},
    {"HugeTile", Words::own,
     [](OnnxModel &m) {
       withOperand(m, "Tile", ints({int64_t{1} << 40, int64_t{1} << 40}));
     }},
    {"ShapeOfAnExpand", Words::own,
     [](OnnxModel &m) {
       withOperand(m, "Expand", ints({3, 5}));
     }},
    {"AxisOfASoftmax", Words::own,
     [](OnnxModel &m) { test::setInt(m.node("Softmax", {"x"}, {"y"}), "axis", 2); }},
    {"AxisOfAReduction", Words::own, [](OnnxModel &m) { withOperand(m, "ReduceSum", ints({5})); }},
    {"OrderOfATranspose", Words::own,
     [](OnnxModel &m) {
       test::setInts(m.node("Transpose", {"x"}, {"y"}), "perm", {0, 0});
     }},
    {"AxisOfASqueeze", Words::own, [](OnnxModel &m) { withOperand(m, "Squeeze", ints({1})); }},
    {"PadsOfAPad", Words::own,
     [](OnnxModel &m) {
       withOperand(m, "Pad", ints({1, 1, 1}));
     }},
    {"PartsOfASplit", Words::own, [](OnnxModel &m) { withOperand(m, "Split", ints({3})); }},
    {"StepOfASlice", Words::own,
     [](OnnxModel &m) {
       m.initialiser("zero", ints({0}));
       m.initialiser("one", ints({1}));
       m.node("Slice", {"x", "zero", "one", "one", "zero"}, {"y"});
     }},
    {"RankOfAConvolution", Words::own,
     [](OnnxModel &m) {
       withOperand(m, "Conv", Tensor(DType::f32, {1, 4, 3}));
     }},
    {"KernelOfAPool", Words::own, [](OnnxModel &m) { m.node("MaxPool", {"x"}, {"y"}); }},
    {"TypeOfACast", Words::own, [](OnnxModel &m) { test::setInt(m.node("Cast", {"x"}, {"y"}), "to", 99); }},
    // Models with an operand that the operator does not allow: a wrong type, shape or value.
    {"TooLargeK", Words::own, [](OnnxModel &m) { withOperand(m, "TopK", ints({5})); }},
    {"IndicesOutside", Words::own,
     [](OnnxModel &m) {
       withOperand(m, "GatherElements", Tensor(DType::i64, {1, 4, 1}));
     }},
    {"LongTuples", Words::own,
     [](OnnxModel &m) {
       withOperand(m, "GatherND", Tensor(DType::i64, {1, 3}));
     }},
    {"UpdatesOfAnotherShape", Words::own,
     [](OnnxModel &m) {
       m.initialiser("indices", Tensor(DType::i64, {1, 2}));
       m.node("ScatterND", {"x", "indices", "x"}, {"y"});
     }},
    {"UnknownReduction", Words::own,
     [](OnnxModel &m) {
       m.initialiser("indices", Tensor(DType::i64, {1, 1}));
       test::setText(m.node("ScatterND", {"x", "indices", "x"}, {"y"}), "reduction", "mean");
     }},
    {"TransposedTrilu", Words::own,
     [](OnnxModel &m) {
       m.initialiser("shape", ints({4}));
       m.node("Reshape", {"x", "shape"}, {"flat"});
       m.node("Trilu", {"flat"}, {"y"});
     }},
    {"ScalesAndSizes", Words::own,
     [](OnnxModel &m) {
       m.initialiser("scales", Tensor::of<float>({2}, {1, 2}));
       m.initialiser("sizes", ints({1, 8}));
       m.node("Resize", {"x", "", "scales", "sizes"}, {"y"});
     }},
    {"ModeOfAResize", Words::own,
     [](OnnxModel &m) {
       m.initialiser("scales", Tensor::of<float>({2}, {1, 2}));
       test::setText(m.node("Resize", {"x", "", "scales"}, {"y"}), "mode", "sharp");
     }},
    {"ScaleOfZero", Words::own,
     [](OnnxModel &m) {
       m.initialiser("scales", Tensor::of<float>({2}, {1, 0}));
       m.node("Resize", {"x", "", "scales"}, {"y"});
     }},
    {"EquationOfAnEinsum", Words::own,
     [](OnnxModel &m) { test::setText(m.node("Einsum", {"x"}, {"y"}), "equation", "ijk->i"); }},
    {"ScaleForAnotherAxis", Words::own,
     [](OnnxModel &m) { withOperand(m, "QuantizeLinear", Tensor(DType::f32, {3})); }},
    {"ZeroPointOfFloats", Words::own,
     [](OnnxModel &m) {
       m.initialiser("s", Tensor::scalar(1.0f));
       m.node("QuantizeLinear", {"x", "s", "s"}, {"y"});
     }},
    {"FloatsToDequantise", Words::own,
     [](OnnxModel &m) { withOperand(m, "DequantizeLinear", Tensor::scalar(1.0f)); }},
    {"FloatsToMultiplyAsIntegers", Words::own,
     [](OnnxModel &m) {
       withOperand(m, "MatMulInteger", Tensor(DType::i8, {4, 1}));
     }},
    {"RankOfALayer", Words::own,
     [](OnnxModel &m) {
       m.node("LSTM", {"x", "x", "x"}, {"y"});
     }},
    {"ShiftToNowhere", Words::own,
     [](OnnxModel &m) {
       m.initialiser("bits", Tensor(DType::u8, {4}));
       test::setText(m.node("BitShift", {"bits", "bits"}, {"y"}), "direction", "UP");
     }},
    {"LoopWithoutABody", Words::own,
     [](OnnxModel &m) {
       m.initialiser("trips", Tensor::scalar<int64_t>(2));
       m.node("Loop", {"trips", "", "x"}, {"y"});
     }},
    {"BranchesOfMoreOutputs", Words::own,
     [](OnnxModel &m) {
       m.initialiser("condition", Tensor::scalar(true));
       auto &node = m.node("If", {"condition"}, {"y"});
       for (const char *branch : {"then_branch", "else_branch"}) {
         OnnxGraph inner(test::addGraph(node, branch));
         for (const char *name : {"a", "b"}) {
           inner.node("Relu", {"x"}, {name});
           inner.output(name);
         }
       }
     }},
    {"EndlessRange", Words::own,
     [](OnnxModel &m) {
       m.initialiser("zero", Tensor::scalar<int64_t>(0));
       m.initialiser("one", Tensor::scalar<int64_t>(1));
       m.node("Range", {"zero", "one", "zero"}, {"y"});
     }},
};

class CompiledRefusals : public testing::TestWithParam<Broken> {};

TEST_P(CompiledRefusals, AreThoseOfTheReference) {
  OnnxModel model;
  model.input("x", DType::f32, {1, 4});
  GetParam().make(model);
  model.output("y");
  expectSameRefusal(model.bytes(), GetParam().words);
}

INSTANTIATE_TEST_SUITE_P(Models, CompiledRefusals, testing::ValuesIn(broken),
                         [](const auto &info) { return std::string(info.param.name); });

// A bound of Clip is a tensor of one element, of any rank.
TEST(CompiledBounds, OfOneElementAreAccepted) {
  for (const Shape &shape : {Shape{}, Shape{1}, Shape{1, 1}, Shape{1, 1, 1}})
    for (const bool isComputed : {false, true}) {
      OnnxModel model;
      model.input("x", DType::f32, {1, 4});
      model.initialiser("low", Tensor(DType::f32, shape));
      model.initialiser("axes", ints({0, 1}));
      test::setInt(model.node("ReduceMax", {"x", "axes"}, {"largest"}), "keepdims", 0);
      Tensor ones(DType::i64, {static_cast<int64_t>(shape.size())});
      std::ranges::fill(ones.mutableAs<int64_t>(), 1);
      model.initialiser("shape", ones);
      model.node("Reshape", {"largest", "shape"}, {"high"});
      model.node("Clip", {"x", "low", isComputed ? "high" : "low"}, {"y"});
      model.output("y");
      const auto expected = referenceError(model.bytes(), ""), got = compilerError(model.bytes(), "");
      EXPECT_FALSE(expected) << expected->message();
      EXPECT_FALSE(got) << got->message();
    }
}

TEST(CompiledFiles, AreRefusedAsTheReferenceDoes) {
  OnnxModel model;
  model.input("x", DType::f32, {1, 4});
  model.node("Relu", {"x"}, {"y"});
  model.output("y");
  const std::string bytes = model.bytes();
  ASSERT_FALSE(referenceError(bytes, "")) << "what is broken below is sound";
  ASSERT_FALSE(compilerError(bytes, ""));
  expectSameRefusal(bytes.substr(0, bytes.size() / 2), Words::same);
  expectSameRefusal("PK\x03\x04", Words::same);
  expectSameRefusal("", Words::same);
}

TEST(CompiledFiles, WithoutOutputsAreRefused) {
  OnnxModel model;
  model.input("x", DType::f32, {1, 4});
  model.node("Relu", {"x"}, {"y"});
  expectSameRefusal(model.bytes(), Words::same);
}

TEST(CompiledFiles, ThatLackTheirData) {
  OnnxModel model;
  model.input("x", DType::f32, {1, 4});
  onnx::TensorProto &tensor = *model.graph.add_initializer();
  tensor.set_name("w");
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  tensor.add_dims(4);
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  auto *entry = tensor.add_external_data();
  entry->set_key("location");
  model.node("Add", {"x", "w"}, {"y"});
  model.output("y");
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("model"));
  ASSERT_TRUE(writeText(folder.path("secret.bin"), std::string(16, '\0')));
  ASSERT_TRUE(writeText(folder.path("model/short.bin"), std::string(15, '\0')));
  for (const char *location : {"absent.bin", "../secret.bin", "short.bin"}) {
    entry->set_value(location);
    expectSameRefusal(model.bytes(), Words::same, folder.path("model"));
  }
  expectSameRefusal(model.bytes(), Words::same);
}

// Expects that compiler and reference refuse the model with the same message, and that it contains `reason`.
void expectSameReason(const OnnxModel &model, const std::string &reason) {
  expectSameRefusal(model.bytes(), Words::same);
  const auto got = compilerError(model.bytes(), "");
  EXPECT_NE(got->message().find(reason), std::string::npos) << got->message();
}

void importOwnDomain(OnnxModel &model) {
  auto *import = model.proto().add_opset_import();
  import->set_domain("own");
  import->set_version(1);
}

// Adds the function F<number>, which computes b = op(a), in the domain `own`, to the model.
void addFunction(OnnxModel &model, int number, const std::string &op, const std::string &domain) {
  onnx::FunctionProto &function = *model.proto().add_functions();
  function.set_name("F" + std::to_string(number));
  function.set_domain("own");
  function.add_input("a");
  function.add_output("b");
  onnx::NodeProto &inside = *function.add_node();
  inside.set_op_type(op);
  inside.set_domain(domain);
  inside.add_input("a");
  inside.add_output("b");
}

// Adds a chain of functions to the model, each of which calls the next; the last one calls `op`.
void callInRow(OnnxModel &model, int numFunctions, const std::string &op, const std::string &domain) {
  model.input("x", DType::f32, {1, 4});
  importOwnDomain(model);
  for (int i = 0; i + 1 < numFunctions; ++i)
    addFunction(model, i, "F" + std::to_string(i + 1), "own");
  addFunction(model, numFunctions - 1, op, domain);
  model.node("F0", {"x"}, {"y"}).set_domain("own");
  model.output("y");
}

TEST(CompiledFunctions, MayCallOneAnother) {
  OnnxModel model;
  callInRow(model, 60, "Relu", "");
  EXPECT_FALSE(referenceError(model.bytes(), ""));
  EXPECT_FALSE(compilerError(model.bytes(), ""));
}

TEST(CompiledFunctions, DeepNestingIsNotReportedAsRecursion) {
  OnnxModel deep;
  callInRow(deep, 70, "Relu", "");
  expectSameReason(deep, "is nested in more than 64 function calls and subgraphs");
  OnnxModel recursive;
  callInRow(recursive, 3, "F1", "own");
  expectSameReason(recursive, "function 'F1' calls itself");
}

// Adds `depth` nested If nodes to the model; the innermost branches are Relu and Neg.
void nestIfs(OnnxGraph graph, int depth, const std::string &result) {
  if (depth == 0) {
    graph.node("Relu", {"x"}, {result});
    return;
  }
  onnx::NodeProto &node = graph.node("If", {"condition"}, {result});
  for (const char *branch : {"then_branch", "else_branch"}) {
    OnnxGraph inner(test::addGraph(node, branch));
    const std::string name = result + branch[0];
    if (branch[0] == 't')
      nestIfs(inner, depth - 1, name);
    else
      inner.node("Neg", {"x"}, {name});
    inner.output(name);
  }
}

// Whether the compiler refuses the model as unsupported, with a message that contains `text`.
void expectUnsupported(OnnxModel &model, const std::string &text) {
  const auto error = compilerError(model.bytes(), "");
  ASSERT_TRUE(error) << text;
  EXPECT_EQ(error->kind, ErrorKind::unsupported);
  EXPECT_NE(error->message().find(text), std::string::npos) << error->message();
}

// Adds an If on a condition of the run, whose branches are these operators on x.
void addBranches(OnnxModel &model, const char *whenTrue, const char *whenFalse) {
  model.input("x", DType::f32, {1, 4});
  model.input("condition", DType::boolean, {});
  onnx::NodeProto &node = model.node("If", {"condition"}, {"y"});
  for (const auto &[branch, type] : {std::pair{"then_branch", whenTrue}, {"else_branch", whenFalse}}) {
    OnnxGraph inner(test::addGraph(node, branch));
    inner.node(type, {"x"}, {branch});
    inner.output(branch);
  }
}

TEST(CompiledControlFlow, NeedsBranchesOfOneType) {
  OnnxModel types(17), ranks(17), sequences(17);
  addBranches(types, "Relu", "Shape");
  types.output("y");
  expectUnsupported(types, "the branches give tensors of different types or ranks");
  addBranches(ranks, "Relu", "Squeeze");
  ranks.output("y");
  expectUnsupported(ranks, "the branches give tensors of different types or ranks");
  addBranches(sequences, "SequenceConstruct", "SequenceConstruct");
  test::setInt(sequences.node("ConcatFromSequence", {"y"}, {"z"}), "axis", 0);
  sequences.output("z");
  expectUnsupported(sequences, "the branches give sequences");
}

TEST(CompiledSequences, AreNoOutputs) {
  for (const bool isDeclared : {false, true}) {
    OnnxModel model(17);
    model.input("x", DType::f32, {1, 4});
    model.node("SequenceConstruct", {"x", "x"}, {"y"});
    model.output("y");
    if (isDeclared)
      model.graph.mutable_output(0)->mutable_type()->mutable_sequence_type();
    expectSameReason(model, "output 'y' is a sequence, but inputs and outputs of a model must be tensors");
  }
}

TEST(CompiledSequences, AreNoInputs) {
  OnnxModel model(17);
  model.graph.add_input()->set_name("x");
  model.graph.mutable_input(0)->mutable_type()->mutable_sequence_type();
  test::setInt(model.node("ConcatFromSequence", {"x"}, {"y"}), "axis", 0);
  model.output("y");
  expectSameReason(model, "input 'x' is a sequence, but inputs and outputs of a model must be tensors");
}

TEST(CompiledSequences, AreReadByOperatorsOnSequencesOnly) {
  OnnxModel model(17);
  model.input("x", DType::f32, {1, 4});
  model.node("SequenceConstruct", {"x", "x"}, {"s"});
  onnx::NodeProto &node = model.node("Relu", {"s"}, {"y"});
  model.output("y");
  expectSameReason(model, "node 'make_y' (Relu): input 0 is a sequence of tensors, expected a tensor");
  node.set_op_type("Optional");
  expectUnsupported(model, "node 'make_y' (Optional): the operator cannot read a sequence");
}

// Adds a Loop whose body returns a tensor or a sequence, which the loop collects.
void addCollectingLoop(OnnxModel &model, const std::string &trips, const std::string &condition,
                       const std::string &collected) {
  model.input("x", DType::f32, {1, 4});
  model.node("SequenceConstruct", {"x", "x"}, {"s"});
  model.initialiser("two", Tensor::scalar<int64_t>(2));
  model.node("Size", {"x"}, {"count"});
  onnx::NodeProto &node = model.node("Loop", {trips, condition}, {"y"});
  OnnxGraph body(test::addGraph(node, "body"));
  body.input("step", DType::i64, {});
  body.input("condition", DType::boolean, {});
  body.node("Identity", {"condition"}, {"again"});
  body.node("SequenceErase", {"s"}, {"less"});
  body.output("again");
  body.output(collected);
  model.output("y");
}

TEST(CompiledSequences, DoNotControlLoops) {
  OnnxModel trips(17), condition(17);
  addCollectingLoop(trips, "s", "", "step");
  expectSameReason(trips, "node 'make_y' (Loop): input 0 is a sequence of tensors, expected a tensor");
  addCollectingLoop(condition, "two", "s", "step");
  expectSameReason(condition, "node 'make_y' (Loop): input 1 is a sequence of tensors, expected a tensor");
}

TEST(CompiledSequences, AreNotStacked) {
  OnnxModel model(17);
  addCollectingLoop(model, "two", "", "less");
  expectSameReason(model, "node 'make_y' (Loop): a value is a sequence of tensors, expected a tensor");
}

// Loops of more steps than are unrolled are kept as a whole.
TEST(CompiledSequences, AreNotStackedByKeptLoops) {
  OnnxModel model(17);
  model.initialiser("many", Tensor::scalar<int64_t>(5000));
  addCollectingLoop(model, "many", "", "less");
  expectSameReason(model, "node 'make_y' (Loop): a value is a sequence of tensors, expected a tensor");
}

TEST(CompiledSequences, AreNoStatesOfAScan) {
  OnnxModel model(17);
  model.input("x", DType::f32, {1, 4});
  onnx::NodeProto &scan = model.node("Scan", {"x", "x"}, {"y"});
  test::setInt(scan, "num_scan_inputs", 1);
  OnnxGraph body(test::addGraph(scan, "body"));
  body.graph.add_input()->set_name("state");
  body.input("row", DType::f32, {4});
  body.node("SequenceConstruct", {"state"}, {"next"});
  body.output("next");
  model.output("y");
  expectSameReason(model, "node 'make_y' (Scan): a value is a sequence of tensors, expected a tensor");
}

// A body of which the shapes depend on data is kept as it is.
TEST(CompiledSequences, AreNotReadByKeptBodies) {
  OnnxModel model(17);
  model.input("x", DType::f32, {1, 4});
  model.input("trips", DType::i64, {});
  model.node("SequenceConstruct", {"x", "x"}, {"s"});
  onnx::NodeProto &loop = model.node("Loop", {"trips", "", "x"}, {"y"});
  OnnxGraph body(test::addGraph(loop, "body"));
  body.input("step", DType::i64, {});
  body.input("condition", DType::boolean, {});
  body.input("state", DType::f32, {1, 4});
  body.node("SequenceAt", {"s", "step"}, {"next"});
  body.output("condition");
  body.output("next");
  model.output("y");
  expectUnsupported(model, "a subgraph reads a sequence from the graph around it");
}

TEST(CompiledSequences, AreCarriedByUnrolledLoopsOnly) {
  OnnxModel model(17);
  model.input("x", DType::f32, {1, 4});
  model.input("trips", DType::i64, {});
  model.node("SequenceConstruct", {"x", "x"}, {"s"});
  onnx::NodeProto &node = model.node("Loop", {"trips", "", "s"}, {"t"});
  OnnxGraph body(test::addGraph(node, "body"));
  body.input("step", DType::i64, {});
  body.input("condition", DType::boolean, {});
  body.graph.add_input()->set_name("list");
  body.node("SequenceInsert", {"list", "x"}, {"longer"});
  body.output("condition");
  body.output("longer");
  test::setInt(model.node("ConcatFromSequence", {"t"}, {"y"}), "axis", 0);
  model.output("y");
  expectUnsupported(
      model, "the loop carries a sequence, but its number of steps is known only at run time or too large");
}

TEST(CompiledSequences, NeedKnownPositions) {
  OnnxModel model(17);
  model.input("x", DType::f32, {1, 4});
  model.input("position", DType::i64, {});
  model.node("SequenceConstruct", {"x", "x"}, {"s"});
  model.node("SequenceAt", {"s", "position"}, {"y"});
  model.output("y");
  expectUnsupported(model, "the position must be a constant known at compile time");
}

TEST(CompiledSequences, HaveOnlyThePositionsOfTheirTensors) {
  for (const int64_t position : {-3, 2, 3})
    for (const char *type : {"SequenceAt", "SequenceErase", "SequenceInsert"}) {
      const bool isInsertion = type == std::string("SequenceInsert"),
                 isReading = type == std::string("SequenceAt");
      if (position == 2 && isInsertion)
        continue; // the position behind the last tensor
      OnnxModel model(17);
      model.input("x", DType::f32, {1, 4});
      model.initialiser("position", Tensor::scalar<int64_t>(position));
      model.node("SequenceConstruct", {"x", "x"}, {"s"});
      model.node(type, isInsertion ? test::Names{"s", "x", "position"} : test::Names{"s", "position"}, {"t"});
      model.node(isReading ? "Relu" : "SequenceLength", {"t"}, {"y"});
      model.output("y");
      expectSameReason(model, "position " + std::to_string(position) + " is outside a sequence of 2 tensors");
    }
}

TEST(CompiledSequences, OfNoTensorsAreNotJoined) {
  OnnxModel model(17);
  model.input("x", DType::f32, {1, 4});
  model.node("SequenceEmpty", {}, {"s"});
  test::setInt(model.node("ConcatFromSequence", {"s"}, {"y"}), "axis", 0);
  model.output("y");
  expectSameReason(model, "the sequence has no tensors to concatenate");
}

TEST(CompiledSequences, AreWhatTheirOperatorsRead) {
  OnnxModel model(17);
  model.input("x", DType::f32, {1, 4});
  model.node("SequenceLength", {"x"}, {"y"});
  model.output("y");
  expectSameReason(model, "node 'make_y' (SequenceLength): input 0 is not a sequence");
}

TEST(CompiledOpenSizes, DoNotHideMissingOperands) {
  for (const char *type :
       {"Gather", "Expand", "MatMul", "Gemm", "TopK", "Concat", "Where", "Slice", "GatherND"}) {
    OnnxModel model(17);
    model.input("x", DType::f32, {4});
    model.node("NonZero", {"x"}, {"n"});
    model.node(type, {"n", ""}, {"y"});
    model.output("y");
    EXPECT_TRUE(compilerError(model.bytes(), "")) << type;
  }
}

TEST(CompiledOpenSizes, DoNotHideMissingOperandsOfWhatChooses) {
  for (const char *type : {"NonMaxSuppression", "Compress"}) {
    OnnxModel model(17);
    model.input("x", DType::f32, {4});
    model.node("NonZero", {"x"}, {"n"});
    model.node(type, {"", "n"}, {"y"});
    model.output("y");
    EXPECT_TRUE(compilerError(model.bytes(), "")) << type;
  }
}

// Every third column of rows whose number depends on data: the last step ends outside the tensor.
TEST(CompiledOpenSizes, MayBeSlicedInSteps) {
  for (const auto &[start, end, step] : {std::tuple{2, 99, 3}, {-1, -99, -3}, {4, 99, 3}, {2, 2, 1}}) {
    OnnxModel model(17);
    model.input("x", DType::f32, {4, 4});
    model.input("condition", DType::boolean, {4});
    model.initialiser("start", ints({start}));
    model.initialiser("end", ints({end}));
    model.initialiser("axis", ints({1}));
    model.initialiser("step", ints({step}));
    test::setInt(model.node("Compress", {"x", "condition"}, {"rows"}), "axis", 0);
    model.node("Slice", {"rows", "start", "end", "axis", "step"}, {"y"});
    model.output("y");
    const auto error = compilerError(model.bytes(), "");
    EXPECT_FALSE(error) << start << ' ' << end << ' ' << step << ": " << error->message();
  }
}

TEST(CompiledOpenSizes, DoNotHideAFactorOfOneAxis) {
  OnnxModel model(17);
  model.input("x", DType::f32, {4, 4});
  model.input("condition", DType::boolean, {4});
  model.initialiser("list", Tensor(DType::f32, {4}));
  test::setInt(model.node("Compress", {"x", "condition"}, {"rows"}), "axis", 0);
  model.node("Gemm", {"rows", "list"}, {"y"});
  model.output("y");
  EXPECT_TRUE(compilerError(model.bytes(), ""));
}

// Folds to a tensor without elements, although one of the repeats is huge.
TEST(CompiledConstants, MayBeRepeatedNotAtAll) {
  OnnxModel model(17);
  model.input("x", DType::f32, {1, 4});
  model.initialiser("list", Tensor(DType::f32, {2, 2}));
  model.initialiser("repeats", Tensor::of<int64_t>({2}, {int64_t{1} << 40, 0}));
  model.node("Tile", {"list", "repeats"}, {"none"});
  model.node("Shape", {"none"}, {"y"});
  model.output("y");
  const auto error = compilerError(model.bytes(), "");
  EXPECT_FALSE(error) << error->message();
}

TEST(CompiledOpenSizes, NeedABound) {
  OnnxModel shape(17);
  shape.input("x", DType::i64, {2});
  shape.node("ConstantOfShape", {"x"}, {"y"});
  shape.output("y");
  expectUnsupported(shape, "the shape must be a constant known at compile time");
  OnnxModel range(17);
  range.input("x", DType::i64, {});
  range.initialiser("zero", Tensor::scalar<int64_t>(0));
  range.initialiser("one", Tensor::scalar<int64_t>(1));
  range.node("Range", {"zero", "x", "one"}, {"y"});
  range.output("y");
  expectUnsupported(range, "the limit must be a constant known at compile time");
  OnnxModel tile(17);
  tile.input("x", DType::f32, {4});
  tile.input("repeats", DType::i64, {2});
  tile.node("NonZero", {"x"}, {"n"});
  tile.node("Tile", {"n", "repeats"}, {"y"});
  tile.output("y");
  expectUnsupported(
      tile, "the shape of a result is known only at run time, and the model does not declare its rank");
}

// A loop of as many steps as x has elements other than zero, whose every step appends a row of x to its variable.
void addGrowingLoop(OnnxModel &model, const test::Names &joined, int axis) {
  model.input("x", DType::f32, {4, 4});
  model.initialiser("axes", ints({0}));
  model.initialiser("one", Tensor::scalar<int64_t>(1));
  model.initialiser("none", Tensor(DType::f32, {0, 4}));
  model.node("NonZero", {"x"}, {"places"});
  model.node("Shape", {"places"}, {"sizes"});
  model.node("Gather", {"sizes", "one"}, {"trips"});
  onnx::NodeProto &node = model.node("Loop", {"trips", "", "none"}, {"y"});
  OnnxGraph body(test::addGraph(node, "body"));
  body.input("step", DType::i64, {});
  body.input("condition", DType::boolean, {});
  body.graph.add_input()->set_name("before");
  body.node("Gather", {"x", "one"}, {"row"});
  body.node("Unsqueeze", {"row", "axes"}, {"piece"});
  body.node("Identity", {"before"}, {"same"});
  test::setInt(body.node("Concat", joined, {"after"}), "axis", axis);
  body.output("condition");
  body.output("after");
  model.output("y");
}

TEST(CompiledGrowingLoops, AppendInEveryStep) {
  OnnxModel model(17);
  addGrowingLoop(model, {"same", "piece"}, 0);
  const auto error = compilerError(model.bytes(), "");
  EXPECT_FALSE(error) << error->message();
}

// Twice the variable, none of it, and pieces of unknown length along another axis.
TEST(CompiledGrowingLoops, AppendToTheVariableOnce) {
  for (const auto &[joined, axis] : {std::pair{test::Names{"same", "before", "piece"}, 0},
                                     {{"piece", "piece"}, 0},
                                     {{"same", "piece"}, 1}}) {
    OnnxModel model(17);
    addGrowingLoop(model, joined, axis);
    EXPECT_TRUE(compilerError(model.bytes(), "")) << joined.size() << " along axis " << axis;
  }
}

// An operator that only the host runs. The reference ignores the second output.
TEST(CompiledOutputs, MustNotBeMoreThanTheOperatorHas) {
  OnnxModel model(17);
  model.input("x", DType::f32, {2, 2});
  model.node("Det", {"x"}, {"", "y"});
  model.graph.add_output()->CopyFrom(model.graph.input(0));
  model.graph.mutable_output(0)->set_name("y");
  const auto error = compilerError(model.bytes(), "");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind, ErrorKind::invalidInput);
  EXPECT_NE(error->message().find("the node has 2 outputs, more than the operator has"), std::string::npos)
      << error->message();
}

// A loop whose body cannot be imported, and whose operators have changed since the model's operator set.
TEST(CompiledControlFlow, NeedsOperatorsThatHaveNotChanged) {
  OnnxModel model(11);
  model.input("x", DType::f32, {4, 4});
  model.input("trips", DType::i64, {});
  onnx::NodeProto &node = model.node("Loop", {"trips", "", "x"}, {"y"});
  OnnxGraph inner(test::addGraph(node, "body"));
  inner.input("step", DType::i64, {});
  inner.input("condition", DType::boolean, {});
  inner.input("state", DType::f32, {4, 4});
  test::setInts(inner.node("Unsqueeze", {"step"}, {"list"}), "axes", {0});
  inner.node("Slice", {"state", "list", "list"}, {"part"});
  inner.node("Softmax", {"part"}, {"shares"});
  inner.node("Identity", {"condition"}, {"goes_on"});
  inner.node("Identity", {"state"}, {"next"});
  inner.output("goes_on");
  inner.output("next");
  model.output("y");
  const auto error = compilerError(model.bytes(), "");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind, ErrorKind::unsupported);
  EXPECT_NE(error->message().find("Softmax, which is not ONNX's or has changed since operator set 11"),
            std::string::npos)
      << error->message();
}

TEST(CompiledGraphs, DeepNestingIsNotReportedAsDamage) {
  for (const int depth : {20, 60}) {
    OnnxModel model;
    model.input("x", DType::f32, {1, 4});
    model.initialiser("condition", Tensor::scalar(true));
    nestIfs(OnnxGraph(model.graph), depth, "y");
    model.output("y");
    if (depth == 20) {
      EXPECT_FALSE(referenceError(model.bytes(), ""));
      EXPECT_FALSE(compilerError(model.bytes(), ""));
    } else {
      expectSameReason(model, "subgraphs of If, Loop and Scan nest deeper than 33 levels");
    }
  }
}

// Invalid models: a function calls itself, or a call has more operands than the function has inputs.
TEST(CompiledFunctions, AreRefusedAsTheReferenceDoes) {
  for (const bool callsItself : {true, false}) {
    OnnxModel model;
    model.input("x", DType::f32, {1, 4});
    auto *import = model.proto().add_opset_import();
    import->set_domain("own");
    import->set_version(1);
    onnx::FunctionProto &function = *model.proto().add_functions();
    function.set_name("Twice");
    function.set_domain("own");
    function.add_input("a");
    function.add_output("b");
    onnx::NodeProto &inside = *function.add_node();
    inside.set_op_type(callsItself ? "Twice" : "Relu");
    inside.set_domain(callsItself ? "own" : "");
    inside.add_input("a");
    inside.add_output("b");
    model.node("Twice", callsItself ? test::Names{"x"} : test::Names{"x", "x"}, {"y"}).set_domain("own");
    model.output("y");
    expectSameRefusal(model.bytes(), Words::same);
  }
}

} // namespace
} // namespace tilerig
