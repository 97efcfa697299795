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

// The reference infers types and shapes itself; the types and shapes that the generator declares must agree.
TEST(RandomModelTest, RunsWithTheStatedShapes) {
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    const onnx::ModelProto model = randomModel(seed);
    const auto inputs = makeInputs(model, seed);
    ASSERT_TRUE(inputs);
    const auto values = run(model.SerializeAsString(), *inputs, true);
    ASSERT_TRUE(values) << seed << ": " << values.error().message();
    EXPECT_GT(model.graph().output_size(), 0) << seed;
    for (const auto *infos : {&model.graph().output(), &model.graph().value_info()})
      for (const onnx::ValueInfoProto &info : *infos) {
        const auto entry = values->find(info.name());
        ASSERT_NE(entry, values->end()) << seed << ": " << info.name();
        Shape shape;
        for (const auto &dimension : info.type().tensor_type().shape().dim())
          shape.push_back(dimension.dim_value());
        EXPECT_EQ(entry->second.shape(), shape) << seed << ": " << info.name();
        const DType type = *dtypeOfOnnx(info.type().tensor_type().elem_type());
        EXPECT_EQ(entry->second.dtype(), type == DType::f32 ? DType::f64 : type)
            << seed << ": " << info.name();
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

} // namespace

} // namespace tilerig::meaning
