#include "compiler/Planning/Quantisation/Samples.h"

#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/Npz.h"
#include "tests/support/TemporaryFolder.h"

#include <gtest/gtest.h>
#include <numeric>

namespace tilerig::test {
using namespace compiler;
namespace {

// A tensor with the elements 0, 1, 2, ...
Tensor ramp(const Shape &shape) {
  Tensor tensor(DType::f32, shape);
  std::iota(tensor.mutableAs<float>().begin(), tensor.mutableAs<float>().end(), 0.0f);
  return tensor;
}

class SamplesOfFiles : public testing::Test {
protected:
  std::string path(const std::string &name) const { return folder.path(name); }
  std::string save(const std::string &name, const std::vector<NamedTensor> &tensors,
                   bool compress = false) const {
    TensorMap map;
    for (const NamedTensor &entry : tensors)
      EXPECT_TRUE(map.add(entry.name, entry.tensor));
    EXPECT_TRUE(writeNpz(path(name), map, {.deflate = compress}));
    return path(name);
  }
  std::unique_ptr<Samples> open(const std::string &where) {
    auto samples = openSamples(where, inputs);
    EXPECT_TRUE(samples) << samples.error().message();
    return samples ? *std::move(samples) : nullptr;
  }
  TensorMap take(Samples &samples, uint64_t sample) {
    auto prepared = samples.prepare(sample, scratch.path());
    EXPECT_TRUE(prepared) << prepared.error().message();
    EXPECT_EQ(prepared->arguments, (std::vector<std::string>{"-i", prepared->inputFile}));
    auto tensors = readNpz(prepared->inputFile);
    EXPECT_TRUE(tensors);
    return *tensors;
  }
  void expectRefused(const std::string &where, const std::string &message) {
    auto samples = openSamples(where, inputs);
    ASSERT_FALSE(samples);
    EXPECT_EQ(samples.error().message(), message);
    EXPECT_EQ(samples.error().kind, ErrorKind::invalidInput);
  }

  TemporaryFolder folder, scratch;
  std::vector<ModelInput> inputs = {{"x", DType::f32, {2, 3}}};
};

TEST_F(SamplesOfFiles, OneSample) {
  auto samples = open(save("one.npz", {{"x", ramp({2, 3})}}));
  EXPECT_EQ(samples->count(), 1u);
  EXPECT_EQ(samples->describe(), "1 sample of " + path("one.npz"));
  EXPECT_EQ(samples->placeOf(0), path("one.npz"));
  EXPECT_TRUE(identical(*take(*samples, 0).find("x"), ramp({2, 3})));
}

TEST_F(SamplesOfFiles, ABatchIsSplitIntoSamples) {
  for (const bool compress : {false, true}) {
    auto samples = open(save("stack.npz", {{"x", ramp({4, 2, 3})}}, compress));
    EXPECT_EQ(samples->count(), 4u);
    EXPECT_EQ(samples->describe(), "4 samples of " + path("stack.npz"));
    EXPECT_EQ(samples->placeOf(3), "sample 3 of " + path("stack.npz"));
    EXPECT_TRUE(identical(*take(*samples, 2).find("x"), Tensor::of<float>({2, 3}, {12, 13, 14, 15, 16, 17})));
    EXPECT_TRUE(identical(*take(*samples, 0).find("x"), ramp({2, 3})));
  }
}

TEST_F(SamplesOfFiles, ALongBatch) {
  auto samples = open(save("batch.npz", {{"x", ramp({6, 3})}}));
  EXPECT_EQ(samples->count(), 3u);
  EXPECT_TRUE(identical(*take(*samples, 1).find("x"), Tensor::of<float>({2, 3}, {6, 7, 8, 9, 10, 11})));
}

TEST_F(SamplesOfFiles, OpenDimensionsTakeAnySize) {
  inputs = {{"x", DType::f32, {-1, 3}}};
  EXPECT_EQ(open(save("a.npz", {{"x", ramp({5, 3})}}))->count(), 1u);
  auto samples = open(save("b.npz", {{"x", ramp({2, 4, 3})}}));
  EXPECT_EQ(samples->count(), 2u);
  EXPECT_EQ(take(*samples, 1).find("x")->shape(), (Shape{4, 3}));
}

TEST_F(SamplesOfFiles, LargeArraysAreNotCopied) {
  inputs = {{"x", DType::f32, {1, 3, 224, 224}}};
  auto samples = open(save("large.npz", {{"x", ramp({5, 3, 224, 224})}}));
  EXPECT_EQ(samples->count(), 5u);
  EXPECT_EQ(take(*samples, 4).find("x")->as<float>()[0], 4 * 3 * 224 * 224);
}

TEST_F(SamplesOfFiles, SeveralInputs) {
  inputs.push_back({"mask", DType::i64, {2}});
  auto samples =
      open(save("both.npz", {{"mask", Tensor::of<int64_t>({2, 2}, {1, 2, 3, 4})}, {"x", ramp({4, 3})}}));
  EXPECT_EQ(samples->count(), 2u);
  EXPECT_TRUE(identical(*take(*samples, 1).find("mask"), Tensor::of<int64_t>({2}, {3, 4})));
  expectRefused(save("odd.npz", {{"mask", Tensor::of<int64_t>({2}, {1, 2})}, {"x", ramp({4, 3})}}),
                path("odd.npz") + ": input 'mask': the number of samples is 1, but that of input 'x' is 2; "
                                  "give the same number of samples for every input");
}

TEST_F(SamplesOfFiles, AFolder) {
  save("b.npz", {{"x", ramp({3, 2, 3})}});
  save("a.npz", {{"x", Tensor::of<float>({2, 3}, {9, 9, 9, 9, 9, 9})}});
  ASSERT_TRUE(writeText(path(".notes"), "not looked at"));
  auto samples = open(folder.path());
  EXPECT_EQ(samples->count(), 4u);
  EXPECT_EQ(samples->describe(), "4 samples of " + folder.path());
  EXPECT_EQ(samples->placeOf(0), path("a.npz"));
  EXPECT_EQ(samples->placeOf(2), "sample 1 of " + path("b.npz"));
  EXPECT_EQ(take(*samples, 0).find("x")->as<float>()[0], 9);
  EXPECT_EQ(take(*samples, 2).find("x")->as<float>()[0], 6);
  EXPECT_EQ(take(*samples, 0).find("x")->as<float>()[0], 9);
}

TEST_F(SamplesOfFiles, RefusesFoldersWithoutOrWithOtherFiles) {
  expectRefused(folder.path(), folder.path() + ": the folder contains no samples; put .npz files into it");
  ASSERT_TRUE(writeText(path("cat.jpg"), "a cat"));
  expectRefused(folder.path(),
                path("cat.jpg") +
                    ": the file is not an .npz file, but a folder of samples may contain no other files; "
                    "move this file out of the folder");
}

TEST_F(SamplesOfFiles, RefusesNamesThatAreNoInputs) {
  expectRefused(save("a.npz", {{"X", ramp({2, 3})}}),
                path("a.npz") + ": the model has no input 'X'; expected x");
  inputs.push_back({"mask", DType::f32, {2}});
  expectRefused(save("b.npz", {{"x", ramp({2, 3})}}),
                path("b.npz") +
                    ": the array of input 'mask' is missing; a sample needs arrays of 'x', 'mask'");
}

TEST_F(SamplesOfFiles, RefusesOtherTypesAndShapes) {
  expectRefused(save("a.npz", {{"x", Tensor(DType::f64, {2, 3})}}),
                path("a.npz") +
                    ": input 'x': the array has element type float64, but the model takes float32; save it "
                    "as float32");
  for (const Shape &shape : {Shape{3, 2}, Shape{3, 3}, Shape{6}, Shape{}, Shape{0, 2, 3}, Shape{1, 1, 2, 3}})
    expectRefused(
        save("b.npz", {{"x", ramp(shape)}}),
        path("b.npz") + ": input 'x': the array has shape " + showShape(shape) +
            ", but the model takes [2, 3]; use shape [2, 3] for one sample, or add a first dimension for "
            "several samples");
}

TEST_F(SamplesOfFiles, RefusesWhatCannotBeRead) {
  EXPECT_FALSE(openSamples(path("none.npz"), inputs));
  ASSERT_TRUE(writeText(path("bad.npz"), "no zip"));
  auto samples = openSamples(path("bad.npz"), inputs);
  ASSERT_FALSE(samples);
  EXPECT_TRUE(samples.error().message().starts_with(path("bad.npz") + ": ")) << samples.error().message();
}

TEST(SeededSamples, AreRunsOfTheReferenceWithOtherSeeds) {
  auto samples =
      seededSamples({{"x", DType::f32, {1, 3}}, {"s", DType::f32, {}}, {"y", DType::f32, {-1}}}, 7, 3);
  EXPECT_EQ(samples->count(), 3u);
  EXPECT_EQ(samples->describe(),
            "3 samples generated from seed 7, like the random inputs of tilerig reference");
  EXPECT_EQ(samples->placeOf(2), "the random sample with seed 9");
  auto prepared = samples->prepare(2, "/scratch");
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->inputFile, "/scratch/sample.npz");
  EXPECT_EQ(prepared->arguments,
            (std::vector<std::string>{"--seed", "9", "--input-shape=x=1x3",
                                      "--input-shape=s=", "--save-inputs=/scratch/sample.npz"}));
}

} // namespace
} // namespace tilerig::test
