#include "compiler/Planning/Quantisation/PrecisionPlan.h"

#include "isa/Base/Support/File.h"
#include "tests/support/TemporaryFolder.h"

#include <gtest/gtest.h>

namespace tilerig::test {
using namespace compiler;
namespace {

PrecisionPlan parsed(std::string_view text) {
  auto plan = PrecisionPlan::parse(text);
  EXPECT_TRUE(plan) << plan.error().message();
  return plan ? *plan : PrecisionPlan();
}

Precision precisionOf(const PrecisionPlan &plan, const std::vector<std::string> &names) {
  auto precision = plan.precisionOf(names);
  EXPECT_TRUE(precision) << precision.error().message();
  return precision ? *precision : Precision::fp32;
}

void expectRefused(std::string_view text, const std::string &message) {
  auto plan = PrecisionPlan::parse(text);
  ASSERT_FALSE(plan) << text;
  EXPECT_EQ(plan.error().message(), message);
  EXPECT_EQ(plan.error().kind, ErrorKind::invalidInput);
}

TEST(PrecisionPlan, OnePrecisionForAll) {
  for (const char *name : {"fp32", "fp16", "bf16", "int8", "uint8"}) {
    auto plan = PrecisionPlan::read(name);
    ASSERT_TRUE(plan);
    EXPECT_EQ(nameOf(precisionOf(*plan, {"any"})), name);
    EXPECT_EQ(plan->needsCalibration(), std::string_view(name).ends_with("int8"));
  }
}

TEST(PrecisionPlan, LayersDifferFromTheDefault) {
  const PrecisionPlan plan =
      parsed(R"({"default": "int8", "method": "percentile:99.5", "weights": "per-tensor",
                                        "layers": {"/head/Gemm": "fp16", "logits.1": "fp32"}})");
  EXPECT_EQ(precisionOf(plan, {"/conv1/Conv", "conv1"}), Precision::int8);
  EXPECT_EQ(precisionOf(plan, {"/head/Relu", "/head/Gemm"}), Precision::fp16);
  EXPECT_EQ(precisionOf(plan, {"logits.1"}), Precision::fp32);
  EXPECT_EQ(precisionOf(plan, {}), Precision::int8);
  EXPECT_EQ(nameOf(plan.method()), "percentile:99.5");
  EXPECT_EQ(plan.weightScales(), WeightScales::perTensor);
  EXPECT_TRUE(plan.needsCalibration());
}

TEST(PrecisionPlan, DefaultsOfMissingFields) {
  const PrecisionPlan plan = parsed("{}");
  EXPECT_EQ(precisionOf(plan, {"x"}), Precision::fp32);
  EXPECT_EQ(nameOf(plan.method()), "min-max");
  EXPECT_EQ(plan.weightScales(), WeightScales::perChannel);
  EXPECT_TRUE(plan.usesNineBits());
  EXPECT_FALSE(parsed(R"({"nine_bits": false})").usesNineBits());
  EXPECT_FALSE(plan.needsCalibration());
  EXPECT_TRUE(parsed(R"({"layers": {"a": "uint8"}})").needsCalibration());
}

TEST(PrecisionPlan, ActivationsSayHowInt8IsStored) {
  const PrecisionPlan plan =
      parsed(R"({"default": "int8", "activations": "uint8", "layers": {"a": "int8", "b": "fp16"}})");
  EXPECT_EQ(precisionOf(plan, {"x"}), Precision::uint8);
  EXPECT_EQ(precisionOf(plan, {"a"}), Precision::uint8);
  EXPECT_EQ(precisionOf(plan, {"b"}), Precision::fp16);
  EXPECT_EQ(precisionOf(parsed(R"({"default": "int8", "activations": "int8"})"), {"x"}), Precision::int8);
  expectRefused(
      R"({"activations": "int8", "layers": {"a": "uint8"}})",
      "layers.a: the precision is uint8 although \"activations\" is int8; leave out \"activations\", or write int8 here");
}

TEST(PrecisionPlan, RefusesWhatItDoesNotKnow) {
  expectRefused(R"({"defualt": "int8"})", "defualt: unknown key; did you mean 'default'?");
  expectRefused(R"({"default": "int4"})", "default: there is no precision 'int4'; did you mean 'int8'?");
  expectRefused(R"({"default": 8})", "default: must be a string, not 8");
  expectRefused(R"({"layers": {"a": "double"}})",
                "layers.a: there is no precision 'double'; expected fp32, fp16, bf16, int8 or uint8");
  expectRefused(R"({"nine_bits": 9})", "nine_bits: must be true or false, not 9");
  expectRefused(R"({"layers": ["a"]})", "layers: must be an object, not a list");
  expectRefused(R"({"layers": {"a": {}}})", "layers.a: must be a string, not an object");
  expectRefused(
      R"({"method": "kl"})",
      "method: there is no calibration method 'kl'; expected min-max, percentile, entropy, mse or average");
  expectRefused(R"({"activations": "fp16"})", "activations: cannot be 'fp16'; expected int8 or uint8");
  expectRefused(R"({"weights": "both"})", "weights: cannot be 'both'; expected per-channel or per-tensor");
}

TEST(PrecisionPlan, RefusesWhatIsNoJson) {
  expectRefused("{\n  \"default\": int8}", "line 2, column 14: the JSON text is invalid at \"int8}\"");
  expectRefused(R"({"layers": {"a": "fp16", "a": "fp32"}})", "layers.a: the key is given twice");
  expectRefused("[]", "must be an object, not a list");
  expectRefused("\"int8\"", "must be an object, not \"int8\"");
  expectRefused(
      R"({"layers": )" + std::string(40, '['),
      "layers[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]: the value is nested more than 16 levels deep");
  expectRefused("{\"default\": \"int8\"", "line 1, column 19: the JSON text ends too early");
  expectRefused("", "line 1, column 1: the JSON text ends too early");
}

TEST(PrecisionPlan, NamesHaveToBeTheModels) {
  const PrecisionPlan plan = parsed(R"({"layers": {"/conv1/Conv": "fp16"}})");
  const std::vector<std::string> names = {"/conv1/Conv", "conv1"};
  EXPECT_TRUE(plan.checkNames(names));
  auto status = plan.checkNames(std::vector<std::string>{"/conv2/Conv", "x"});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message(),
            "layers: the model has no node and no tensor '/conv1/Conv'; did you mean '/conv2/Conv'?");
  status = plan.checkNames(std::vector<std::string>{"x"});
  EXPECT_EQ(status.error().remedy, "tilerig compile --emit graph writes all names");
}

TEST(PrecisionPlan, OneLayerHasOnePrecision) {
  const PrecisionPlan plan = parsed(R"({"layers": {"conv": "fp16", "relu": "fp32", "add": "fp16"}})");
  EXPECT_EQ(precisionOf(plan, {"conv", "add"}), Precision::fp16);
  auto precision = plan.precisionOf(std::vector<std::string>{"conv", "relu"});
  ASSERT_FALSE(precision);
  EXPECT_EQ(precision.error().message(), "'conv' has precision fp16 and 'relu' has precision fp32, but one "
                                         "layer computes both; give both names the same precision");
}

TEST(PrecisionPlan, OfAFile) {
  const TemporaryFolder folder;
  const std::string path = folder.path("mixed.json");
  ASSERT_TRUE(writeText(path, R"({"default": "bf16", "layers": {"a": "fp32"}})"));
  auto plan = PrecisionPlan::read(path);
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(precisionOf(*plan, {"x"}), Precision::bf16);
  EXPECT_EQ(plan->checkNames(std::vector<std::string>{"b"}).error().place, path + ": layers");

  ASSERT_TRUE(writeText(path, R"({"default": "bf61"})"));
  EXPECT_EQ(PrecisionPlan::read(path).error().message(),
            path + ": default: there is no precision 'bf61'; did you mean 'bf16'?");
}

TEST(PrecisionPlan, NeitherAPrecisionNorAFile) {
  auto plan = PrecisionPlan::read("int9");
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().kind, ErrorKind::usage);
  EXPECT_EQ(plan.error().message(),
            "--precision: 'int9' is neither a precision nor a file; did you mean 'int8'?");
}

} // namespace
} // namespace tilerig::test
