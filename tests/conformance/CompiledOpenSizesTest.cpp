// Tests which models with sizes that depend on data, empty constants or surplus outputs the compiler refuses.
#include "tests/conformance/CompiledRefusals.h"

namespace tilerig::test {
namespace {

TEST(CompiledOpenSizes, DoNotHideMissingOperands) {
  for (const char *type :
       {"Gather", "Expand", "MatMul", "Gemm", "TopK", "Concat", "Where", "Slice", "GatherND"}) {
    OnnxModel model(17);
    model.input("x", DType::f32, {4});
    model.node("NonZero", {"x"}, {"n"});
    model.node(type, {"n", ""}, {"y"});
    model.output("y");
    EXPECT_TRUE(compilerError(model.bytes())) << type;
  }
}

TEST(CompiledOpenSizes, DoNotHideMissingOperandsOfWhatChooses) {
  for (const char *type : {"NonMaxSuppression", "Compress"}) {
    OnnxModel model(17);
    model.input("x", DType::f32, {4});
    model.node("NonZero", {"x"}, {"n"});
    model.node(type, {"", "n"}, {"y"});
    model.output("y");
    EXPECT_TRUE(compilerError(model.bytes())) << type;
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
    setInt(model.node("Compress", {"x", "condition"}, {"rows"}), "axis", 0);
    model.node("Slice", {"rows", "start", "end", "axis", "step"}, {"y"});
    model.output("y");
    const auto error = compilerError(model.bytes());
    EXPECT_FALSE(error) << start << ' ' << end << ' ' << step << ": " << error->message();
  }
}

TEST(CompiledOpenSizes, DoNotHideAFactorOfOneAxis) {
  OnnxModel model(17);
  model.input("x", DType::f32, {4, 4});
  model.input("condition", DType::boolean, {4});
  model.initialiser("list", Tensor(DType::f32, {4}));
  setInt(model.node("Compress", {"x", "condition"}, {"rows"}), "axis", 0);
  model.node("Gemm", {"rows", "list"}, {"y"});
  model.output("y");
  EXPECT_TRUE(compilerError(model.bytes()));
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
  const auto error = compilerError(model.bytes());
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

// An operator that only the host runs. The reference ignores the second output.
TEST(CompiledOutputs, MustNotBeMoreThanTheOperatorHas) {
  OnnxModel model(17);
  model.input("x", DType::f32, {2, 2});
  model.node("Det", {"x"}, {"", "y"});
  model.graph.add_output()->CopyFrom(model.graph.input(0));
  model.graph.mutable_output(0)->set_name("y");
  const auto error = compilerError(model.bytes());
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind, ErrorKind::invalidInput);
  EXPECT_NE(error->message().find("the node has 2 outputs, more than the operator has"), std::string::npos)
      << error->message();
}

} // namespace
} // namespace tilerig::test
