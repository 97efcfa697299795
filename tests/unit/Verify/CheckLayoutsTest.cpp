// Tests of the check on networks with tensors that are stored inside others (views), although other operators
// also read them on their own.
#include "tests/support/OnnxModel.h"
#include "tests/unit/Verify/CheckedNetwork.h"

namespace tilerig::verify::test {
namespace {

class Layouts : public testing::TestWithParam<const char *> {};

// A one-channel image is reshaped to an output and is also a part of a concatenated image.
TEST_P(Layouts, AReshapedPartOfAnother) {
  tilerig::test::OnnxModel model(14);
  model.input("x", DType::f32, {1, 1, 1, 6});
  model.initialiser("one", Tensor::of<float>({1, 1, 1, 1}, {0.75f}));
  Tensor kernel(DType::f32, {1, 2, 3, 3});
  for (size_t i = 0; i < kernel.elementCount(); ++i)
    kernel.mutableAs<float>()[i] = static_cast<float>(i % 5) - 2;
  model.initialiser("kernel", kernel);
  model.initialiser("sizes", Tensor::of<int64_t>({4}, {1, 1, 3, 18}));
  model.node("Conv", {"x", "one"}, {"c"});
  tilerig::test::setText(model.node("Resize", {"c", "", "", "sizes"}, {"r"}), "mode", "linear");
  tilerig::test::setInt(model.node("Concat", {"r", "r"}, {"both"}), "axis", 1);
  tilerig::test::setInts(model.node("Conv", {"both", "kernel"}, {"y"}), "pads", {1, 1, 1, 1});
  model.output("y");
  model.output("r");
  for (unsigned tiles : {1u, 3u}) {
    const Check check = checkOf(SourceModel::of("model", model.bytes()), GetParam(), tiles);
    const auto tensors = judged(check, check.program());
    ASSERT_TRUE(tensors.contains("r"));
    for (const auto &[name, tensor] : tensors)
      EXPECT_EQ(tensor.comparison.status, TensorStatus::match) << name << ": " << tensor.comparison.reason;
  }
}

// A resize with align_corners from 17 to 34 rows and from 3 to 6 columns. A scale of 33/16 would give the
// same positions, but one row too many.
TEST_P(Layouts, CornersThatAScaleWouldMiss) {
  tilerig::test::OnnxModel model(16);
  model.input("x", DType::f32, {1, 2, 17, 3});
  model.initialiser("sizes", Tensor::of<int64_t>({4}, {1, 2, 34, 6}));
  onnx::NodeProto &resize = model.node("Resize", {"x", "", "", "sizes"}, {"r"});
  tilerig::test::setText(resize, "mode", "nearest");
  tilerig::test::setText(resize, "coordinate_transformation_mode", "align_corners");
  tilerig::test::setText(resize, "nearest_mode", "floor");
  model.node("Abs", {"r"}, {"y"});
  model.output("y");
  const Check check = checkOf(SourceModel::of("model", model.bytes()), GetParam(), 4);
  const auto tensors = judged(check, check.program());
  ASSERT_TRUE(tensors.contains("y"));
  for (const auto &[name, tensor] : tensors)
    EXPECT_EQ(tensor.comparison.status, TensorStatus::match) << name << ": " << tensor.comparison.reason;
}

// In an 8-bit network the input of a softmax stays in floats, even if an average pool computes it. The
// machine sums floats to a float and integers to an integer, so the operands of this pool must be floats,
// too.
TEST_P(Layouts, ScoresThatArePooled) {
  tilerig::test::OnnxModel model;
  model.input("x", DType::f32, {1, 3, 6, 6});
  model.node("Relu", {"x"}, {"r"});
  onnx::NodeProto &pool = model.node("AveragePool", {"r"}, {"p"});
  tilerig::test::setInts(pool, "kernel_shape", {2, 2});
  tilerig::test::setInts(pool, "strides", {2, 2});
  tilerig::test::setInts(model.node("Transpose", {"p"}, {"t"}), "perm", {0, 2, 3, 1});
  tilerig::test::setInt(model.node("Softmax", {"t"}, {"y"}), "axis", -1);
  model.output("y");
  const Check check = checkOf(SourceModel::of("model", model.bytes()), GetParam(), 4);
  const auto tensors = judged(check, check.program());
  ASSERT_TRUE(tensors.contains("y"));
  for (const auto &[name, tensor] : tensors)
    EXPECT_EQ(tensor.comparison.status, TensorStatus::match) << name << ": " << tensor.comparison.reason;
}

// Mirrored padding along several axes. The metadata of the program must record for each tile exactly the
// parts of the result that are sent to it.
TEST_P(Layouts, MirroredInThreeAxes) {
  tilerig::test::OnnxModel model(12);
  model.input("x", DType::f32, {1, 3, 3, 5, 3});
  model.initialiser("pads", Tensor::of<int64_t>({10}, {0, 0, 1, 2, 2, 0, 0, 2, 2, 2}));
  tilerig::test::setText(model.node("Pad", {"x", "pads"}, {"y"}), "mode", "reflect");
  model.output("y");
  for (unsigned tiles : {1u, 13u, 26u, 38u, 64u}) {
    const Check check = checkOf(SourceModel::of("model", model.bytes()), GetParam(), tiles);
    for (const auto &[name, tensor] : judged(check, check.program()))
      EXPECT_EQ(tensor.comparison.status, TensorStatus::match)
          << tiles << ": " << name << ": " << tensor.comparison.reason;
  }
}

// One tensor in three shapes, stored in the same bytes: a box that a tile holds in one shape is not a box in
// another.
TEST_P(Layouts, InThreeShapes) {
  tilerig::test::OnnxModel model(14);
  model.input("x", DType::f32, {3, 12, 3, 5, 1});
  model.initialiser("shape", Tensor::of<int64_t>({4}, {9, 1, 1, 60}));
  model.initialiser("other", Tensor::of<int64_t>({6}, {3, 1, 12, 3, -1, 1}));
  model.initialiser("number", Tensor::scalar(0.34f));
  model.node("Add", {"x", "x"}, {"sum"});
  model.node("Reshape", {"x", "shape"}, {"r"});
  onnx::NodeProto &norm = model.node("LRN", {"r"}, {"n"});
  tilerig::test::setInt(norm, "size", 1);
  tilerig::test::setFloat(norm, "beta", 0.5f);
  tilerig::test::setInts(model.node("Transpose", {"x"}, {"t"}), "perm", {3, 1, 4, 0, 2});
  model.node("Reshape", {"x", "other"}, {"o"});
  model.node("Sub", {"n", "number"}, {"y"});
  for (const char *name : {"sum", "t", "o", "y"})
    model.output(name);
  for (unsigned tiles : {13u, 26u}) {
    const Check check = checkOf(SourceModel::of("model", model.bytes()), GetParam(), tiles);
    for (const auto &[name, tensor] : judged(check, check.program()))
      EXPECT_EQ(tensor.comparison.status, TensorStatus::match)
          << tiles << ": " << name << ": " << tensor.comparison.reason;
  }
}

// A tensor stored inside a larger one has the row pitch of the larger one. Its rows can therefore not be
// merged into one axis of a stream (address pattern).
TEST_P(Layouts, RowsOfAPartAsOneAxis) {
  tilerig::test::OnnxModel model(9);
  model.input("x", DType::f32, {2, 8, 1, 9});
  model.initialiser("shape", Tensor::of<int64_t>({2}, {144, 1}));
  model.initialiser("most", Tensor::of<float>({1}, {0.25f}));
  onnx::NodeProto &pad = model.node("Pad", {"x"}, {"p"});
  tilerig::test::setInts(pad, "pads", {0, 0, 2, 2, 0, 0, 2, 2});
  tilerig::test::setText(pad, "mode", "edge");
  model.node("Min", {"p", "most"}, {"m"});
  model.node("Sum", {"x", "x"}, {"s"});
  model.node("Reshape", {"x", "shape"}, {"r"});
  for (const char *name : {"m", "s", "r"})
    model.output(name);
  for (unsigned tiles : {1u, 3u, 7u}) {
    const Check check = checkOf(SourceModel::of("model", model.bytes()), GetParam(), tiles);
    for (const auto &[name, tensor] : judged(check, check.program()))
      EXPECT_EQ(tensor.comparison.status, TensorStatus::match)
          << tiles << ": " << name << ": " << tensor.comparison.reason;
  }
}

// Volumes (images with a depth) run on the accelerator: a convolution in two groups with strides, dilations
// and uneven padding, pools of windows with a depth, and a global pool. The ONNX model that the compiler
// writes computes the same as the original.
TEST_P(Layouts, Volumes) {
  tilerig::test::OnnxModel model(17);
  model.input("x", DType::f32, {2, 4, 7, 6, 5});
  Tensor kernel(DType::f32, {6, 2, 3, 3, 2});
  for (size_t i = 0; i < kernel.elementCount(); ++i)
    kernel.mutableAs<float>()[i] = static_cast<float>(i % 11) / 8 - 0.5f;
  model.initialiser("kernel", kernel);
  onnx::NodeProto &conv = model.node("Conv", {"x", "kernel"}, {"c"});
  tilerig::test::setInt(conv, "group", 2);
  tilerig::test::setInts(conv, "strides", {2, 1, 1});
  tilerig::test::setInts(conv, "dilations", {2, 1, 1});
  tilerig::test::setInts(conv, "pads", {1, 1, 0, 2, 0, 1});
  for (const char *kind : {"MaxPool", "AveragePool"}) {
    onnx::NodeProto &pool = model.node(kind, {"c"}, {kind});
    tilerig::test::setInts(pool, "kernel_shape", {2, 3, 2});
    tilerig::test::setInts(pool, "strides", {1, 2, 1});
    tilerig::test::setInts(pool, "pads", {0, 1, 1, 0, 1, 0});
    model.output(kind);
  }
  model.node("GlobalAveragePool", {"c"}, {"mean"});
  model.output("mean");
  const Check check = checkOf(SourceModel::of("model", model.bytes()), GetParam(), 4);
  const auto tensors = judged(check, check.program());
  for (const char *output : {"MaxPool", "AveragePool", "mean"})
    EXPECT_TRUE(tensors.contains(output)) << output;
  for (const auto &[name, tensor] : tensors)
    EXPECT_EQ(tensor.comparison.status, TensorStatus::match) << name << ": " << tensor.comparison.reason;
  for (const proto::Layer &layer : check.program().metadata.layers())
    EXPECT_EQ(layer.where(), "accelerator") << layer.name();
  for (const EmittedLayer &layer : valueOf(check.judgeEmittedLayers()))
    EXPECT_EQ(layer.comparison.status, TensorStatus::match) << layer.name;
}

INSTANTIATE_TEST_SUITE_P(Precisions, Layouts, testing::Values("fp32", "fp16", "bf16", "int8"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
} // namespace tilerig::verify::test
