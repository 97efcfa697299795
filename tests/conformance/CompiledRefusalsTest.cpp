// Tests that the compiler refuses invalid ONNX models, each with one defect, as the reference does: with the
// same kind of error, and with the same message where the file itself is malformed. Where only the operands
// of an operator are wrong, the compiler may word the message differently.
#include "tests/conformance/CompiledRefusals.h"

#include <functional>

namespace tilerig::test {
namespace {

// A defect that a test adds to a model; without it, the model has only the input x, a 1 × 4 float tensor.
// `words` says whether compiler and reference must refuse the model with the same message.
struct Broken {
  const char *name;
  Words words;
  std::function<void(OnnxModel &)> make;
};

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
       setInt(node, "axis", 0);
       setInt(node, "axis", 1);
     }},
    {"AttributeOfNoType", Words::same,
     [](OnnxModel &m) {
       auto &node = m.node("Softmax", {"x"}, {"y"});
       setInt(node, "axis", 0);
       node.mutable_attribute(0)->set_type(onnx::AttributeProto::UNDEFINED);
     }},
    {"AttributeOfAnotherType", Words::same,
     [](OnnxModel &m) { setText(m.node("Softmax", {"x"}, {"y"}), "axis", "one"); }},
    {"AttributeTensorOfAnotherSize", Words::same,
     [](OnnxModel &m) {
       auto &node = m.node("Constant", {}, {"c"});
       setTensor(node, "value", Tensor(DType::f32, {1, 4}));
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
         OnnxGraph inner(addGraph(node, branch));
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
       setInt(m.node("LRN", {"r"}, {"y"}), "size", 3);
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
       setInt(m.node("GroupNormalization", {"r", "scale", "scale"}, {"y"}), "num_groups", 0);
     }},
    {"ScaleOfAGroupNormalisation", Words::own,
     [](OnnxModel &m) {
       m.initialiser("shape", Tensor::of<int64_t>({3}, {1, 2, 2}));
       m.initialiser("scale", Tensor(DType::f32, {3}));
       m.node("Reshape", {"x", "shape"}, {"r"});
       setInt(m.node("GroupNormalization", {"r", "scale", "scale"}, {"y"}), "num_groups", 2);
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
     [](OnnxModel &m) { setInt(m.node("Softmax", {"x"}, {"y"}), "axis", 2); }},
    {"AxisOfAReduction", Words::own, [](OnnxModel &m) { withOperand(m, "ReduceSum", ints({5})); }},
    {"OrderOfATranspose", Words::own,
     [](OnnxModel &m) {
       setInts(m.node("Transpose", {"x"}, {"y"}), "perm", {0, 0});
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
    {"TypeOfACast", Words::own, [](OnnxModel &m) { setInt(m.node("Cast", {"x"}, {"y"}), "to", 99); }},
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
       setText(m.node("ScatterND", {"x", "indices", "x"}, {"y"}), "reduction", "mean");
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
       setText(m.node("Resize", {"x", "", "scales"}, {"y"}), "mode", "sharp");
     }},
    {"ScaleOfZero", Words::own,
     [](OnnxModel &m) {
       m.initialiser("scales", Tensor::of<float>({2}, {1, 0}));
       m.node("Resize", {"x", "", "scales"}, {"y"});
     }},
    {"EquationOfAnEinsum", Words::own,
     [](OnnxModel &m) { setText(m.node("Einsum", {"x"}, {"y"}), "equation", "ijk->i"); }},
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
       setText(m.node("BitShift", {"bits", "bits"}, {"y"}), "direction", "UP");
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
         OnnxGraph inner(addGraph(node, branch));
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

} // namespace
} // namespace tilerig::test
