// Tests of the command `tilerig quantise`, run as a program: models with internal and external weights, and
// files that it must not overwrite.
#include "isa/Base/Support/File.h"
#include "tests/support/OnnxModel.h"
#include "tests/support/RunProgram.h"
#include "tests/support/TemporaryFolder.h"

#include <gtest/gtest.h>

namespace tilerig::models {
namespace {

class QuantiseCommand : public testing::Test {
protected:
  // Writes the model y = x · w, with its weights in the model file or in an external one.
  void write(bool isExternal) {
    test::OnnxModel model;
    model.input("x", DType::f32, {1, 2});
    const Tensor weights = Tensor::of<float>({2, 2}, {1, -2, 3, 4});
    model.initialiser("w", weights);
    model.node("MatMul", {"x", "w"}, {"y"});
    model.output("y");
    if (isExternal) {
      onnx::TensorProto &tensor = *model.graph.mutable_initializer(0);
      tensor.clear_raw_data();
      tensor.set_data_location(onnx::TensorProto::EXTERNAL);
      auto *location = tensor.add_external_data();
      location->set_key("location");
      location->set_value("weights.bin");
      ASSERT_TRUE(writeText(weightFile, {reinterpret_cast<const char *>(weights.bytes().data()), 16}));
    }
    ASSERT_TRUE(writeText(file, model.bytes()));
  }
  static test::Outcome quantise(const std::string &model, const std::string &output) {
    return test::runProgram({test::commandFolder() + "/tilerig-quantise", model, "-o", output});
  }

  TemporaryFolder folder;
  std::string file = folder.path("m.onnx"), weightFile = folder.path("weights.bin"),
              quantised = folder.path("q.onnx");
};

TEST_F(QuantiseCommand, WeightsMayLieBesideTheModel) {
  write(false);
  ASSERT_EQ(quantise(file, quantised).exitCode, 0);
  const std::string expected = *readText(quantised);
  write(true);
  const test::Outcome outcome = quantise(file, quantised);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_EQ(*readText(quantised), expected);
}

TEST_F(QuantiseCommand, MissingWeightsAreRefused) {
  write(true);
  std::filesystem::remove(weightFile);
  const test::Outcome outcome = quantise(file, quantised);
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_NE(outcome.errors.find("m.onnx: tensor 'w'"), std::string::npos) << outcome.errors;
}

TEST_F(QuantiseCommand, NoFileOfTheModelIsOverwritten) {
  write(true);
  const std::string model = *readText(file), weights = *readText(weightFile);
  std::filesystem::create_symlink(file, folder.path("link.onnx"));
  for (const std::string &output : {file, weightFile, folder.path("link.onnx")}) {
    const test::Outcome outcome = quantise(file, output);
    EXPECT_EQ(outcome.exitCode, 2) << output;
    EXPECT_NE(outcome.errors.find(output == weightFile ? "the output file is part of the input model"
                                                       : "the same file is also given as MODEL"),
              std::string::npos)
        << outcome.errors;
  }
  EXPECT_EQ(*readText(file), model);
  EXPECT_EQ(*readText(weightFile), weights);
}

} // namespace
} // namespace tilerig::models
