// Tests that compiler and reference agree on damaged files, external data, functions, deep nesting and bounds of Clip.
#include "isa/Base/Support/File.h"
#include "tests/conformance/CompiledRefusals.h"
#include "tests/support/TemporaryFolder.h"

#include <filesystem>

namespace tilerig::test {
namespace {

// A bound of Clip is a tensor of one element, of any rank.
TEST(CompiledBounds, OfOneElementAreAccepted) {
  for (const Shape &shape : {Shape{}, Shape{1}, Shape{1, 1}, Shape{1, 1, 1}})
    for (const bool isComputed : {false, true}) {
      OnnxModel model;
      model.input("x", DType::f32, {1, 4});
      model.initialiser("low", Tensor(DType::f32, shape));
      model.initialiser("axes", ints({0, 1}));
      setInt(model.node("ReduceMax", {"x", "axes"}, {"largest"}), "keepdims", 0);
      Tensor ones(DType::i64, {static_cast<int64_t>(shape.size())});
      std::ranges::fill(ones.mutableAs<int64_t>(), 1);
      model.initialiser("shape", ones);
      model.node("Reshape", {"largest", "shape"}, {"high"});
      model.node("Clip", {"x", "low", isComputed ? "high" : "low"}, {"y"});
      model.output("y");
      const auto expected = referenceError(model.bytes()), got = compilerError(model.bytes());
      EXPECT_FALSE(expected) << expected->message();
      EXPECT_FALSE(got) << got->message();
    }
}

TEST(CompiledFiles, AreRefusedAsTheReferenceDoes) {
  OnnxModel model;
  model.input("x", DType::f32, {1, 4});
  model.node("Relu", {"x"}, {"y"});
  model.output("y");
  const std::string bytes = model.bytes();
  ASSERT_FALSE(referenceError(bytes, "")) << "what is broken below is sound";
  ASSERT_FALSE(compilerError(bytes, ""));
  expectSameRefusal(bytes.substr(0, bytes.size() / 2), Words::same);
  expectSameRefusal("PK\x03\x04", Words::same);
  expectSameRefusal("", Words::same);
}

TEST(CompiledFiles, WithoutOutputsAreRefused) {
  OnnxModel model;
  model.input("x", DType::f32, {1, 4});
  model.node("Relu", {"x"}, {"y"});
  expectSameRefusal(model.bytes(), Words::same);
}

TEST(CompiledFiles, ThatLackTheirData) {
  OnnxModel model;
  model.input("x", DType::f32, {1, 4});
  onnx::TensorProto &tensor = *model.graph.add_initializer();
  tensor.set_name("w");
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  tensor.add_dims(4);
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  auto *entry = tensor.add_external_data();
  entry->set_key("location");
  model.node("Add", {"x", "w"}, {"y"});
  model.output("y");
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("model"));
  ASSERT_TRUE(writeText(folder.path("secret.bin"), std::string(16, '\0')));
  ASSERT_TRUE(writeText(folder.path("model/short.bin"), std::string(15, '\0')));
  for (const char *location : {"absent.bin", "../secret.bin", "short.bin"}) {
    entry->set_value(location);
    expectSameRefusal(model.bytes(), Words::same, folder.path("model"));
  }
  expectSameRefusal(model.bytes(), Words::same);
}

void importOwnDomain(OnnxModel &model) {
  auto *import = model.proto().add_opset_import();
  import->set_domain("own");
  import->set_version(1);
}

// Adds the function F<number>, which computes b = op(a), in the domain `own`, to the model.
void addFunction(OnnxModel &model, int number, const std::string &op, const std::string &domain) {
  onnx::FunctionProto &function = *model.proto().add_functions();
  function.set_name("F" + std::to_string(number));
  function.set_domain("own");
  function.add_input("a");
  function.add_output("b");
  onnx::NodeProto &inside = *function.add_node();
  inside.set_op_type(op);
  inside.set_domain(domain);
  inside.add_input("a");
  inside.add_output("b");
}

// Adds a chain of functions to the model, each of which calls the next; the last one calls `op`.
void callInRow(OnnxModel &model, int numFunctions, const std::string &op, const std::string &domain) {
  model.input("x", DType::f32, {1, 4});
  importOwnDomain(model);
  for (int i = 0; i + 1 < numFunctions; ++i)
    addFunction(model, i, "F" + std::to_string(i + 1), "own");
  addFunction(model, numFunctions - 1, op, domain);
  model.node("F0", {"x"}, {"y"}).set_domain("own");
  model.output("y");
}

TEST(CompiledFunctions, MayCallOneAnother) {
  OnnxModel model;
  callInRow(model, 60, "Relu", "");
  EXPECT_FALSE(referenceError(model.bytes()));
  EXPECT_FALSE(compilerError(model.bytes()));
}

TEST(CompiledFunctions, DeepNestingIsNotReportedAsRecursion) {
  OnnxModel deep;
  callInRow(deep, 70, "Relu", "");
  expectSameReason(deep, "is nested in more than 64 function calls and subgraphs");
  OnnxModel recursive;
  callInRow(recursive, 3, "F1", "own");
  expectSameReason(recursive, "function 'F1' calls itself");
}

// Adds `depth` nested If nodes to the model; the innermost branches are Relu and Neg.
void nestIfs(OnnxGraph graph, int depth, const std::string &result) {
  if (depth == 0) {
    graph.node("Relu", {"x"}, {result});
    return;
  }
  onnx::NodeProto &node = graph.node("If", {"condition"}, {result});
  for (const char *branch : {"then_branch", "else_branch"}) {
    OnnxGraph inner(addGraph(node, branch));
    const std::string name = result + branch[0];
    if (branch[0] == 't')
      nestIfs(inner, depth - 1, name);
    else
      inner.node("Neg", {"x"}, {name});
    inner.output(name);
  }
}

TEST(CompiledGraphs, DeepNestingIsNotReportedAsDamage) {
  for (const int depth : {20, 60}) {
    OnnxModel model;
    model.input("x", DType::f32, {1, 4});
    model.initialiser("condition", Tensor::scalar(true));
    nestIfs(OnnxGraph(model.graph), depth, "y");
    model.output("y");
    if (depth == 20) {
      EXPECT_FALSE(referenceError(model.bytes()));
      EXPECT_FALSE(compilerError(model.bytes()));
    } else {
      expectSameReason(model, "subgraphs of If, Loop and Scan nest deeper than 33 levels");
    }
  }
}

// Invalid models: a function calls itself, or a call has more operands than the function has inputs.
TEST(CompiledFunctions, AreRefusedAsTheReferenceDoes) {
  for (const bool callsItself : {true, false}) {
    OnnxModel model;
    model.input("x", DType::f32, {1, 4});
    importOwnDomain(model);
    addFunction(model, 0, callsItself ? "F0" : "Relu", callsItself ? "own" : "");
    model.node("F0", callsItself ? Names{"x"} : Names{"x", "x"}, {"y"}).set_domain("own");
    model.output("y");
    expectSameRefusal(model.bytes(), Words::same);
  }
}

} // namespace
} // namespace tilerig::test
