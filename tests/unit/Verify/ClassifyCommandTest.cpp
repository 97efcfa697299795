// Tests of the command `tilerig classify`, run as a program: verdicts on dumps, and the output if there is
// nothing to classify.
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Tensor/Npz.h"
#include "isa/Bugs/Bug.h"
#include "tests/support/RunProgram.h"
#include "tests/support/TemporaryFolder.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace tilerig::test {
namespace {

using Json = nlohmann::json;

class ClassifyCommand : public testing::Test {
protected:
  TemporaryFolder folder;

  void save(const std::string &file, const std::string &name, const Tensor &tensor) {
    TensorMap map;
    ASSERT_TRUE(map.add(name, tensor));
    ASSERT_TRUE(writeNpz(folder.path(file), map));
  }
  Outcome run(std::vector<std::string> words) {
    words.insert(words.begin(), {commandFolder() + "/tilerig-classify", "--reference", folder.path("r.npz"),
                                 "--target", folder.path("t.npz")});
    return runProgram(words);
  }
  Json verdictOf(const Tensor &reference, const Tensor &target, int code = 1) {
    save("r.npz", "x", reference);
    save("t.npz", "x", target);
    Outcome outcome = run({"--json"});
    EXPECT_EQ(outcome.exitCode, code) << outcome.output << outcome.errors;
    return Json::parse(outcome.output, nullptr, false)["verdict"];
  }
  void expectNothingToSay(const Tensor &reference, const Tensor &target, const std::string &why) {
    const Json verdict = verdictOf(reference, target);
    EXPECT_EQ(verdict["answer"], "cannot_say");
    EXPECT_EQ(verdict["reason"].get<std::string>().find(why), 0u) << verdict["reason"];
    EXPECT_TRUE(verdict["class"].is_null());
    EXPECT_TRUE(verdict["probabilities"].is_null());
  }

  // A tensor whose channels contain sine waves.
  static Tensor waves(int64_t channels = 8, int64_t side = 12) {
    Tensor tensor(DType::f32, {1, channels, side, side});
    const auto cells = tensor.mutableAs<float>();
    for (size_t i = 0; i < cells.size(); ++i)
      cells[i] = static_cast<float>(std::sin(0.37 * static_cast<double>(i)) * 4 + 0.3);
    return tensor;
  }
  template <class Change>
  static Tensor changed(Tensor tensor, const Change &change) {
    const auto cells = tensor.mutableAs<float>();
    for (size_t i = 0; i < cells.size(); ++i)
      change(cells[i], i);
    return tensor;
  }
};

TEST_F(ClassifyCommand, EqualTensorsHaveNoBug) {
  EXPECT_TRUE(verdictOf(waves(), waves(), 0).is_null());
  EXPECT_NE(run({}).output.find("no tensor is wrong"), std::string::npos);
}

TEST_F(ClassifyCommand, VerdictsHaveConsistentFields) {
  const Tensor doubled = changed(waves(), [](float &value, size_t) { value *= 2; });
  const Json verdict = verdictOf(waves(), doubled);
  EXPECT_EQ(verdict["layer"], "x");
  // The fields of the verdict's record do not contradict each other.
  if (verdict["answer"] == "named")
    EXPECT_EQ(verdict["class"], verdict["top"][0]["class"]);
  else
    EXPECT_TRUE(verdict["class"].is_null());
  double sum = 0;
  for (const auto &[name, probability] : verdict["probabilities"].items())
    sum += probability.get<double>();
  EXPECT_NEAR(sum, 1, 1e-5);
  EXPECT_EQ(verdict["probabilities"].size(), numBugClasses);
  EXPECT_EQ(verdict["top"].size(), 3u);
  EXPECT_EQ(verdict["missing"].size(), 6u); // kinds of information that two dumps alone do not give
  EXPECT_GE(verdict["top"][0]["probability"], verdict["top"][1]["probability"]);
  const Outcome text = run({});
  const char *const headline =
      verdict["answer"] == "cannot_say" ? "first undecided: x: cannot say" : "first wrong: x: ";
  EXPECT_NE(text.output.find(headline), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("information that was not available: "), std::string::npos) << text.output;
}

TEST_F(ClassifyCommand, CannotSay) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor sound = waves();
  const auto all = [&](float value) { return changed(sound, [=](float &cell, size_t) { cell = value; }); };
  expectNothingToSay(sound, waves(8, 13),
                     "the tensors cannot be compared: the reference has shape [1, 8, 12, 12]");
  expectNothingToSay(Tensor(DType::f32, {0}), Tensor(DType::f32, {0}),
                     "0 elements are too few for a verdict");
  expectNothingToSay(Tensor::scalar<float>(1), Tensor::scalar<float>(2),
                     "1 elements are too few for a verdict");
  expectNothingToSay(all(0), sound, "all elements of the reference are zero");
  expectNothingToSay(all(3), sound, "all elements of the reference have the same value");
  expectNothingToSay(sound, all(3), "all elements of the target have the same value");
  expectNothingToSay(all(nan), sound, "the reference contains NaN or infinity");
  expectNothingToSay(sound, all(nan), "most elements of the target are NaN or infinite");
  const auto one = [&](float value) {
    return changed(sound, [=](float &cell, size_t i) { cell = i == 7 ? value : cell; });
  };
  expectNothingToSay(sound, one(nan), "the target contains NaN or infinity");
  expectNothingToSay(sound, one(std::numeric_limits<float>::infinity()),
                     "the target contains NaN or infinity");
  save("r.npz", "x", sound);
  save("t.npz", "y", sound);
  const Json verdict = Json::parse(run({"--json"}).output, nullptr, false)["verdict"];
  EXPECT_EQ(verdict["answer"], "cannot_say");
}

// By default, tensors that match or that one side lacks are neither printed nor named in the headline.
TEST_F(ClassifyCommand, PrintsOnlyWrongTensors) {
  TensorMap reference, target;
  ASSERT_TRUE(reference.add("only_here", waves()) && reference.add("sound", waves()) &&
              reference.add("other_shape", waves()));
  ASSERT_TRUE(target.add("sound", waves()) && target.add("other_shape", waves(8, 13)));
  ASSERT_TRUE(writeNpz(folder.path("r.npz"), reference) && writeNpz(folder.path("t.npz"), target));
  const std::string text = run({}).output;
  EXPECT_EQ(text.find("\n  sound "), std::string::npos) << text;
  EXPECT_EQ(text.find("only_here"), std::string::npos) << text;
  EXPECT_NE(text.find("3 tensors: 1 match, 1 only in reference or target, 1 differ without a verdict"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("first undecided: other_shape: cannot say"), std::string::npos) << text;
  const std::string all = run({"--all"}).output;
  EXPECT_NE(all.find("\n  sound "), std::string::npos) << all;
  EXPECT_NE(all.find("\n  only_here "), std::string::npos) << all;
}

TEST_F(ClassifyCommand, PrintsWrongChannelsAndRows) {
  save("r.npz", "x", waves());
  // Changes row 3 of channel 2.
  save("t.npz", "x",
       changed(waves(), [](float &value, size_t i) { value += i / 12 == 2 * 12 + 3 ? 9.0f : 0.0f; }));
  const Json where = Json::parse(run({"--json", "--exact"}).output, nullptr, false)["layers"][0]["concerned"];
  EXPECT_EQ(where["elements"], 12);
  EXPECT_EQ(where["channels"]["ranges"], Json::parse("[[2, 2]]"));
  EXPECT_EQ(where["rows"]["ranges"], Json::parse("[[3, 3]]"));
  EXPECT_EQ(where["columns"]["ranges"], Json::parse("[[0, 11]]"));
  EXPECT_NE(run({"--exact"}).output.find("12 elements; channels 2 of 8; rows 3 of 12; all 12 columns"),
            std::string::npos);
}

TEST_F(ClassifyCommand, CountsWhatDiffers) {
  save("r.npz", "x", waves());
  save("t.npz", "x", changed(waves(), [](float &value, size_t i) { value += i < 7 ? 1.0f : 0.0f; }));
  const Json layer = Json::parse(run({"--json"}).output, nullptr, false)["layers"][0];
  EXPECT_EQ(layer["elements"], 8 * 12 * 12);
  EXPECT_EQ(layer["different"], 7);
}

// Tensors of unusual rank are accepted.
TEST_F(ClassifyCommand, TakesAnyShape) {
  for (const Shape &shape :
       {Shape{96}, Shape{3, 32}, Shape{2, 3, 16}, Shape{1, 2, 3, 4, 4}, Shape{1, 1, 96, 1, 1, 1}}) {
    Tensor reference(DType::f32, shape), target(DType::f32, shape);
    for (size_t i = 0; i < 96; ++i) {
      reference.mutableAs<float>()[i] = static_cast<float>(i) - 40;
      target.mutableAs<float>()[i] = static_cast<float>(i % 7) - 3;
    }
    const Json verdict = verdictOf(reference, target);
    EXPECT_TRUE(verdict["probabilities"].size() == 19 || verdict["reason"].is_string())
        << showShape(shape) << verdict;
  }
}

TEST_F(ClassifyCommand, Refusals) {
  save("r.npz", "x", waves());
  EXPECT_EQ(run({}).exitCode, 3); // no target
  save("t.npz", "x", waves());
  EXPECT_EQ(run({"--classifier", folder.path("none.onnx")}).exitCode, 3);
  EXPECT_EQ(run({"--classifier", folder.path("r.npz")}).exitCode, 3);
  EXPECT_EQ(run({"--colour"}).exitCode, 2);
  const auto whole = readText(folder.path("t.npz"));
  ASSERT_TRUE(whole && writeText(folder.path("t.npz"), whole->substr(0, whole->size() / 2)));
  const Outcome truncated = run({});
  EXPECT_EQ(truncated.exitCode, 3);
  EXPECT_NE(truncated.errors.find("truncated"), std::string::npos) << truncated.errors;
}

} // namespace
} // namespace tilerig::test
