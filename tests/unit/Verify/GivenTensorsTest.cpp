// Tests of models whose nodes read given tensors: the results are those of the substitutes, also in subgraphs.
#include "verify/Check/GivenTensors.h"

#include "reference/Model/Load.h"
#include "reference/Run/Interpreter.h"
#include "tests/support/OnnxModel.h"

#include <gtest/gtest.h>

namespace tilerig::verify {
namespace {

using tilerig::test::OnnxGraph;
using tilerig::test::OnnxModel;

// y = a + constant and z = if (condition) a * a else a, where a = x + x.
void buildBranches(OnnxModel &model) {
  model.input("x", DType::f32, {2});
  model.input("condition", DType::boolean, {});
  model.initialiser("constant", Tensor::of<float>({2}, {100, 200}));
  model.node("Add", {"x", "x"}, {"a"});
  model.node("Add", {"a", "constant"}, {"y"});
  onnx::NodeProto &node = model.node("If", {"condition"}, {"z"});
  OnnxGraph then(tilerig::test::addGraph(node, "then_branch")),
      otherwise(tilerig::test::addGraph(node, "else_branch"));
  then.node("Mul", {"a", "a"}, {"square"});
  then.output("square");
  otherwise.output("a"); // the branch's result is a value of the outer graph
  for (const char *output : {"a", "y", "z", "constant"})
    model.output(output);
}

TEST(GivenTensors, AreReadByNodesAndSubgraphs) {
  OnnxModel onnx;
  buildBranches(onnx);
  const std::string bytes = onnx.bytes();
  reference::Model model = *reference::parseModel(std::as_bytes(std::span(bytes)), "test", "");
  TensorMap substitutes;
  ASSERT_TRUE(substitutes.add("a", Tensor::of<float>({2}, {3, 4})));
  ASSERT_TRUE(substitutes.add("constant", Tensor::of<float>({2}, {7, 7})));
  const auto given = readGiven(model.graph, substitutes);
  ASSERT_TRUE(given) << given.error().message();
  ASSERT_EQ(given->size(), 1u) << "no node computes the constant";

  reference::Threads threads(1);
  const auto interpreter = reference::Interpreter::create(std::move(model), {}, threads);
  ASSERT_TRUE(interpreter) << interpreter.error().message();
  for (const bool condition : {true, false}) {
    reference::NamedTensors inputs;
    inputs.emplace("x", Tensor::of<float>({2}, {1, 1}));
    inputs.emplace("condition", Tensor::scalar(condition));
    for (const NamedTensor &tensor : *given)
      inputs.emplace(tensor.name, tensor.tensor);
    const auto outputs = interpreter->run(inputs);
    ASSERT_TRUE(outputs) << outputs.error().message();
    EXPECT_TRUE(identical(outputs->at("a"), Tensor::of<float>({2}, {2, 2}))) << "computed as before";
    EXPECT_TRUE(identical(outputs->at("y"), Tensor::of<float>({2}, {103, 204})));
    EXPECT_TRUE(identical(outputs->at("z"),
                          condition ? Tensor::of<float>({2}, {9, 16}) : Tensor::of<float>({2}, {3, 4})));
    EXPECT_TRUE(identical(outputs->at("constant"), Tensor::of<float>({2}, {100, 200})));
  }
}

} // namespace
} // namespace tilerig::verify
