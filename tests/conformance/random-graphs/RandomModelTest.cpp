// Tests of the generator of random models: its models are valid, their outputs finite, the same seed gives
// the same model, and every operator and operator-set version appears.
#include "tests/support/RandomModel/RandomModel.h"
#include "tests/conformance/random-graphs/Trial.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace tilerig::meaning {

namespace {

using test::randomModel;

TEST(RandomModelTest, SameSeedSameBytes) {
  EXPECT_EQ(randomModel(5).SerializeAsString(), randomModel(5).SerializeAsString());
  EXPECT_NE(randomModel(5).SerializeAsString(), randomModel(6).SerializeAsString());
}

TEST(RandomModelTest, HasTheRequestedNumberOfNodes) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const int nodes = randomModel(seed, {3, 10, 7, 21}).graph().node_size();
    EXPECT_GE(nodes, 3) << seed;
    EXPECT_LE(nodes, 10 + 40) << seed; // the last block of nodes may exceed the target of 10 nodes
  }
}

// The stated shape of a value; a size that depends on data takes that of the run.
Shape statedShape(const onnx::ValueInfoProto &info, const Shape &actual) {
  Shape shape;
  for (const auto &dimension : info.type().tensor_type().shape().dim())
    shape.push_back(dimension.has_dim_value() || shape.size() >= actual.size() ? dimension.dim_value()
                                                                               : actual[shape.size()]);
  return shape;
}

// The reference infers types and shapes itself; the types and shapes that the generator declares must agree.
void expectStatedShapes(const onnx::ModelProto &model, const Values &values, DType floats, uint64_t seed) {
  for (const auto *infos : {&model.graph().output(), &model.graph().value_info()})
    for (const onnx::ValueInfoProto &info : *infos) {
      const auto entry = values.find(info.name());
      ASSERT_NE(entry, values.end()) << seed << ": " << info.name();
      EXPECT_EQ(entry->second.shape(), statedShape(info, entry->second.shape()))
          << seed << ": " << info.name();
      const DType type = *dtypeOfOnnx(info.type().tensor_type().elem_type());
      EXPECT_EQ(entry->second.dtype(), type == DType::f32 ? floats : type) << seed << ": " << info.name();
    }
}

TEST(RandomModelTest, RunsWithTheStatedShapes) {
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    const onnx::ModelProto model = randomModel(seed);
    const auto inputs = makeInputs(model, seed);
    ASSERT_TRUE(inputs);
    const auto values = run(model.SerializeAsString(), *inputs, true);
    ASSERT_TRUE(values) << seed << ": " << values.error().message();
    EXPECT_GT(model.graph().output_size(), 0) << seed;
    expectStatedShapes(model, *values, DType::f64, seed);
  }
}

test::RandomModelOptions everything() {
  test::RandomModelOptions options;
  options.mostOpset = 24;
  options.mostNodes = 25;
  options.operators = test::RandomOperators::every;
  return options;
}

TEST(RandomModelTest, EveryOperatorRunsWithTheStatedShapes) {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    Trial trial{randomModel(seed, everything()), {}};
    const auto inputs = makeInputs(trial.model, seed);
    ASSERT_TRUE(inputs);
    trial.inputs = *inputs;
    const auto values = runAsWritten(trial);
    ASSERT_TRUE(values) << seed << ": " << values.error().message();
    expectStatedShapes(trial.model, *values, DType::f32, seed);
    for (const onnx::ValueInfoProto &output : trial.model.graph().output())
      if (const Tensor &tensor = values->at(output.name()); tensor.dtype() == DType::f32)
        for (float element : tensor.as<float>()) {
          ASSERT_LT(std::abs(element), 1e6) << seed << ": " << output.name();
        }
  }
}

TEST(RandomModelTest, OutputsAreFiniteAndNotHuge) {
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    const onnx::ModelProto model = randomModel(seed);
    const auto outputs = run(model.SerializeAsString(), *makeInputs(model, seed));
    ASSERT_TRUE(outputs);
    for (const auto &[name, tensor] : *outputs)
      if (tensor.dtype() == DType::f64) {
        for (double element : tensor.as<double>())
          ASSERT_LT(std::abs(element), 1e6) << seed << ": " << name;
      }
  }
}

TEST(RandomModelTest, EveryOperatorAndVersionAppears) {
  std::set<std::string> operators;
  std::set<int64_t> versions;
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    const onnx::ModelProto model = randomModel(seed);
    versions.insert(model.opset_import(0).version());
    for (const onnx::NodeProto &node : model.graph().node())
      operators.insert(node.op_type());
  }
  EXPECT_EQ(versions.size(), 15u); // all operator-set versions from 7 to 21 occur
  std::istringstream all("Abs Add And ArgMax ArgMin Asinh Atan AveragePool BatchNormalization Cast Ceil "
                         "Celu Clip Concat Constant ConstantOfShape Conv ConvTranspose Cos Cosh "
                         "DepthToSpace Div Dropout Elu Equal Erf Exp Expand Flatten Floor Gather Gelu "
                         "Gemm GlobalAveragePool GlobalLpPool GlobalMaxPool Greater GreaterOrEqual "
                         "HardSigmoid HardSwish Hardmax Identity InstanceNormalization LRN "
                         "LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax LpPool MatMul Max "
                         "MaxPool Min Mish Mul Neg Not Or PRelu Pad Pow Reciprocal ReduceL1 ReduceL2 "
                         "ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd "
                         "ReduceSum ReduceSumSquare Relu Reshape Round Selu Shape Shrink Sigmoid Sign "
                         "Sin Sinh Slice Softmax Softplus Softsign SpaceToDepth Split Sqrt Squeeze Sub "
                         "Sum Tan Tanh ThresholdedRelu Tile Transpose Unsqueeze Where Xor");
  for (std::string wanted; all >> wanted;)
    EXPECT_TRUE(operators.contains(wanted)) << wanted;
}

void addOperators(const onnx::GraphProto &graph, std::set<std::string> &operators) {
  for (const onnx::NodeProto &node : graph.node()) {
    operators.insert(node.domain().empty() ? node.op_type() : "Runtime." + node.op_type());
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g())
        addOperators(attribute.g(), operators);
  }
}

TEST(RandomModelTest, EveryNewOperatorAppears) {
  std::set<std::string> operators;
  std::set<int64_t> versions;
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    const onnx::ModelProto model = randomModel(seed, everything());
    versions.insert(model.opset_import(0).version());
    addOperators(model.graph(), operators);
  }
  EXPECT_EQ(versions.size(), 18u); // all operator-set versions from 7 to 24 occur
  std::istringstream all(
      "Acos Acosh AffineGrid Asin Atanh Attention BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor BlackmanWindow "
      "CastLike CenterCropPad Col2Im Compress ConvInteger CumSum DFT DeformConv DequantizeLinear Det "
      "DynamicQuantizeLinear Einsum EyeLike GRU GatherElements GatherND GridSample GroupNormalization HammingWindow "
      "HannWindow If IsInf IsNaN LSTM Loop LpNormalization MatMulInteger MaxRoiPool MaxUnpool Mean "
      "MeanVarianceNormalization Mod NegativeLogLikelihoodLoss NonMaxSuppression NonZero OneHot QLinearConv "
      "QLinearMatMul QuantizeLinear RMSNormalization RNN Range Resize ReverseSequence RoiAlign RotaryEmbedding Scan "
      "Scatter ScatterElements ScatterND SimplifiedLayerNormalization Size SoftmaxCrossEntropyLoss Swish TensorScatter "
      "TopK Trilu Upsample Runtime.Attention Runtime.BiasGelu Runtime.DynamicQuantizeMatMul "
      "Runtime.EmbedLayerNormalization Runtime.FastGelu Runtime.FusedConv Runtime.FusedMatMul Runtime.Gelu "
      "Runtime.GroupQueryAttention Runtime.MatMulIntegerToFloat Runtime.MatMulNBits Runtime.MultiHeadAttention "
      "Runtime.QGemm Runtime.QLinearAdd Runtime.QLinearAveragePool Runtime.QLinearConcat "
      "Runtime.QLinearGlobalAveragePool Runtime.QLinearLeakyRelu Runtime.QLinearMul Runtime.QLinearSigmoid "
      "Runtime.QuickGelu Runtime.RotaryEmbedding Runtime.SkipLayerNormalization "
      "Runtime.SkipSimplifiedLayerNormalization");
  for (std::string wanted; all >> wanted;)
    EXPECT_TRUE(operators.contains(wanted)) << wanted;
}

} // namespace

} // namespace tilerig::meaning
