// Tests of the operand signatures of all host operators: valid operands are accepted; each operand dropped,
// repeated or given another rank or type is refused.
#include "tests/support/Programs/HostSamples.h"

#include <gtest/gtest.h>

namespace tilerig {
namespace {

using test::HostSample;
using test::hostSamples;

std::string check(const HostSample &sample) {
  const Status status = checkHostOperands(*findHostSignature(sample.kernel), sample.inputs, sample.outputs);
  return status ? "" : status.error().message();
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(HostSignature, FitsEveryOperator) {
  const auto all = hostSamples();
  ASSERT_EQ(all.size(), hostSignatures().size());
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].kernel, hostSignatures()[i].name);
    EXPECT_EQ(check(all[i]), "") << all[i].kernel;
    EXPECT_EQ(all[i].inputs.size(), hostSignatures()[i].inputs.size()) << all[i].kernel;
    EXPECT_EQ(all[i].outputs.size(), hostSignatures()[i].outputs.size()) << all[i].kernel;
  }
}

TEST(HostSignature, LetsOptionalInputsBeAbsent) {
  for (HostSample sample : hostSamples()) {
    const size_t least = findHostSignature(sample.kernel)->leastInputs;
    for (size_t i = least; i < sample.inputs.size(); ++i)
      sample.inputs[i].reset();
    EXPECT_EQ(check(sample), "") << sample.kernel;
    sample.inputs.resize(least);
    sample.outputs.resize(1);
    EXPECT_EQ(check(sample), "") << sample.kernel;
  }
}

TEST(HostSignature, RefusesOperandsThatAreDropped) {
  for (const HostSample &sample : hostSamples()) {
    const size_t least = findHostSignature(sample.kernel)->leastInputs;
    for (size_t count = 0; count < least; ++count) {
      HostSample few = sample;
      few.inputs.resize(count);
      EXPECT_TRUE(contains(check(few), "needs its first " + std::to_string(least) + " inputs"))
          << sample.kernel;
      HostSample absent = sample;
      absent.inputs[count].reset();
      EXPECT_TRUE(contains(check(absent), "needs its first " + std::to_string(least) + " inputs"))
          << sample.kernel;
    }
    HostSample silent = sample;
    silent.outputs.clear();
    EXPECT_TRUE(contains(check(silent), "needs its first output")) << sample.kernel;
  }
}

TEST(HostSignature, RefusesOperandsThatAreRepeated) {
  for (const HostSample &sample : hostSamples()) {
    HostSample inputs = sample, outputs = sample;
    inputs.inputs.push_back(sample.inputs.back());
    outputs.outputs.push_back(sample.outputs.back());
    EXPECT_TRUE(contains(check(inputs), "inputs: there are")) << sample.kernel;
    EXPECT_TRUE(contains(check(outputs), "outputs: there are")) << sample.kernel;
  }
}

// If the rank of an operand is fixed, the operand is refused with one dimension more. If its type is fixed,
// it is refused with complex elements.
TEST(HostSignature, RefusesOtherRanksAndTypes) {
  for (const HostSample &sample : hostSamples()) {
    const HostSignature &signature = *findHostSignature(sample.kernel);
    for (size_t i = 0; i < sample.inputs.size(); ++i) {
      HostSample ranks = sample, types = sample;
      ranks.inputs[i]->shape.push_back(1);
      types.inputs[i]->type = DType::c64;
      const std::string place = "inputs[" + std::to_string(i) + "]: ";
      if (signature.inputs[i].shape != "*") {
        EXPECT_TRUE(contains(check(ranks), place + "the tensor has rank"))
            << sample.kernel << ", " << check(ranks);
      }
      if (signature.inputs[i].type != HostType::any) {
        EXPECT_TRUE(contains(check(types), place + "the tensor has type complex64"))
            << sample.kernel << ", " << check(types);
      }
    }
    for (size_t i = 0; i < sample.outputs.size(); ++i) {
      HostSample ranks = sample, types = sample;
      ranks.outputs[i].shape.push_back(1);
      types.outputs[i].type = DType::c64;
      const std::string place = "outputs[" + std::to_string(i) + "]: ";
      if (signature.outputs[i].shape != "*") {
        EXPECT_TRUE(contains(check(ranks), place + "the tensor has "))
            << sample.kernel << ", " << check(ranks);
      }
      if (signature.outputs[i].type != HostType::any) {
        EXPECT_TRUE(contains(check(types), place + "the tensor has type complex64"))
            << sample.kernel << ", " << check(types);
      }
    }
  }
}

HostSample sampleOf(const std::string &kernel) {
  for (const HostSample &sample : hostSamples())
    if (sample.kernel == kernel)
      return sample;
  ADD_FAILURE() << "no sample of " << kernel;
  return {};
}

TEST(HostSignature, RefusesDimensionsThatDisagree) {
  HostSample boxes = sampleOf("NonMaxSuppression");
  boxes.inputs[1]->shape[2] = 7;
  EXPECT_TRUE(contains(
      check(boxes), "inputs[1]: the tensor has size 7 in dimension 2, but NonMaxSuppression needs size 6"));
  boxes = sampleOf("NonMaxSuppression");
  boxes.inputs[0]->shape[2] = 5;
  EXPECT_TRUE(contains(
      check(boxes), "inputs[0]: the tensor has size 5 in dimension 2, but NonMaxSuppression needs size 4"));
  HostSample weights = sampleOf("LSTM");
  weights.inputs[2]->shape[1] = 15;
  EXPECT_TRUE(
      contains(check(weights), "inputs[2]: the tensor has size 15 in dimension 1, but LSTM needs size 16"));
  HostSample scattered = sampleOf("ScatterND");
  scattered.outputs[0].shape[0] = 3;
  EXPECT_TRUE(contains(check(scattered), "outputs[0]: the tensor has shape"));
}

} // namespace
} // namespace tilerig
