// Tests of invalid models, each wrong in one way: they are refused with the file, the node and the reason.
#include "isa/Base/Support/File.h"
#include "reference/Model/Load.h"
#include "reference/Run/Interpreter.h"
#include "tests/support/OnnxModel.h"
#include "tests/support/TemporaryFolder.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace tilerig::reference {
namespace {

using test::OnnxModel;

// Loads the model and runs it on zeros. Returns the error that must occur.
Error errorOf(const std::string &bytes, const std::string &folder = "") {
  auto model = parseModel(std::as_bytes(std::span(bytes)), "m.onnx", folder);
  if (!model)
    return model.error();
  Threads threads(1);
  auto interpreter = Interpreter::create(*std::move(model), {}, threads);
  if (!interpreter)
    return interpreter.error();
  auto outputs = interpreter->run({{"x", Tensor(DType::f32, {1, 4})}});
  EXPECT_FALSE(outputs) << "a wrong model was run";
  return outputs ? Error{} : outputs.error();
}

void expectRefused(const OnnxModel &model, const std::string &reason,
                   ErrorKind kind = ErrorKind::invalidInput) {
  Error error = errorOf(model.bytes());
  EXPECT_EQ(error.kind, kind) << error.message();
  EXPECT_TRUE(error.message().starts_with("m.onnx")) << error.message();
  EXPECT_NE(error.message().find(reason), std::string::npos) << error.message();
}

void expectRun(const OnnxModel &model) {
  std::string bytes = model.bytes();
  auto loaded = parseModel(std::as_bytes(std::span(bytes)), "m.onnx", "");
  ASSERT_TRUE(loaded) << loaded.error().message();
  Threads threads(1);
  auto interpreter = Interpreter::create(*std::move(loaded), {}, threads);
  ASSERT_TRUE(interpreter) << interpreter.error().message();
  EXPECT_TRUE(interpreter->run({{"x", Tensor(DType::f32, {1, 4})}}));
}

// Fixture with the valid model y = Relu(x), which the tests below break.
class Refusal : public testing::Test {
protected:
  Refusal() {
    model.input("x", DType::f32, {1, 4});
    model.output("y");
  }
  onnx::NodeProto &addRelu() { return model.node("Relu", {"x"}, {"y"}); }

  OnnxModel model;
};

TEST_F(Refusal, HalvesAmongOtherFloats) {
  model.initialiser("half", Tensor(DType::f16, {1}));
  model.node("Add", {"x", "half"}, {"y"});
  expectRefused(model, "the float inputs have different types");
}

TEST_F(Refusal, NotOfHalvesWhereTheOperatorMayMixThem) {
  model.initialiser("half", Tensor(DType::f16, {1}));
  model.node("Pow", {"x", "half"}, {"y"});
  expectRun(model);
}

TEST_F(Refusal, IsOfBrokenModelsOnly) {
  addRelu();
  expectRun(model);
}

TEST_F(Refusal, MissingInput) {
  model.node("Add", {"x", "z"}, {"y"});
  expectRefused(model, "node 'make_y' (Add): reads 'z', which is not defined anywhere");
}

TEST_F(Refusal, TooFewAndTooManyInputs) {
  model.node("Add", {"x"}, {"y"});
  expectRefused(model, "node 'make_y' (Add): the node has 1 inputs");
  OnnxModel other;
  other.input("x", DType::f32, {1, 4});
  other.node("Relu", {""}, {"y"});
  other.output("y");
  expectRefused(other, "node 'make_y' (Relu): input 0 is missing");
}

TEST_F(Refusal, Cycle) {
  model.node("Add", {"x", "b"}, {"a"});
  model.node("Relu", {"a"}, {"b"});
  model.node("Relu", {"b"}, {"y"});
  expectRefused(model, "is part of a cycle");
  expectRefused(model, "node 'make_a' (Add)");
}

TEST_F(Refusal, UnknownOperator) {
  model.node("Fly", {"x"}, {"y"});
  expectRefused(model, "node 'make_y' (Fly): operator Fly of opset 21 is not known", ErrorKind::unsupported);
}

TEST_F(Refusal, UnknownDomain) {
  addRelu().set_domain("com.example");
  expectRefused(model, "node 'make_y' (Relu): the model imports no operator set for domain 'com.example'");
  auto *import = model.proto().add_opset_import();
  import->set_domain("com.example");
  import->set_version(1);
  expectRefused(model, "operator com.example.Relu of opset 1 is not known", ErrorKind::unsupported);
}

TEST_F(Refusal, WrongType) {
  model.initialiser("i", Tensor(DType::i32, {1, 4}));
  model.node("Add", {"x", "i"}, {"y"});
  expectRefused(model, "node 'make_y' (Add)");
  OnnxModel sum;
  sum.input("x", DType::f32, {1, 4});
  sum.initialiser("bits", Tensor(DType::boolean, {1, 4}));
  sum.node("MatMul", {"x", "bits"}, {"y"});
  sum.output("y");
  expectRefused(sum, "node 'make_y' (MatMul)");
}

TEST_F(Refusal, WrongTypeOfInput) {
  addRelu();
  model.graph.mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(11);
  expectRefused(model, "input 'x': the given tensor has type float32, expected float64");
  model.graph.mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(8);
  expectRefused(model, "input 'x' has element type 8, which is not supported", ErrorKind::unsupported);
  model.graph.mutable_input(0)->mutable_type()->mutable_optional_type();
  expectRefused(model, "input 'x' is not a tensor", ErrorKind::unsupported);
}

TEST_F(Refusal, NegativeDimension) {
  addRelu();
  model.graph.mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_value(-1);
  expectRefused(model, "value 'x' is declared with the dimension -1");
}

TEST_F(Refusal, NegativeDimensionOfAnInitialiser) {
  model.initialiser("w", Tensor(DType::f32, {1, 4}));
  model.graph.mutable_initializer(0)->set_dims(0, -1);
  model.node("Add", {"x", "w"}, {"y"});
  expectRefused(model, "initialiser 'w'");
  expectRefused(model, "dimension -1 in shape");
}

TEST_F(Refusal, DataOfAnotherSize) {
  model.initialiser("w", Tensor(DType::f32, {1, 4}));
  model.graph.mutable_initializer(0)->set_dims(1, 5);
  model.node("Add", {"x", "w"}, {"y"});
  expectRefused(model, "initialiser 'w': there are 16 bytes of data, but float32 [1, 5] needs 20");
}

TEST_F(Refusal, TruncatedFile) {
  addRelu();
  std::string bytes = model.bytes();
  for (size_t length = 0; length < bytes.size(); ++length) {
    Threads threads(1);
    auto cut = parseModel(std::as_bytes(std::span(bytes)).first(length), "m.onnx", "");
    // Some prefixes of the file can be parsed as a model, but it then lacks its nodes or its outputs.
    if (cut)
      EXPECT_TRUE(cut->graph.nodes.empty() || cut->graph.outputs.empty()) << length;
    else
      EXPECT_TRUE(cut.error().message().starts_with("m.onnx")) << cut.error().message();
  }
  EXPECT_NE(
      errorOf(bytes.substr(0, bytes.size() / 2)).message().find("not an ONNX model, or a truncated one"),
      std::string::npos);
  EXPECT_EQ(errorOf("PK\x03\x04").kind, ErrorKind::invalidInput);
  EXPECT_NE(loadModel("/absent/m.onnx").error().message().find("/absent/m.onnx"), std::string::npos);
}

TEST_F(Refusal, TwoValuesOfOneName) {
  addRelu();
  model.node("Neg", {"x"}, {"y"});
  expectRefused(model, "value 'y' is defined twice, once as output of a Neg node");
  OnnxModel inputs;
  inputs.input("x", DType::f32, {1, 4});
  inputs.input("x", DType::f32, {1, 4});
  expectRefused(inputs, "input 'x' is declared twice");
  OnnxModel initialisers;
  for (int i = 0; i < 2; ++i)
    initialisers.initialiser("w", Tensor(DType::f32, {4}));
  expectRefused(initialisers, "initialiser 'w' is declared twice");
  OnnxModel attributes;
  attributes.input("x", DType::f32, {1, 4});
  auto &node = attributes.node("Softmax", {"x"}, {"y"});
  test::setInt(node, "axis", 0);
  test::setInt(node, "axis", 1);
  expectRefused(attributes, "node 'make_y' (Softmax): attribute 'axis' is given twice");
}

TEST_F(Refusal, AttributeOfAnotherType) {
  test::setText(model.node("Softmax", {"x"}, {"y"}), "axis", "one");
  expectRefused(model, "node 'make_y' (Softmax): attribute 'axis' is not an integer");
}

TEST_F(Refusal, OutputThatNothingDefines) {
  addRelu();
  model.output("z");
  expectRefused(model, "output 'z' is not defined anywhere");
}

TEST_F(Refusal, InputsThatAreMissingOrTooMany) {
  model.input("z", DType::f32, {1});
  addRelu();
  expectRefused(model, "input 'z' is not given");
  OnnxModel none;
  none.initialiser("c", Tensor(DType::f32, {1}));
  none.output("c");
  expectRefused(none, "has no input 'x'");
}

class ExternalData : public Refusal {
protected:
  ExternalData() {
    onnx::TensorProto &tensor = *model.graph.add_initializer();
    tensor.set_name("w");
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_dims(4);
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    model.node("Add", {"x", "w"}, {"y"});
    std::filesystem::create_directory(folder.path("model"));
  }
  void lieAt(const std::string &location) {
    auto *entry = model.graph.mutable_initializer(0)->add_external_data();
    entry->set_key("location");
    entry->set_value(location);
  }
  std::string refusal() { return errorOf(model.bytes(), folder.path("model")).message(); }

  TemporaryFolder folder;
};

TEST_F(ExternalData, IsReadBesideTheModel) {
  lieAt("w.bin");
  ASSERT_TRUE(writeText(folder.path("model/w.bin"), std::string(16, '\0')));
  std::string bytes = model.bytes();
  EXPECT_TRUE(parseModel(std::as_bytes(std::span(bytes)), "m.onnx", folder.path("model")));
}

TEST_F(ExternalData, Missing) {
  lieAt("w.bin");
  EXPECT_NE(refusal().find("initialiser 'w'"), std::string::npos) << refusal();
  EXPECT_NE(refusal().find("external data 'w.bin' cannot be found"), std::string::npos) << refusal();
}

TEST_F(ExternalData, OutsideTheFolderOfTheModel) {
  ASSERT_TRUE(writeText(folder.path("secret.bin"), std::string(16, '\0')));
  lieAt("../secret.bin");
  EXPECT_NE(refusal().find("does not lie inside the folder of the file"), std::string::npos) << refusal();
}

TEST_F(ExternalData, OutsideByALink) {
  ASSERT_TRUE(writeText(folder.path("secret.bin"), std::string(16, '\0')));
  std::filesystem::create_symlink(folder.path("secret.bin"), folder.path("model/w.bin"));
  lieAt("w.bin");
  EXPECT_NE(refusal().find("is a link out of the folder of the file"), std::string::npos) << refusal();
}

TEST_F(ExternalData, TooShort) {
  ASSERT_TRUE(writeText(folder.path("model/w.bin"), std::string(15, '\0')));
  lieAt("w.bin");
  EXPECT_NE(refusal().find("is outside the file of 15"), std::string::npos) << refusal();
}

TEST_F(ExternalData, OfAModelInMemory) {
  lieAt("w.bin");
  EXPECT_NE(errorOf(model.bytes()).message().find("data is external"), std::string::npos);
}

} // namespace
} // namespace tilerig::reference
