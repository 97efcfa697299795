#include "tests/conformance/CompiledRefusals.h"

#include "compiler/Graph/Import/Import.h"
#include "reference/Model/Load.h"
#include "reference/Run/Interpreter.h"

namespace tilerig::test {

using namespace compiler;

namespace {

constexpr const char *path = "m.onnx";

} // namespace

std::optional<Error> referenceError(const std::string &bytes, const std::string &folder) {
  auto model = reference::parseModel(std::as_bytes(std::span(bytes)), path, folder);
  if (!model)
    return model.error();
  reference::Threads threads(1);
  auto interpreter = reference::Interpreter::create(*std::move(model), {}, threads);
  if (!interpreter)
    return interpreter.error();
  auto outputs = interpreter->run({{"x", Tensor(DType::f32, {1, 4})}});
  return outputs ? std::nullopt : std::optional(outputs.error());
}

std::optional<Error> compilerError(const std::string &bytes, const std::string &folder) {
  auto file = OnnxFile::parse(std::as_bytes(std::span(bytes)), path, folder);
  if (!file)
    return file.error();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = importModel(context, *file, {});
  return module ? std::nullopt : std::optional(module.error());
}

void expectSameRefusal(const std::string &bytes, Words words, const std::string &folder) {
  const auto expected = referenceError(bytes, folder), got = compilerError(bytes, folder);
  ASSERT_TRUE(expected) << "the model is not broken";
  ASSERT_TRUE(got) << "only the reference refuses it: " << expected->message();
  EXPECT_EQ(got->kind, expected->kind) << got->message() << "\n" << expected->message();
  EXPECT_EQ(exitCodeOf(got->kind), ExitCode::input);
  if (words == Words::same) {
    EXPECT_EQ(got->message(), expected->message());
  }
  // The compiler's message must name the file, and a node if the reference's message names one.
  EXPECT_TRUE(got->message().starts_with(path)) << got->message();
  if (expected->message().find("node '") != std::string::npos) {
    EXPECT_NE(got->message().find("node '"), std::string::npos) << got->message();
  }
}

void expectSameReason(const OnnxModel &model, const std::string &reason) {
  expectSameRefusal(model.bytes(), Words::same);
  const auto got = compilerError(model.bytes());
  EXPECT_NE(got->message().find(reason), std::string::npos) << got->message();
}

void expectUnsupported(OnnxModel &model, const std::string &text) {
  const auto error = compilerError(model.bytes());
  ASSERT_TRUE(error) << text;
  EXPECT_EQ(error->kind, ErrorKind::unsupported);
  EXPECT_NE(error->message().find(text), std::string::npos) << error->message();
}

} // namespace tilerig::test
