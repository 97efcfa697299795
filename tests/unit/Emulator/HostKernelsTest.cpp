// Tests of the host operators: ONNX's own test cases, and values worked out by hand where ONNX has none.
#include "emulator/Beats/BeatsSession.h"
#include "emulator/Host/Kernels.h"
#include "emulator/Host/Time.h"
#include "emulator/Observe/TimedRun.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Assembly/Parser.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/TensorFiles.h"
#include "isa/Program/HostSignature.h"
#include "isa/Timing/Host.h"
#include "tests/support/Folders.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tilerig {
using namespace emulator;
namespace {

proto::HostWork workOf(const std::string &kernel,
                       const std::vector<std::pair<std::string, int64_t>> &integers = {}) {
  proto::HostWork work;
  work.set_kernel(kernel);
  for (const auto &[name, value] : integers)
    (*work.mutable_attributes())[name].add_ints(value);
  return work;
}

proto::HostWork withText(proto::HostWork work, const std::string &attribute, const std::string &text) {
  (*work.mutable_attributes())[attribute].set_text(text);
  return work;
}

proto::HostWork withList(proto::HostWork work, const std::string &attribute,
                         const std::vector<int64_t> &values) {
  for (const int64_t value : values)
    (*work.mutable_attributes())[attribute].add_ints(value);
  return work;
}

Result<HostResult> runWhole(const proto::HostWork &work, const std::vector<const Tensor *> &inputs) {
  const HostKernel *kernel = findHostKernel(work.kernel());
  if (!kernel)
    return internalError(work.kernel(), "is not in the table of host kernels");
  return kernel->run(HostCall{work, inputs});
}

Result<std::vector<Tensor>> runKernel(const proto::HostWork &work,
                                      const std::vector<const Tensor *> &inputs) {
  TILERIG_TRY(HostResult result, runWhole(work, inputs));
  return std::move(result.outputs);
}

// A test case of ONNX: its name, the operator with its attributes, and the indices of the operator's outputs
// for which the case has expected values.
struct NodeTest {
  std::string name;
  proto::HostWork work;
  std::vector<size_t> outputs = {0};
  // The error of the expected values. Some cases state inputs and outputs rounded to four decimals.
  float tolerance = 1e-6f;
};
constexpr float fourDecimals = 1e-4f;

Tensor readOne(const std::string &path) {
  auto tensors = readTensors(path);
  EXPECT_TRUE(tensors) << tensors.error().message();
  return tensors ? tensors->begin()->tensor : Tensor();
}

void expectNear(const Tensor &got, const Tensor &expected, float tolerance = 1e-6f) {
  ASSERT_EQ(got.dtype(), expected.dtype());
  ASSERT_EQ(got.shape(), expected.shape());
  if (got.dtype() != DType::f32) {
    EXPECT_TRUE(identical(got, expected));
    return;
  }
  for (size_t i = 0; i < got.elementCount(); ++i)
    EXPECT_NEAR(got.as<float>()[i], expected.as<float>()[i],
                tolerance + 1e-5f * std::abs(expected.as<float>()[i]));
}

class OnnxCases : public testing::TestWithParam<NodeTest> {};

TEST_P(OnnxCases, GiveWhatOnnxExpects) {
  const std::string folder =
      "/usr/share/libonnx-testdata/data/node/test_" + GetParam().name + "/test_data_set_0/";
  std::vector<Tensor> inputs;
  for (size_t i = 0; readText(folder + "input_" + std::to_string(i) + ".pb"); ++i)
    inputs.push_back(readOne(folder + "input_" + std::to_string(i) + ".pb"));
  ASSERT_FALSE(inputs.empty()) << folder;
  std::vector<const Tensor *> operands;
  for (const Tensor &input : inputs)
    operands.push_back(&input);
  auto result = runWhole(GetParam().work, operands);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->operations.has_value(), findHostOperator(GetParam().work.kernel())->dependsOnValues);
  for (size_t i = 0; i < GetParam().outputs.size(); ++i)
    expectNear(result->outputs.at(GetParam().outputs[i]),
               readOne(folder + "output_" + std::to_string(i) + ".pb"), GetParam().tolerance);
}

const std::vector<NodeTest> cases = {
    {"lstm_defaults", workOf("LSTM", {{"hidden_size", 3}}), {1}},
    {"lstm_with_initial_bias", workOf("LSTM", {{"hidden_size", 4}}), {1}},
    {"lstm_with_peepholes", workOf("LSTM", {{"hidden_size", 3}}), {1}},
    {"lstm_batchwise", workOf("LSTM", {{"hidden_size", 7}, {"layout", 1}}), {0, 1}},
    {"gru_defaults", workOf("GRU", {{"hidden_size", 5}}), {1}},
    {"gru_with_initial_bias", workOf("GRU", {{"hidden_size", 3}}), {1}},
    {"gru_seq_length", workOf("GRU", {{"hidden_size", 5}}), {1}},
    {"gru_batchwise", workOf("GRU", {{"hidden_size", 6}, {"layout", 1}}), {0, 1}},
    {"simple_rnn_defaults", workOf("RNN", {{"hidden_size", 4}}), {1}},
    {"simple_rnn_with_initial_bias", workOf("RNN", {{"hidden_size", 5}}), {1}},
    {"rnn_seq_length", workOf("RNN", {{"hidden_size", 5}}), {1}},
    {"simple_rnn_batchwise", workOf("RNN", {{"hidden_size", 4}, {"layout", 1}}), {0, 1}},
    {"gather_elements_0", workOf("GatherElements", {{"axis", 1}})},
    {"gather_elements_1", workOf("GatherElements", {{"axis", 0}})},
    {"gather_elements_negative_indices", workOf("GatherElements", {{"axis", 0}})},
    {"gathernd_example_float32", workOf("GatherND")},
    {"gathernd_example_int32", workOf("GatherND")},
    {"gathernd_example_int32_batch_dim1", workOf("GatherND", {{"batch_dims", 1}})},
    {"scatter_elements_with_axis", workOf("ScatterElements", {{"axis", 1}})},
    {"scatter_elements_with_duplicate_indices",
     withText(workOf("ScatterElements", {{"axis", 1}}), "reduction", "add")},
    {"scatter_elements_with_negative_indices", workOf("ScatterElements", {{"axis", 1}})},
    {"scatter_elements_without_axis", workOf("ScatterElements")},
    {"scatternd", workOf("ScatterND")},
    {"scatternd_add", withText(workOf("ScatterND"), "reduction", "add")},
    {"scatternd_multiply", withText(workOf("ScatterND"), "reduction", "mul")},
    {"gridsample", workOf("GridSample")},
    {"gridsample_aligncorners_true", workOf("GridSample", {{"align_corners", 1}})},
    {"gridsample_bicubic", withText(workOf("GridSample"), "mode", "cubic"), {0}, fourDecimals},
    {"gridsample_border_padding", withText(workOf("GridSample"), "padding_mode", "border")},
    {"gridsample_nearest", withText(workOf("GridSample"), "mode", "nearest")},
    {"gridsample_reflection_padding", withText(workOf("GridSample"), "padding_mode", "reflection")},
    {"roialign_aligned_false",
     withText(workOf("RoiAlign", {{"output_height", 5}, {"output_width", 5}, {"sampling_ratio", 2}}),
              "coordinate_transformation_mode", "output_half_pixel"),
     {0},
     fourDecimals},
    {"roialign_aligned_true",
     workOf("RoiAlign", {{"output_height", 5}, {"output_width", 5}, {"sampling_ratio", 2}}),
     {0},
     fourDecimals},
    {"reversesequence_batch", workOf("ReverseSequence", {{"time_axis", 1}, {"batch_axis", 0}})},
    {"reversesequence_time", workOf("ReverseSequence", {{"time_axis", 0}, {"batch_axis", 1}})},
    {"nonzero_example", workOf("NonZero")},
    {"nonmaxsuppression_center_point_box_format", workOf("NonMaxSuppression", {{"center_point_box", 1}})},
    {"nonmaxsuppression_flipped_coordinates", workOf("NonMaxSuppression")},
    {"nonmaxsuppression_identical_boxes", workOf("NonMaxSuppression")},
    {"nonmaxsuppression_limit_output_size", workOf("NonMaxSuppression")},
    {"nonmaxsuppression_single_box", workOf("NonMaxSuppression")},
    {"nonmaxsuppression_suppress_by_IOU", workOf("NonMaxSuppression")},
    {"nonmaxsuppression_suppress_by_IOU_and_scores", workOf("NonMaxSuppression")},
    {"nonmaxsuppression_two_batches", workOf("NonMaxSuppression")},
    {"nonmaxsuppression_two_classes", workOf("NonMaxSuppression")},
};
INSTANTIATE_TEST_SUITE_P(All, OnnxCases, testing::ValuesIn(cases),
                         [](const auto &info) { return info.param.name; });

// An LSTM whose weights are 0, so its gates depend on the bias alone: sigmoid(0) = 1/2, and tanh of a large
// number is 1. So the next cell state is C / 2 + 1/2, where C is the cell state before, and the output is
// H = tanh(C) / 2.
TEST(Lstm, GoesBackwardsAndStopsWhereTheSequenceEnds) {
  const Tensor x(DType::f32, {3, 2, 1}), w(DType::f32, {1, 4, 1}), r(DType::f32, {1, 4, 1});
  const Tensor bias = Tensor::of<float>({1, 8}, {0, 0, 0, 40, 0, 0, 0, 0});
  const Tensor lengths = Tensor::of<int32_t>({2}, {3, 1});
  proto::HostWork work = workOf("LSTM");
  (*work.mutable_attributes())["direction"].set_text("reverse");
  auto outputs = runKernel(work, {&x, &w, &r, &bias, &lengths});
  ASSERT_TRUE(outputs) << outputs.error().message();
  const auto half = [](float c) { return std::tanh(c) / 2; };
  expectNear(outputs->at(0),
             Tensor::of<float>({3, 1, 2, 1}, {half(0.875f), half(0.5f), half(0.75f), 0, half(0.5f), 0}));
  expectNear(outputs->at(1), Tensor::of<float>({1, 2, 1}, {half(0.875f), half(0.5f)}));
  expectNear(outputs->at(2), Tensor::of<float>({1, 2, 1}, {0.875f, 0.5f}));
}

// A GRU with one hidden element H. All weights are 0 except the recurrent one of gate n, which is 1; the
// biases make the gates z = r = 1/2 and add 1 to the recurrent term of n. So n is tanh(H / 2 + 1), or
// tanh((H + 1) / 2) if the product comes before the reset.
TEST(Gru, MultipliesBeforeTheResetOnRequest) {
  const Tensor x(DType::f32, {1, 1, 1}), w(DType::f32, {1, 3, 1});
  const Tensor r = Tensor::of<float>({1, 3, 1}, {0, 0, 1}),
               bias = Tensor::of<float>({1, 6}, {0, 0, 0, 0, 0, 1});
  const Tensor start = Tensor::of<float>({1, 1, 1}, {3});
  for (int64_t linearFirst : {0, 1}) {
    auto outputs = runKernel(workOf("GRU", {{"linear_before_reset", linearFirst}}),
                             {&x, &w, &r, &bias, nullptr, &start});
    ASSERT_TRUE(outputs) << outputs.error().message();
    const float fresh = std::tanh(linearFirst ? (3.0f + 1) / 2 : 3.0f / 2 + 1);
    expectNear(outputs->at(1), Tensor::of<float>({1, 1, 1}, {fresh / 2 + 1.5f}));
  }
}

TEST(Scatter, KeepsTheGreatestAndTheLeast) {
  const Tensor x = Tensor::of<float>({3}, {1, 5, NAN}), at = Tensor::of<int64_t>({3}, {0, 1, 2}),
               updates = Tensor::of<float>({3}, {2, 2, 2});
  const auto run = [&](const char *reduction) {
    auto outputs =
        runKernel(withText(workOf("ScatterElements"), "reduction", reduction), {&x, &at, &updates});
    EXPECT_TRUE(outputs) << outputs.error().message();
    return outputs ? outputs->at(0) : Tensor(DType::f32, {3});
  };
  const Tensor greatest = run("max"), least = run("min");
  EXPECT_EQ(greatest.as<float>()[0], 2);
  EXPECT_EQ(greatest.as<float>()[1], 5);
  EXPECT_TRUE(std::isnan(greatest.as<float>()[2]));
  EXPECT_EQ(least.as<float>()[0], 1);
  EXPECT_EQ(least.as<float>()[1], 2);
  EXPECT_TRUE(std::isnan(least.as<float>()[2]));
}

TEST(Scatter, IntegersWrapAround) {
  const Tensor x = Tensor::of<int32_t>({2}, {INT32_MAX, INT32_MIN}), at = Tensor::of<int64_t>({2}, {0, 1}),
               updates = Tensor::of<int32_t>({2}, {1, -1});
  const auto sums = runKernel(withText(workOf("ScatterElements"), "reduction", "add"), {&x, &at, &updates});
  ASSERT_TRUE(sums) << sums.error().message();
  EXPECT_TRUE(identical(sums->at(0), Tensor::of<int32_t>({2}, {INT32_MIN, INT32_MAX})));
  const auto products = runKernel(withText(workOf("ScatterElements"), "reduction", "mul"), {&x, &at, &x});
  ASSERT_TRUE(products) << products.error().message();
  EXPECT_TRUE(identical(products->at(0), Tensor::of<int32_t>({2}, {1, 0})));
}

TEST(Places, AreRefusedOutside) {
  const Tensor x(DType::f32, {2, 3}), far = Tensor::of<int64_t>({2, 1}, {0, 3}), floats(DType::f32, {2, 1}),
                                      updates(DType::f32, {2, 1}), wide(DType::f32, {2, 2});
  EXPECT_FALSE(runKernel(workOf("GatherElements", {{"axis", 1}}), {&x, &far}));
  EXPECT_FALSE(runKernel(workOf("GatherElements", {{"axis", 2}}), {&x, &far}));
  EXPECT_FALSE(runKernel(workOf("GatherElements", {{"axis", 1}}), {&x, &floats}));
  EXPECT_FALSE(runKernel(workOf("GatherND"), {&x, &far}));
  EXPECT_FALSE(runKernel(workOf("ScatterElements", {{"axis", 1}}), {&x, &far, &updates}));
  EXPECT_FALSE(runKernel(workOf("ScatterND"), {&x, &far, &wide}));
  const Tensor long4 = Tensor::of<int64_t>({2}, {1, 4});
  EXPECT_FALSE(runKernel(workOf("ReverseSequence", {{"time_axis", 1}, {"batch_axis", 0}}), {&x, &long4}));
  const Tensor flags(DType::boolean, {3}), at = Tensor::of<int64_t>({3}, {0, 1, 2});
  EXPECT_FALSE(runKernel(withText(workOf("ScatterElements"), "reduction", "add"), {&flags, &at, &flags}));
}

// A row of three elements at places -1.5, -0.5, 0, 0.5 and 2.5 of its axis, where place 0 is the first element.
TEST(GridSample, PadsARow) {
  const Tensor x = Tensor::of<float>({1, 1, 3}, {1, 2, 4});
  const Tensor grid = Tensor::of<float>({1, 5, 1}, {-5.0f / 3, -1, -2.0f / 3, -1.0f / 3, 1});
  const auto rowOf = [&](const char *mode, const char *padding) {
    auto outputs = runKernel(withText(withText(workOf("GridSample"), "mode", mode), "padding_mode", padding),
                             {&x, &grid});
    EXPECT_TRUE(outputs) << outputs.error().message();
    return outputs ? outputs->at(0) : Tensor(DType::f32, {1, 1, 5});
  };
  expectNear(rowOf("linear", "zeros"), Tensor::of<float>({1, 1, 5}, {0, 0.5f, 1, 1.5f, 2}));
  expectNear(rowOf("linear", "border"), Tensor::of<float>({1, 1, 5}, {1, 1, 1, 1.5f, 4}));
  // Place -1.5 is reflected at -0.5, the edge of the first element, to 0.5.
  expectNear(rowOf("linear", "reflection"), Tensor::of<float>({1, 1, 5}, {1.5f, 1, 1, 1.5f, 4}));
}

TEST(GridSample, RefusesWhatItDoesNotKnow) {
  const Tensor x(DType::f32, {1, 1, 3, 3}), grid(DType::f32, {1, 2, 2, 2}), three(DType::f32, {1, 2, 2, 3}),
      empty(DType::f32, {1, 1, 0, 3}), doubles(DType::f64, {1, 1, 3, 3});
  EXPECT_TRUE(runKernel(workOf("GridSample"), {&x, &grid}));
  EXPECT_FALSE(runKernel(workOf("GridSample"), {&x, &three}));
  EXPECT_FALSE(runKernel(workOf("GridSample"), {&empty, &grid}));
  EXPECT_FALSE(runKernel(workOf("GridSample"), {&doubles, &grid}));
  EXPECT_FALSE(runKernel(withText(workOf("GridSample"), "mode", "sharp"), {&x, &grid}));
  EXPECT_FALSE(runKernel(withText(workOf("GridSample"), "padding_mode", "wrap"), {&x, &grid}));
}

// One bin over an image with rows 0 1 and 2 3: four samples at a quarter of the way from each corner. Interpolated
// between the four elements they are 0.75, 1.25, 1.75 and 2.25 with their mean 1.5; of the weighted elements the
// greatest is 9/16 of the last.
TEST(RoiAlign, TakesTheMeanOrTheMaximum) {
  const Tensor x = Tensor::of<float>({1, 1, 2, 2}, {0, 1, 2, 3}), at = Tensor::of<int64_t>({1}, {0});
  const Tensor region = Tensor::of<float>({1, 4}, {0.5f, 0.5f, 1.5f, 1.5f});
  const proto::HostWork work = workOf("RoiAlign", {{"sampling_ratio", 2}});
  const auto mean = runWhole(work, {&x, &region, &at});
  ASSERT_TRUE(mean) << mean.error().message();
  expectNear(mean->outputs[0], Tensor::of<float>({1, 1, 1, 1}, {1.5f}));
  EXPECT_EQ(mean->operations, operationsOfSamples(4));
  const auto greatest = runKernel(withText(work, "mode", "max"), {&x, &region, &at});
  ASSERT_TRUE(greatest) << greatest.error().message();
  expectNear(greatest->at(0), Tensor::of<float>({1, 1, 1, 1}, {3 * 9.0f / 16}));
}

TEST(RoiAlign, RefusesWhatDoesNotFit) {
  const Tensor x(DType::f32, {1, 1, 2, 2}), region(DType::f32, {1, 4}),
      at = Tensor::of<int64_t>({1}, {0}), far = Tensor::of<int64_t>({1}, {1}),
      two = Tensor::of<int64_t>({2}, {0, 0}), endless = Tensor::of<float>({1, 4}, {0, 0, INFINITY, 1}),
      huge = Tensor::of<float>({1, 4}, {0, 0, 1e6f, 1});
  EXPECT_TRUE(runKernel(workOf("RoiAlign"), {&x, &region, &at}));
  EXPECT_FALSE(runKernel(workOf("RoiAlign"), {&x, &region, &far}));
  EXPECT_FALSE(runKernel(workOf("RoiAlign"), {&x, &region, &two}));
  EXPECT_FALSE(runKernel(workOf("RoiAlign"), {&x, &endless, &at}));
  EXPECT_FALSE(runKernel(workOf("RoiAlign"), {&x, &huge, &at}));
  EXPECT_FALSE(runKernel(workOf("RoiAlign", {{"output_height", 0}}), {&x, &region, &at}));
  EXPECT_FALSE(runKernel(withText(workOf("RoiAlign"), "mode", "min"), {&x, &region, &at}));
}

// The region from the second to the last element of a row of four, in two bins: elements 1 and 2, and 2 and 3,
// because bins overlap where they do not divide the region. A region outside the image has bins without elements.
TEST(MaxRoiPool, TakesTheMaximumOfEachBin) {
  const Tensor x = Tensor::of<float>({1, 1, 1, 4}, {9, -1, -3, -2});
  const Tensor regions = Tensor::of<float>({2, 5}, {0, 1, 0, 3, 0, 0, 7, 0, 9, 0});
  const auto pooled = runWhole(withList(workOf("MaxRoiPool"), "pooled_shape", {1, 2}), {&x, &regions});
  ASSERT_TRUE(pooled) << pooled.error().message();
  EXPECT_TRUE(identical(pooled->outputs[0], Tensor::of<float>({2, 1, 1, 2}, {-1, -2, 0, 0})));
  EXPECT_EQ(pooled->operations, 4u);
  const Tensor other = Tensor::of<float>({1, 5}, {1, 0, 0, 1, 0}),
               nan = Tensor::of<float>({1, 5}, {0, NAN, 0, 1, 0});
  EXPECT_FALSE(runKernel(withList(workOf("MaxRoiPool"), "pooled_shape", {1, 2}), {&x, &other}));
  EXPECT_FALSE(runKernel(withList(workOf("MaxRoiPool"), "pooled_shape", {1, 2}), {&x, &nan}));
  EXPECT_FALSE(runKernel(withList(workOf("MaxRoiPool"), "pooled_shape", {0, 2}), {&x, &regions}));
}

TEST(HostKernels, RefuseOperandsThatDoNotFit) {
  const Tensor x(DType::f32, {3, 2, 1}), w(DType::f32, {1, 4, 2}), r(DType::f32, {1, 4, 1});
  auto refused = runKernel(workOf("LSTM"), {&x, &w, &r});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("[1, 4, 2]"), std::string::npos) << refused.error().message();
  EXPECT_FALSE(runKernel(workOf("LSTM"), {&x, nullptr, &r}));
  EXPECT_FALSE(runKernel(workOf("LSTM", {{"input_forget", 1}}), {&x, &r, &r}));
  const Tensor boxes(DType::f32, {1, 2, 4}), scores(DType::f32, {1, 1, 3});
  EXPECT_FALSE(runKernel(workOf("NonMaxSuppression"), {&boxes, &scores}));
  const Tensor two(DType::f32, {1, 1, 2}), limits = Tensor::of<int64_t>({2}, {1, 2});
  const auto several = runKernel(workOf("NonMaxSuppression"), {&boxes, &two, &limits});
  ASSERT_FALSE(several);
  EXPECT_NE(several.error().message().find("must be a single number, but has 2 elements"), std::string::npos)
      << several.error().message();
  EXPECT_FALSE(findHostKernel("Nothing"));
}

TEST(HostKernels, WithOpenEndsArePaddedToTheReservedShape) {
  const Tensor indices = Tensor::of<int64_t>({1, 3}, {0, 1, 2});
  auto fitted = fitInto({2, 3}, indices, "here");
  ASSERT_TRUE(fitted);
  EXPECT_TRUE(identical(*fitted, Tensor::of<int64_t>({2, 3}, {0, 1, 2, -1, -1, -1})));
  EXPECT_FALSE(fitInto({0, 3}, indices, "here"));
}

// The kernels, their signatures and the list of operators that the compiler may leave to the host agree.
TEST(HostKernels, AreTheOperatorsOfTheHost) {
  ASSERT_EQ(hostKernels().size(), hostOperators().size());
  ASSERT_EQ(hostKernels().size(), hostSignatures().size());
  for (size_t i = 0; i < hostKernels().size(); ++i) {
    EXPECT_EQ(hostKernels()[i].name, hostOperators()[i].name);
    EXPECT_EQ(hostKernels()[i].name, hostSignatures()[i].name);
  }
}

// A box whose score is NaN is never selected, with or without a threshold, as in the reference.
TEST(NonMaxSuppression, SelectsNoBoxWhoseScoreIsNotANumber) {
  const Tensor boxes = Tensor::of<float>({1, 4, 4}, {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7}),
               scores = Tensor::of<float>({1, 1, 4}, {0.5f, NAN, 0.75f, NAN});
  const auto outputs =
      runKernel(workOf("NonMaxSuppression", {{"max_output_boxes_per_class", 4}}), {&boxes, &scores});
  ASSERT_TRUE(outputs) << outputs.error().message();
  EXPECT_TRUE(identical(outputs->at(0), Tensor::of<int64_t>({2, 3}, {0, 0, 2, 0, 0, 0})));
}

// NonMaxSuppression with four scores, three of which are above the threshold: sorting them takes 3 * (1 + 2)
// operations, since the number 3 has 2 bits. Box 0 is selected; box 1 is identical, which one comparison
// shows; box 2 is compared with box 0 alone.
TEST(HostOperations, CountTheBoxesThatWereCompared) {
  proto::HostWork work = workOf("NonMaxSuppression", {{"max_output_boxes_per_class", 4}});
  (*work.mutable_attributes())["iou_threshold"].add_floats(0.5f);
  (*work.mutable_attributes())["score_threshold"].add_floats(0.25f);
  const Tensor boxes = Tensor::of<float>({1, 4, 4}, {0, 0, 1, 1, 0, 0, 1, 1, 4, 4, 5, 5, 6, 6, 7, 7}),
               scores = Tensor::of<float>({1, 1, 4}, {0.9f, 0.8f, 0.7f, 0.1f});
  const auto result = runWhole(work, {&boxes, &scores});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->operations, 4 + 3 * (1 + 2) + 8 * 2);
  // If NonMaxSuppression may select only one box, it compares no boxes.
  (*work.mutable_attributes())["max_output_boxes_per_class"].set_ints(0, 1);
  EXPECT_EQ(runWhole(work, {&boxes, &scores})->operations, 4 + 3 * (1 + 2));
}

// An LSTM over sequences of 3 and 1 steps, not 3 and 3: it counts 4 steps, each with 4 input weights and 4
// recurrent weights.
TEST(HostOperations, CountTheStepsOfEachSequence) {
  const Tensor x(DType::f32, {3, 2, 1}), w(DType::f32, {1, 4, 1}), r(DType::f32, {1, 4, 1});
  const Tensor lengths = Tensor::of<int32_t>({2}, {3, 1});
  EXPECT_EQ(runWhole(workOf("LSTM"), {&x, &w, &r, nullptr, &lengths})->operations, 4 * 8);
  EXPECT_EQ(runWhole(workOf("LSTM"), {&x, &w, &r})->operations, 6 * 8);
}

TEST(HostOperations, CountTheElementsThatAreNotZero) {
  const Tensor x = Tensor::of<float>({2, 2}, {0, 1, 0, 0});
  EXPECT_EQ(runWhole(workOf("NonZero"), {&x})->operations, 2 * 4 + 1 * 2);
}

uint64_t typicalOperations(const std::string &kernel, const std::vector<Shape> &inputs,
                           const std::vector<Shape> &outputs, HostWorkload::Numbers numbers) {
  return findHostOperator(kernel)->operations({inputs, outputs, std::move(numbers)});
}

// TopK scans the rows along the axis, each with a heap of k elements.
TEST(HostOperations, OfTopKDependOnItsAxisAndK) {
  const auto of = [](double axis, double k, const Shape &output) {
    return typicalOperations("TopK", {{8, 100}}, {output, output}, {{"axis", axis}, {"k", k}});
  };
  EXPECT_EQ(of(1, 1, {8, 1}), 800u * (1 + 1));
  EXPECT_EQ(of(-1, 64, {8, 64}), 800u * (1 + 7));
  // The cost estimate accepts operands that the kernel refuses: a k of NaN or below 0 counts as 0, and an
  // axis of NaN counts as an axis that does not exist.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(of(1, nan, {8, 1}), 800u);
  EXPECT_EQ(of(1, -1, {8, 1}), 800u);
  EXPECT_EQ(of(nan, 1, {8, 1}), 800u);
  EXPECT_EQ(of(0, 8, {8, 100}), 800u * (1 + 4));
  EXPECT_EQ(of(2, 8, {8, 100}), 800u); // axis 2 does not exist; TopK itself refuses it later
}

// NonMaxSuppression in the detector SSD on ResNet-50: 15130 boxes and 80 classes. With a threshold, the
// estimate takes 15130 / 80 = 190 boxes as candidates for each class, and compares candidate i with i / 2
// others. Comparing every box with every other would give 48.8 thousand million operations.
TEST(HostOperations, OfSuppressionAreThoseOfATypicalDetector) {
  const std::vector<Shape> inputs = {{1, 15130, 4}, {1, 80, 15130}}, outputs = {{16000, 3}};
  EXPECT_EQ(typicalOperations("NonMaxSuppression", inputs, outputs,
                              {{"max_output_boxes_per_class", 200}, {"score_threshold", 0.05}}),
            80u * (15130 + 190 * (1 + 8) + 8 * (190 * 190 / 4)));
  // If NonMaxSuppression may select ten boxes of a class, the estimate takes 20 candidates.
  EXPECT_EQ(typicalOperations("NonMaxSuppression", inputs, {{800, 3}},
                              {{"max_output_boxes_per_class", 10}, {"score_threshold", 0.05}}),
            80u * (15130 + 190 * (1 + 8) + 8 * (20 * 20 / 4)));
  EXPECT_EQ(typicalOperations("NonMaxSuppression", inputs, outputs, {{"max_output_boxes_per_class", 10}}),
            80u * (15130 + 15130 * (1 + 14) + 8 * (20 * 20 / 4)));
}

// GridSample on images combines four elements for each of 2 * 3 * 5 results, and reads 3 * 5 * 2 coordinates.
// RoiAlign takes four samples of a bin, or as many as its attribute says. MaxRoiPool reads a quarter of each image.
TEST(HostOperations, OfSamplingDependOnShapes) {
  EXPECT_EQ(typicalOperations("GridSample", {{1, 2, 7, 7}, {1, 3, 5, 2}}, {{1, 2, 3, 5}}, {}),
            30u * 8 + 10 * 30);
  const std::vector<Shape> regions = {{1, 2, 8, 8}, {3, 4}, {3}}, bins = {{3, 2, 1, 5}};
  EXPECT_EQ(typicalOperations("RoiAlign", regions, bins, {}), 30u * 4 * 10);
  EXPECT_EQ(typicalOperations("RoiAlign", regions, bins, {{"sampling_ratio", 3}}), 30u * 9 * 10);
  EXPECT_EQ(typicalOperations("MaxRoiPool", {{1, 2, 8, 8}, {3, 5}}, bins, {}), 3u * 2 * 64 / 4);
}

// TopK selects 4 of 16 elements with a heap of 4. The number 4 has 3 bits, so this takes 16 * (1 + 3) = 64
// operations of a nanosecond each. 64 bytes in and 16 bytes out, at 16 bytes per nanosecond, take 5 ns. The
// call costs 5000 ns and the transfers 2 * 1000 ns.
TEST(HostTime, IsWhatTheFormulaSays) {
  auto text = readText(test::examplePrograms() + "/host_stage.trasm");
  ASSERT_TRUE(text);
  auto assembly = parseAssembly(*text, "host_stage");
  ASSERT_TRUE(assembly);
  ASSERT_TRUE(prove(assembly->program));
  const HostCost cost = costOfHost(assembly->program, 1);
  EXPECT_EQ(cost.bytesIn, 64u);
  EXPECT_EQ(cost.bytesOut, 16u);
  EXPECT_EQ(cost.operations, 64u);
  EXPECT_EQ(cost.cycles, 5000u + 2000 + 5 + 64);
  assembly->program.machine.clockMegahertz = 500;
  EXPECT_EQ(costOfHost(assembly->program, 1).cycles, (5000u + 2000 + 5 + 64 + 1) / 2);
  assembly->program.machine.clockMegahertz = 1000;
  const RunStatistics statistics = timeProgram(assembly->program, {});
  EXPECT_TRUE(statistics.layers[1].onHost);
  EXPECT_EQ(statistics.layers[1].cycles(), cost.cycles);
  EXPECT_EQ(statistics.layers[1].tally.hostBytes, 80u);
  EXPECT_FALSE(statistics.layers[0].onHost);
  EXPECT_GT(statistics.cycles(), cost.cycles);
}

// A tensor with the elements 0, 1, 2, ….
Tensor counted(const Shape &shape) {
  Tensor tensor(DType::i32, shape);
  for (size_t i = 0; i < tensor.elementCount(); ++i)
    tensor.mutableAs<int32_t>()[i] = static_cast<int32_t>(i);
  return tensor;
}

std::vector<int32_t> elementsOf(const Tensor &tensor) {
  return {tensor.as<int32_t>().begin(), tensor.as<int32_t>().end()};
}

TEST(HostMovement, MovesElements) {
  const Tensor x = counted({2, 3});
  auto reshaped = runKernel(withList(workOf("Reshape"), "shape", {3, 1, 2}), {&x});
  ASSERT_TRUE(reshaped) << reshaped.error().message();
  EXPECT_EQ((*reshaped)[0].shape(), Shape({3, 1, 2}));
  EXPECT_EQ(elementsOf((*reshaped)[0]), std::vector<int32_t>({0, 1, 2, 3, 4, 5}));
  auto transposed = runKernel(withList(workOf("Transpose"), "perm", {1, 0}), {&x});
  ASSERT_TRUE(transposed) << transposed.error().message();
  EXPECT_EQ((*transposed)[0].shape(), Shape({3, 2}));
  EXPECT_EQ(elementsOf((*transposed)[0]), std::vector<int32_t>({0, 3, 1, 4, 2, 5}));
  const auto slice = [&](std::vector<int64_t> starts, std::vector<int64_t> steps,
                         std::vector<int64_t> shape) {
    return runKernel(
        withList(withList(withList(workOf("Slice"), "starts", starts), "steps", steps), "shape", shape),
        {&x});
  };
  auto sliced = slice({1, 2}, {1, -2}, {1, 2});
  ASSERT_TRUE(sliced) << sliced.error().message();
  EXPECT_EQ(elementsOf((*sliced)[0]), std::vector<int32_t>({5, 3}));
  for (const auto &[starts, steps, shape] :
       std::vector<std::array<std::vector<int64_t>, 3>>{{{{1, 2}, {1, -2}, {2, 2}}},
                                                        {{{0, 2}, {1, -2}, {1, 3}}},
                                                        {{{0, -1}, {1, 1}, {1, 1}}},
                                                        {{{0, 0}, {1, 1}, {1, 0}}},
                                                        {{{0, 0}, {1, INT64_MAX}, {1, 3}}},
                                                        {{{0}, {1}, {1}}}})
    EXPECT_FALSE(slice(starts, steps, shape)) << showShape(starts) << showShape(steps) << showShape(shape);
}

TEST(HostMovement, RefusesAttributesThatDoNotFit) {
  const Tensor x = counted({2, 3});
  for (const std::vector<int64_t> &shape :
       std::vector<std::vector<int64_t>>{{7}, {-1, 6}, {0}, {INT64_MAX, INT64_MAX}})
    EXPECT_FALSE(runKernel(withList(workOf("Reshape"), "shape", shape), {&x})) << showShape(shape);
  EXPECT_FALSE(runKernel(workOf("Reshape"), {&x}));
  for (const std::vector<int64_t> &perm : std::vector<std::vector<int64_t>>{{0, 0}, {1}, {0, 1, 2}, {-1, 0}})
    EXPECT_FALSE(runKernel(withList(workOf("Transpose"), "perm", perm), {&x})) << showShape(perm);
}

// Both Session and BeatsSession (the beat-by-beat mode) refuse a kernel that the emulator does not have, and
// say what to do.
TEST(HostKernels, ThatAreMissingAreRefused) {
  constexpr std::string_view text = R"(
.machine tiny
.metadata {
  model: "host"
  layers { id: 0 name: "first" kind: "Transpose" where: "host" }
}
.input "x" float32 [4 4] ddr[0x1000]
.output "y" float32 [4 4] layer=0 stage=0 ddr[0x2000]
.stage "swap" inference
.host "Swap" layer=0 inputs=["x"] outputs=["y"]
)";
  auto assembly = parseAssembly(std::string(text), "missing");
  ASSERT_TRUE(assembly) << assembly.error().message();
  ASSERT_TRUE(prove(assembly->program));
  const std::string expected = "stage 'swap': the emulator has no host kernel 'Swap'; compile the model "
                               "again with this version of tilerig";
  const auto session = Session::load(assembly->program, {});
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().message(), expected);
  const auto beats = BeatsSession::load(assembly->program);
  ASSERT_FALSE(beats);
  EXPECT_EQ(beats.error().message(), expected);
}

// Consecutive host stages form one call: the second costs no call of its own and already has the tensors that
// the first one read or computed.
TEST(HostTime, OfConsecutiveStagesIsOneCall) {
  constexpr std::string_view text = R"(
.machine tiny
.metadata {
  model: "host"
  layers { id: 0 name: "first" kind: "Transpose" where: "host" }
  layers { id: 1 name: "second" kind: "ScatterND" where: "host" }
}
.input "x" float32 [4 4] ddr[0x1000]
.input "i" int32 [4 1] ddr[0x1400]
.tensor "t" float32 [4 4] layer=0 stage=0 ddr[0x2000]
.output "y" float32 [4 4] layer=1 stage=1 ddr[0x3000]
.stage "host" inference
.host "Transpose" layer=0 inputs=["x"] outputs=["t"]
    attributes={"perm"={ints=[1 0]}}
.stage "host too" inference
.host "ScatterND" layer=1 inputs=["x" "i" "t"] outputs=["y"]
)";
  auto assembly = parseAssembly(std::string(text), "call");
  ASSERT_TRUE(assembly) << assembly.error().message();
  ASSERT_TRUE(prove(assembly->program));
  // Cost of the first stage: 64 bytes in and 64 out, at 16 bytes per nanosecond, and two operations for each
  // of 16 elements.
  const HostCost first = costOfHost(assembly->program, 0), second = costOfHost(assembly->program, 1);
  EXPECT_EQ(first.cycles, 5000u + 2000 + 8 + 32);
  // Cost of the second stage: of its operands only the indices are transferred, 16 bytes; its kernel takes
  // 16 + 4 * 16 = 80 operations.
  EXPECT_EQ(second.bytesIn, 16u);
  EXPECT_EQ(second.cycles, 2000u + 5 + 80);
  EXPECT_EQ(timeProgram(assembly->program, {}).cycles(), first.cycles + second.cycles);
}

// NonZero of 8 elements takes 2 * 8 operations and one per element found; the estimate without values assumes
// half of them. Checked for all modes of the emulator.
TEST(HostTime, DependsOnValues) {
  constexpr std::string_view text = R"(
.machine tiny
.metadata {
  model: "host"
  layers { id: 0 name: "where" kind: "NonZero" where: "host" }
}
.input "x" float32 [8] ddr[0x1000]
.output "y" int64 [1 8] stored=i32 layer=0 stage=0 ddr[0x2000]
.stage "host" inference
.host "NonZero" layer=0 inputs=["x"] outputs=["y"]
)";
  auto assembly = parseAssembly(std::string(text), "non_zero");
  ASSERT_TRUE(assembly) << assembly.error().message();
  ASSERT_TRUE(prove(assembly->program));
  const HostCost typical = costOfHost(assembly->program, 0);
  EXPECT_EQ(typical.operations, 16u + 4);
  EXPECT_EQ(timeProgram(assembly->program, {}).cycles(), typical.cycles);
  for (const uint64_t numNonZero : {0, 1, 8}) {
    Tensor x(DType::f32, {8});
    std::fill_n(x.mutableAs<float>().begin(), numNonZero, 1.0f);
    TensorMap inputs;
    ASSERT_TRUE(inputs.add("x", x));
    for (const unsigned threads : {1u, 2u}) {
      auto session = Session::load(assembly->program, {.threads = threads});
      ASSERT_TRUE(session) << session.error().message();
      TimedRuns runs(**session, {});
      TensorMap zeros;
      ASSERT_TRUE(zeros.add("x", Tensor(DType::f32, x.shape())));
      for (const auto &[given, count] :
           {std::pair{&inputs, numNonZero}, {&zeros, size_t{0}}, {&inputs, numNonZero}}) {
        auto timed = runs.run(*given);
        ASSERT_TRUE(timed) << timed.error().message();
        EXPECT_EQ(timed->statistics.cycles(), typical.cycles + count - 4);
      }
    }
    auto beats = BeatsSession::load(assembly->program);
    ASSERT_TRUE(beats) << beats.error().message();
    auto run = (*beats)->run(inputs);
    ASSERT_TRUE(run) << run.error().message();
    EXPECT_EQ(run->cycles, typical.cycles + numNonZero - 4);
  }
}

} // namespace
} // namespace tilerig
