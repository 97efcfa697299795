// Tests of programs in which the framework (the reference interpreter) computes a part of the model: results,
// cost, and the refusal of an ONNX model that does not fit its place in the program.
#include "emulator/Beats/BeatsSession.h"
#include "emulator/Framework/ReferenceFramework.h"
#include "emulator/Session.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Assembly/Parser.h"

#include <gtest/gtest.h>

namespace tilerig::emulator {
namespace {

// Cumulative sums along axis 0, for which the emulated host has no kernel.
constexpr std::string_view cumulativeSums =
    "ir_version: 10 opset_import { version: 21 } graph { "
    "node { input: 'x0' input: 'axis' output: 'y0' op_type: 'CumSum' } "
    "initializer { name: 'axis' data_type: 7 int64_data: 0 } "
    "input { name: 'x0' type { tensor_type { elem_type: 1 shape { dim { dim_value: 4 } } } } } "
    "output { name: 'y0' type { tensor_type { elem_type: 1 shape { dim { dim_value: 4 } } } } } }";

// A program of one stage that runs the model. `result`: type and shape of its output.
Result<Program> programWith(std::string_view model, std::string_view result = "float32 [4]") {
  std::string quoted;
  for (const char letter : model)
    quoted += letter == '\'' ? std::string("\\\"") : std::string(1, letter);
  auto assembly = parseAssembly(".machine tiny\n.metadata {\n  model: \"part\"\n"
                                "  layers { id: 0 name: \"part\" kind: \"CumSum\" where: \"framework\" }\n}\n"
                                ".input \"x\" float32 [4] ddr[0x1000]\n"
                                ".output \"y\" " +
                                    std::string(result) +
                                    " layer=0 stage=0 ddr[0x2000]\n"
                                    ".stage \"part\" inference\n"
                                    ".host \"framework\" layer=0 inputs=[\"x\"] outputs=[\"y\"]\n"
                                    "    attributes={\"model\"={text=\"" +
                                    quoted + "\"} \"operations\"={ints=[100]}}\n",
                                "part");
  if (!assembly)
    return assembly.error();
  TILERIG_CHECK_OK(prove(assembly->program));
  return std::move(assembly->program);
}

TensorMap counted() {
  Tensor x(DType::f32, {4});
  for (int i = 0; i < 4; ++i)
    x.mutableAs<float>()[static_cast<size_t>(i)] = static_cast<float>(i + 1);
  TensorMap inputs;
  EXPECT_TRUE(inputs.add("x", x));
  return inputs;
}

std::string errorOfRun(const Result<Program> &program) {
  if (!program)
    return program.error().message();
  ReferenceFramework framework(1);
  const auto session = Session::load(*program, {.threads = 1, .framework = &framework});
  if (!session)
    return session.error().message();
  const auto outputs = (*session)->run(counted());
  return outputs ? "" : outputs.error().message();
}

TEST(Framework, RunsAPartOfTheModelInBothSessions) {
  const auto program = programWith(cumulativeSums);
  ASSERT_TRUE(program) << program.error().message();
  ReferenceFramework framework(1);
  const std::vector<float> expected = {1, 3, 6, 10};
  const auto session = Session::load(*program, {.threads = 1, .framework = &framework});
  ASSERT_TRUE(session) << session.error().message();
  for (int run = 0; run < 2; ++run) {
    const auto outputs = (*session)->run(counted());
    ASSERT_TRUE(outputs) << outputs.error().message();
    EXPECT_TRUE(std::ranges::equal(outputs->find("y")->as<float>(), expected));
  }
  const auto beats = BeatsSession::load(*program, {}, {}, &framework);
  ASSERT_TRUE(beats) << beats.error().message();
  const auto run = (*beats)->run(counted());
  ASSERT_TRUE(run) << run.error().message();
  EXPECT_TRUE(std::ranges::equal(run->outputs.find("y")->as<float>(), expected));
}

// The cost of a stage on the host is that of one call, of 16 bytes in each direction, and of the operations
// that the stage states.
TEST(Framework, CostsWhatTheStageStates) {
  const auto program = programWith(cumulativeSums);
  ASSERT_TRUE(program) << program.error().message();
  const HostCost cost = costOfHost(*program, 0);
  EXPECT_EQ(cost.operations, 100u);
  EXPECT_EQ(cost.bytesIn, 16u);
  EXPECT_EQ(cost.bytesOut, 16u);
}

TEST(Framework, IsNeededByPrograms) {
  const auto program = programWith(cumulativeSums);
  ASSERT_TRUE(program) << program.error().message();
  const std::string expected =
      "stage 'part': the stage runs a part of the model in a framework, and this run has no framework; "
      "compile the model with --only host, or give the session a framework";
  EXPECT_EQ(Session::load(*program, {}).error().message(), expected);
  EXPECT_EQ(BeatsSession::load(*program).error().message(), expected);
}

TEST(Framework, RefusesPartsThatDoNotFit) {
  const auto expect = [](const std::string &error, const std::string &part) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  expect(errorOfRun(programWith("")), "the attribute 'model' is missing");
  expect(errorOfRun(programWith("graph { node {")),
         "the text is not an ONNX model in protobuf's text form: 1:");
  expect(errorOfRun(programWith("ir_version: 10")), "a part of the model that the framework runs");
  expect(errorOfRun(programWith(cumulativeSums, "float32 [5]")), "shape");
  expect(errorOfRun(programWith(cumulativeSums, "int32 [4]")), "int32");
  std::string twoInputs(cumulativeSums);
  twoInputs.insert(twoInputs.find("output { name"),
                   "input { name: 'z' type { tensor_type { elem_type: 1 } } } ");
  expect(errorOfRun(programWith(twoInputs)), "the model has 2 inputs, but the host stage that runs it has 1");
  std::string nested = "graph { ";
  for (int i = 0; i < 100'000; ++i)
    nested += "node { attribute { g { ";
  expect(errorOfRun(programWith(nested)), "the text is not an ONNX model in protobuf's text form");
}

} // namespace
} // namespace tilerig::emulator
