// Tests that a shrunk model is valid and keeps the element types of the original model.
#include "tests/conformance/random-graphs/Shrink.h"
#include "tests/support/OnnxModel.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tilerig::meaning {

namespace {

std::vector<std::string> operatorsOf(const Trial &trial) {
  std::vector<std::string> operators;
  for (const onnx::NodeProto &node : trial.model.graph().node())
    operators.push_back(node.op_type());
  return operators;
}

class ShrinkTest : public testing::TestWithParam<DType> {};

TEST_P(ShrinkTest, KeepsTheTypesOfTheModel) {
  test::OnnxModel model;
  model.input("x", GetParam(), {2, 3});
  model.node("Abs", {"x"}, {"a"});
  model.node("Neg", {"a"}, {"b"});
  model.node("Exp", {"b"}, {"c"});
  model.output("c");
  Trial trial{model.proto(), *makeInputs(model.proto(), 1)};
  const Trial smaller = shrink(trial, [](const Trial &candidate) {
    const auto operators = operatorsOf(candidate);
    return std::ranges::find(operators, "Neg") != operators.end() && run(candidate);
  });
  EXPECT_EQ(operatorsOf(smaller), std::vector<std::string>{"Neg"});
  ASSERT_EQ(smaller.model.graph().input_size(), 1);
  EXPECT_EQ(smaller.model.graph().input(0).name(), "a");
  EXPECT_EQ(smaller.model.graph().input(0).type().tensor_type().elem_type(), onnxNumber(GetParam()));
  EXPECT_EQ(smaller.inputs.at("a").dtype(), GetParam());
  EXPECT_EQ(smaller.model.graph().output(0).type().tensor_type().elem_type(), onnxNumber(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Types, ShrinkTest, testing::Values(DType::f32, DType::f64),
                         [](const auto &info) { return std::string(nameOf(info.param)); });

} // namespace

} // namespace tilerig::meaning
