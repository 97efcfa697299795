// Tests of the table of operators: it has the versions of ONNX's schemas up to operator set 21, and it states
// a reason for each operator that it leaves out.
#include "reference/Run/Interpreter.h"
#include "tests/unit/Reference/SingleOp.h"

#include <gtest/gtest.h>

namespace tilerig::reference {
namespace {

constexpr int oldest = 7, newest = 21;

struct Schema {
  std::string_view op;
  std::vector<int> versions; // all versions of the operator in ONNX's schemas
  // Versions from which on a node has another meaning, or takes its arguments from other inputs and
  // attributes. A version that only adds types, or attributes whose default is the old meaning, may share the
  // entry of its predecessors.
  std::vector<int> changes = {};
  int last = newest; // last operator set that has the operator
};

// Transcribed from ONNX's lists of schemas (onnx/defs/operator_sets.h), without the operators that are left
// out.
const std::vector<Schema> &schemas() {
  static const std::vector<Schema> all = {
      {"Abs", {1, 6, 13}},
      {"Acos", {7}},
      {"Acosh", {9}},
      {"Add", {1, 6, 7, 13, 14}},
      {"AffineGrid", {20}},
      {"And", {1, 7}},
      {"ArgMax", {1, 11, 12, 13}},
      {"ArgMin", {1, 11, 12, 13}},
      {"Asin", {7}},
      {"Asinh", {9}},
      {"Atan", {7}},
      {"Atanh", {9}},
      {"AveragePool", {1, 7, 10, 11, 19}},
      {"BatchNormalization", {1, 6, 7, 9, 14, 15}},
      {"BitShift", {11}},
      {"BitwiseAnd", {18}},
      {"BitwiseNot", {18}},
      {"BitwiseOr", {18}},
      {"BitwiseXor", {18}},
      {"BlackmanWindow", {17}},
      {"Cast", {1, 6, 9, 13, 19, 21}},
      {"CastLike", {15, 19, 21}},
      {"Ceil", {1, 6, 13}},
      {"Celu", {12}},
      {"CenterCropPad", {18}},
      {"Clip", {1, 6, 11, 12, 13}, {11}},
      {"Col2Im", {18}},
      {"Compress", {9, 11}},
      {"Concat", {1, 4, 11, 13}},
      {"ConcatFromSequence", {11}},
      {"Constant", {1, 9, 11, 12, 13, 19, 21}},
      {"ConstantOfShape", {9, 20, 21}},
      {"Conv", {1, 11}},
      {"ConvInteger", {10}},
      {"ConvTranspose", {1, 11}},
      {"Cos", {7}},
      {"Cosh", {9}},
      {"CumSum", {11, 14}},
      {"DFT", {17, 20}, {20}},
      {"DeformConv", {19}},
      {"DepthToSpace", {1, 11, 13}},
      {"DequantizeLinear", {10, 13, 19, 21}},
      {"Det", {11}},
      {"Div", {1, 6, 7, 13, 14}},
      {"Dropout", {1, 6, 7, 10, 12, 13}, {7, 12}},
      {"DynamicQuantizeLinear", {11}},
      {"Einsum", {12}},
      {"Elu", {1, 6}},
      {"Equal", {1, 7, 11, 13, 19}},
      {"Erf", {9, 13}},
      {"Exp", {1, 6, 13}},
      {"Expand", {8, 13}},
      {"EyeLike", {9}},
      {"Flatten", {1, 9, 11, 13, 21}},
      {"Floor", {1, 6, 13}},
      {"GRU", {1, 3, 7, 14}},
      {"Gather", {1, 11, 13}},
      {"GatherElements", {11, 13}},
      {"GatherND", {11, 12, 13}},
      {"Gelu", {20}},
      {"Gemm", {1, 6, 7, 9, 11, 13}, {11}},
      {"GlobalAveragePool", {1}},
      {"GlobalLpPool", {1, 2}},
      {"GlobalMaxPool", {1}},
      {"Greater", {1, 7, 9, 13}},
      {"GreaterOrEqual", {12, 16}},
      {"GridSample", {16, 20}},
      {"GroupNormalization", {18, 21}},
      {"HammingWindow", {17}},
      {"HannWindow", {17}},
      {"HardSigmoid", {1, 6}},
      {"HardSwish", {14}},
      {"Hardmax", {1, 11, 13}, {13}},
      {"Identity", {1, 13, 14, 16, 19, 21}},
      {"If", {1, 11, 13, 16, 19, 21}},
      {"InstanceNormalization", {1, 6}},
      {"IsInf", {10, 20}},
      {"IsNaN", {9, 13, 20}},
      {"LRN", {1, 13}},
      {"LSTM", {1, 7, 14}},
      {"LayerNormalization", {17}},
      {"LeakyRelu", {1, 6, 16}},
      {"Less", {1, 7, 9, 13}},
      {"LessOrEqual", {12, 16}},
      {"Log", {1, 6, 13}},
      {"LogSoftmax", {1, 11, 13}, {13}},
      {"Loop", {1, 11, 13, 16, 19, 21}},
      {"LpNormalization", {1}},
      {"LpPool", {1, 2, 11, 18}},
      {"MatMul", {1, 9, 13}},
      {"MatMulInteger", {10}},
      {"Max", {1, 6, 8, 12, 13}},
      {"MaxPool", {1, 8, 10, 11, 12}},
      {"MaxRoiPool", {1}},
      {"MaxUnpool", {9, 11}},
      {"Mean", {1, 6, 8, 13}},
      {"MeanVarianceNormalization", {9, 13}},
      {"MelWeightMatrix", {17}},
      {"Min", {1, 6, 8, 12, 13}},
      {"Mish", {18}},
      {"Mod", {10, 13}},
      {"Mul", {1, 6, 7, 13, 14}},
      {"Neg", {1, 6, 13}},
      {"NegativeLogLikelihoodLoss", {12, 13}},
      {"NonMaxSuppression", {10, 11}},
      {"NonZero", {9, 13}},
      {"Not", {1}},
      {"OneHot", {9, 11}},
      {"Or", {1, 7}},
      {"PRelu", {1, 6, 7, 9, 16}},
      {"Pad", {1, 2, 11, 13, 18, 19, 21}, {11, 18}},
      {"Pow", {1, 7, 12, 13, 15}},
      {"QLinearConv", {10}},
      {"QLinearMatMul", {10, 21}},
      {"QuantizeLinear", {10, 13, 19, 21}},
      {"RNN", {1, 7, 14}},
      {"Range", {11}},
      {"Reciprocal", {1, 6, 13}},
      {"ReduceL1", {1, 11, 13, 18}, {18}},
      {"ReduceL2", {1, 11, 13, 18}, {18}},
      {"ReduceLogSum", {1, 11, 13, 18}, {18}},
      {"ReduceLogSumExp", {1, 11, 13, 18}, {18}},
      {"ReduceMax", {1, 11, 12, 13, 18, 20}, {18}},
      {"ReduceMean", {1, 11, 13, 18}, {18}},
      {"ReduceMin", {1, 11, 12, 13, 18, 20}, {18}},
      {"ReduceProd", {1, 11, 13, 18}, {18}},
      {"ReduceSum", {1, 11, 13}, {13}},
      {"ReduceSumSquare", {1, 11, 13, 18}, {18}},
      {"Relu", {1, 6, 13, 14}},
      {"Reshape", {1, 5, 13, 14, 19, 21}, {5}},
      {"Resize", {10, 11, 13, 18, 19}, {11}},
      {"ReverseSequence", {10}},
      {"RoiAlign", {10, 16}},
      {"Round", {11}},
      {"STFT", {17}},
      {"Scan", {8, 9, 11, 16, 19, 21}, {9}},
      {"Scatter", {9}, {}, 10},
      {"ScatterElements", {11, 13, 16, 18}},
      {"ScatterND", {11, 13, 16, 18}},
      {"Selu", {1, 6}},
      {"SequenceAt", {11}},
      {"SequenceConstruct", {11}},
      {"SequenceEmpty", {11}},
      {"SequenceErase", {11}},
      {"SequenceInsert", {11}},
      {"SequenceLength", {11}},
      {"Shape", {1, 13, 15, 19, 21}},
      {"Shrink", {9}},
      {"Sigmoid", {1, 6, 13}},
      {"Sign", {9, 13}},
      {"Sin", {7}},
      {"Sinh", {9}},
      {"Size", {1, 13, 19, 21}},
      {"Slice", {1, 10, 11, 13}, {10}},
      {"Softmax", {1, 11, 13}, {13}},
      {"SoftmaxCrossEntropyLoss", {12, 13}},
      {"Softplus", {1}},
      {"Softsign", {1}},
      {"SpaceToDepth", {1, 13}},
      {"Split", {1, 2, 11, 13, 18}, {13, 18}},
      {"SplitToSequence", {11}},
      {"Sqrt", {1, 6, 13}},
      {"Squeeze", {1, 11, 13, 21}, {13}},
      {"Sub", {1, 6, 7, 13, 14}},
      {"Sum", {1, 6, 8, 13}},
      {"Tan", {7}},
      {"Tanh", {1, 6, 13}},
      {"TfIdfVectorizer", {9}},
      {"ThresholdedRelu", {10}},
      {"Tile", {1, 6, 13}},
      {"TopK", {1, 10, 11}, {10}},
      {"Transpose", {1, 13, 21}},
      {"Trilu", {14}},
      {"Unique", {11}},
      {"Unsqueeze", {1, 11, 13, 21}, {13}},
      {"Upsample", {1, 7, 9}, {9}, 9},
      {"Where", {9, 16}},
      {"Xor", {1, 7}},
  };
  return all;
}

TEST(OpTable, ServesEveryVersionOfEveryOperator) {
  for (const Schema &schema : schemas())
    for (int opset = std::max(oldest, schema.versions.front()); opset <= schema.last; ++opset) {
      SCOPED_TRACE(std::string(schema.op) + " of opset " + std::to_string(opset));
      const OpEntry *entry = findOp("", schema.op, opset);
      if (!entry) {
        ADD_FAILURE() << "is not known";
        break;
      }
      EXPECT_LE(entry->since, opset);
      for (int change : schema.changes) {
        EXPECT_FALSE(entry->since < change && change <= opset) << "is served by version " << entry->since;
      }
    }
}

TEST(OpTable, KnowsNoOperatorBeforeItWasThere) {
  for (const Schema &schema : schemas())
    for (int opset = oldest; opset < schema.versions.front(); ++opset)
      EXPECT_FALSE(findOp("", schema.op, opset)) << schema.op << " of opset " << opset;
}

// Every entry of the operator table begins with a version of the ONNX schema, except that of an operator that ONNX
// Runtime's optimiser writes in ONNX's domain.
TEST(OpTable, EntriesBeginWithAVersionOfTheSchema) {
  for (const OpEntry &entry : allOps()) {
    if (entry.since > newest || !entry.domain.empty() || entry.op == "SimplifiedLayerNormalization")
      continue;
    auto schema = std::find_if(schemas().begin(), schemas().end(),
                               [&](const Schema &known) { return known.op == entry.op; });
    ASSERT_NE(schema, schemas().end()) << entry.op;
    EXPECT_NE(std::find(schema->versions.begin(), schema->versions.end(), entry.since),
              schema->versions.end())
        << entry.op << " since " << entry.since;
  }
}

TEST(OpTable, LeavesOutWithAReason) {
  const char *leftOut[] = {"Bernoulli",          "ImageDecoder",       "Multinomial",    "Optional",
                           "OptionalGetElement", "OptionalHasElement", "RandomNormal",   "RandomNormalLike",
                           "RandomUniform",      "RandomUniformLike",  "RegexFullMatch", "SequenceMap",
                           "StringConcat",       "StringNormalizer",   "StringSplit"};
  for (const char *op : leftOut) {
    EXPECT_FALSE(findOp("", op, newest)) << op;
    EXPECT_FALSE(whyLeftOut("", op).empty()) << op;
  }
  EXPECT_FALSE(whyLeftOut("ai.onnx.preview.training", "Adam").empty());
  EXPECT_TRUE(whyLeftOut("", "Sine").empty());
  EXPECT_TRUE(whyLeftOut("example", "RandomNormal").empty());
}

std::string refusalOf(const std::string &op, int opset, size_t inputs = 0) {
  Model model{"model.onnx", {}};
  model.graph.values.resize(inputs + 1);
  Node node{"node", "", op, opset, {}, {static_cast<ValueId>(inputs)}, {}};
  for (size_t i = 0; i < inputs; ++i)
    node.inputs.push_back(static_cast<ValueId>(i));
  model.graph.inputs = node.inputs;
  model.graph.nodes = {node};
  Threads threads(1);
  auto interpreter = Interpreter::create(std::move(model), {}, threads);
  return interpreter ? "" : interpreter.error().message();
}

TEST(OpTable, RefusalsNameTheReason) {
  EXPECT_EQ(
      refusalOf("RandomNormal", 13),
      "model.onnx: node 'node' (RandomNormal): operator RandomNormal is not supported: its result is random, "
      "so there is nothing to compare with");
  EXPECT_EQ(refusalOf("Sine", 13), "model.onnx: node 'node' (Sine): operator Sine of opset 13 is not known");
}

// An input that does not exist in a version is refused instead of silently ignored.
TEST(OpTable, InputsThatAVersionDoesNotHaveAreRefused) {
  const struct {
    const char *op;
    int before;    // last version of the operator that lacks the input
    int since;     // first version of the operator that has the input
    size_t inputs; // number of the operator's inputs in version `since`
  } cases[] = {{"Squeeze", 12, 13, 2},   {"Unsqueeze", 12, 13, 2}, {"ReduceSum", 12, 13, 2},
               {"ReduceMax", 17, 18, 2}, {"Slice", 9, 10, 3},      {"Pad", 10, 11, 2},
               {"Pad", 17, 18, 4},       {"TopK", 9, 10, 2},       {"Split", 12, 13, 2},
               {"Dropout", 11, 12, 2},   {"Clip", 10, 11, 2},      {"DFT", 19, 20, 3},
               {"Reshape", 4, 5, 2}};
  for (const auto &[op, before, since, inputs] : cases) {
    SCOPED_TRACE(op);
    EXPECT_NE(refusalOf(op, before, inputs), "");
    EXPECT_EQ(refusalOf(op, since, inputs), "");
  }
}

TEST(Split, DividesEvenlyUntilVersionEighteen) {
  SingleOp node{"Split", {}, 13};
  node.outputs = 2;
  Tensor list = Tensor::of<float>({3}, {1, 2, 3});
  EXPECT_FALSE(node.run({list}));
  node.opset = 18;
  auto parts = node.run({list});
  ASSERT_TRUE(parts) << parts.error().message();
  EXPECT_TRUE(identical((*parts)[0], Tensor::of<float>({2}, {1, 2})));
  EXPECT_TRUE(identical((*parts)[1], Tensor::of<float>({1}, {3})));
}

TEST(Dropout, IsForInference) {
  Tensor list = Tensor::of<float>({2}, {1, 2});
  SingleOp node{"Dropout", {}, 6};
  EXPECT_FALSE(node.run({list})) << "version 6 trains unless told otherwise";
  node.attributes["is_test"] = int64_t{1};
  auto same = node.run({list});
  ASSERT_TRUE(same);
  EXPECT_TRUE(identical((*same)[0], list));
  node.opset = 12;
  EXPECT_FALSE(node.run({list, Tensor::scalar(0.5f), Tensor::scalar(true)}));
  EXPECT_FALSE(node.run({list, Tensor::scalar(0.5), Tensor::scalar(true)}));
  EXPECT_TRUE(node.run({list, Tensor::scalar(0.0f), Tensor::scalar(true)}));
  EXPECT_TRUE(node.run({list, Tensor::scalar(0.0), Tensor::scalar(true)}));
  EXPECT_TRUE(node.run({list, Tensor::scalar(0.5f), Tensor::scalar(false)}));
}

// The mask of Dropout has the input's type (with ones) before operator set 10, and is boolean since.
TEST(Dropout, MaskIsOfTheInputsTypeBeforeVersionTen) {
  const Tensor halves = Tensor::of<Float16>({2}, {{0x4000}, {0xb800}}),
               brainFloats = Tensor::of<BFloat16>({2}, {{0x4000}, {0xbf00}}),
               floats = Tensor::of<float>({2}, {2, -0.5f}), doubles = Tensor::of<double>({2}, {2, -0.5});
  const std::pair<Tensor, Tensor> masks[] = {{halves, Tensor::of<Float16>({2}, {{0x3c00}, {0x3c00}})},
                                             {brainFloats, Tensor::of<BFloat16>({2}, {{0x3f80}, {0x3f80}})},
                                             {floats, Tensor::of<float>({2}, {1, 1})},
                                             {doubles, Tensor::of<double>({2}, {1, 1})}};
  for (const int opset : {6, 7, 9, 10, 13})
    for (const auto &[input, ones] : masks) {
      SCOPED_TRACE(std::string(nameOf(input.dtype())) + " of opset " + std::to_string(opset));
      SingleOp node{"Dropout", {}, opset};
      if (opset < 7)
        node.attributes["is_test"] = int64_t{1};
      node.outputs = 2;
      auto results = node.run({input});
      ASSERT_TRUE(results) << results.error().message();
      EXPECT_TRUE(identical((*results)[0], input));
      EXPECT_TRUE(identical((*results)[1], opset < 10 ? ones : Tensor::of<bool>({2}, {true, true})));
    }
}

} // namespace
} // namespace tilerig::reference
