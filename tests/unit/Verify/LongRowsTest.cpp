// Tests of long rows (softmax, normalisations, sums): rounding errors grow with the length and must not be
// called wrong, but a single wrong term must still be found.
#include "tests/support/OnnxModel.h"
#include "tests/support/Random.h"
#include "tests/unit/Verify/CheckedNetwork.h"
#include "verify/Check/RoundedLayers.h"

#include <fmt/core.h>

namespace tilerig::verify::test {
namespace {

using tilerig::test::OnnxModel;

// A model of one operator over rows of a given length; x has the shape [2, 1, length].
struct RowCase {
  const char *name;
  void (*addNodes)(OnnxModel &model, int64_t length);
  int64_t longest = 100'000; // length of the longest row that fits in a tile's OCM
};

void reduction(OnnxModel &model, const char *op) {
  model.initialiser("axes", Tensor::of<int64_t>({1}, {2}));
  model.node(op, {"x", "axes"}, {"y"});
}
Tensor filled(Shape shape, float value) {
  Tensor tensor(DType::f32, std::move(shape));
  std::ranges::fill(tensor.mutableAs<float>(), value);
  return tensor;
}

const RowCase rowCases[] = {
    {"Softmax", [](OnnxModel &model, int64_t) { model.node("Softmax", {"x"}, {"y"}); }},
    {"LogSoftmax", [](OnnxModel &model, int64_t) { model.node("LogSoftmax", {"x"}, {"y"}); }},
    {"LayerNormalization",
     [](OnnxModel &model, int64_t length) {
       model.initialiser("gain", filled({length}, 1.5f));
       model.initialiser("shift", filled({length}, -0.25f));
       model.node("LayerNormalization", {"x", "gain", "shift"}, {"y"});
     },
     60'000},
    // The longest rows do not fit in a tile's OCM, so the framework runs the operator.
    {"LayerNormalizationWithStatistics",
     [](OnnxModel &model, int64_t length) {
       model.initialiser("gain", filled({length}, 1.5f));
       model.node("LayerNormalization", {"x", "gain"}, {"y", "mean", "inverse"});
       model.output("mean");
       model.output("inverse");
     },
     400'000},
    {"InstanceNormalization",
     [](OnnxModel &model, int64_t) {
       model.initialiser("gain", filled({1}, 1.5f));
       model.initialiser("shift", filled({1}, -0.25f));
       model.node("InstanceNormalization", {"x", "gain", "shift"}, {"y"});
     },
     80'000},
    {"ReduceSum", [](OnnxModel &model, int64_t) { reduction(model, "ReduceSum"); }},
    {"ReduceMean", [](OnnxModel &model, int64_t) { reduction(model, "ReduceMean"); }},
    {"ReduceL1", [](OnnxModel &model, int64_t) { reduction(model, "ReduceL1"); }},
    {"ReduceL2", [](OnnxModel &model, int64_t) { reduction(model, "ReduceL2"); }},
    {"ReduceSumSquare", [](OnnxModel &model, int64_t) { reduction(model, "ReduceSumSquare"); }},
    {"ReduceLogSumExp", [](OnnxModel &model, int64_t) { reduction(model, "ReduceLogSumExp"); }},
    {"GlobalAveragePool", [](OnnxModel &model, int64_t) { model.node("GlobalAveragePool", {"x"}, {"y"}); }},
    {"MatMul",
     [](OnnxModel &model, int64_t length) {
       Tensor weights(DType::f32, {length, 1});
       for (int64_t i = 0; i < length; ++i)
         weights.mutableAs<float>()[i] = static_cast<float>(i % 7 - 3) * 0.1f;
       model.initialiser("w", weights);
       model.node("MatMul", {"x", "w"}, {"y"});
     }},
};

struct RowInput {
  const char *name;
  float (*element)(tilerig::test::Random &random, int64_t i);
};
const RowInput rowInputs[] = {
    {"mixed", [](tilerig::test::Random &random,
                 int64_t) { return static_cast<float>(random.between(-3000, 3000)) / 1000; }},
    {"positive", [](tilerig::test::Random &random,
                    int64_t) { return static_cast<float>(random.between(10000, 20000)) / 10000; }},
    {"descending", [](tilerig::test::Random &, int64_t i) { return 1 / static_cast<float>(i + 1); }},
};

void addRows(OnnxModel &model, const RowCase &rows, int64_t length) {
  model.input("x", DType::f32, {2, 1, length});
  rows.addNodes(model, length);
  model.output("y");
}

Check checkOfRows(const OnnxModel &model, const RowInput &input, int64_t length, const char *precision) {
  tilerig::test::Random random(static_cast<uint64_t>(length));
  Tensor x(DType::f32, {2, 1, length});
  for (size_t i = 0; i < x.elementCount(); ++i)
    x.mutableAs<float>()[i] = input.element(random, static_cast<int64_t>(i) % length);
  TensorMap inputs;
  EXPECT_TRUE(inputs.add("x", x));
  CompileOptions options;
  options.precision = precision;
  options.machine = valueOf(loadMachine("tr64"));
  options.program.tiles = 4;
  return valueOf(Check::create(SourceModel::of("rows", model.bytes()), inputs, options, testThreads()));
}

class LongRows : public testing::TestWithParam<RowCase> {};

TEST_P(LongRows, AreNotCalledWrong) {
  for (const int64_t length : {int64_t{1}, int64_t{1000}, int64_t{6625}, GetParam().longest}) {
    OnnxModel model(18);
    addRows(model, GetParam(), length);
    for (const RowInput &input : rowInputs)
      for (const char *precision : {"fp32", "fp16", "bf16", "int8"}) {
        const Check check = checkOfRows(model, input, length, precision);
        const std::string place =
            fmt::format("{} of {} {} elements in {}", GetParam().name, length, input.name, precision);
        for (const EmittedLayer &layer : valueOf(check.judgeEmittedLayers()))
          EXPECT_EQ(layer.comparison.status, TensorStatus::match) << place << ": " << layer.comparison.reason;
        for (const RoundedLayer &layer : valueOf(check.judgeRoundedLayers()))
          EXPECT_EQ(layer.status, TensorStatus::match) << place << ": " << layer.reason;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, LongRows, testing::ValuesIn(rowCases),
                         [](const auto &info) { return info.param.name; });

// A softmax that omits one term of average size makes every result too large by that term's share; this must
// be found.
TEST(LongRowsOfSoftmax, WithAMissingTermAreFound) {
  for (const int64_t length : {10, 1000, 6625, 100'000}) {
    OnnxModel model(18);
    addRows(model, rowCases[0], length);
    const Check check = checkOfRows(model, rowInputs[1], length, "fp32");
    const Tensor *shares = check.expectation().oracle.find("y");
    ASSERT_NE(shares, nullptr);
    Tensor wrong = *shares;
    const float forgotten = wrong.as<float>()[static_cast<size_t>(length / 2)];
    for (int64_t i = 0; i < length; ++i)
      wrong.mutableAs<float>()[i] /= 1 - forgotten;
    Expectation expectation = check.expectation();
    TensorMap oracle;
    for (const auto &[name, tensor] : expectation.oracle)
      ASSERT_TRUE(oracle.add(name, name == "y" ? wrong : tensor));
    expectation.oracle = std::move(oracle);
    const auto layers = valueOf(judgeRounded(check.model(), "rows", expectation, testThreads()));
    ASSERT_EQ(layers.size(), 1u);
    EXPECT_EQ(layers[0].status, TensorStatus::mismatch) << length;
  }
}

} // namespace
} // namespace tilerig::verify::test
