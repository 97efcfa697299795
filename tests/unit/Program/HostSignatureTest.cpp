// Tests of the operand signatures of all host operators: valid operands are accepted; each operand dropped,
// repeated or given another rank or type is refused.
#include "tests/unit/Program/HostSamples.h"

#include <gtest/gtest.h>

namespace tilerig {
namespace {

using test::HostSample;
using test::hostSamples;

std::string check(const HostSample &it) {
  const Status status = checkHostOperands(*findHostSignature(it.kernel), it.inputs, it.outputs);
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
  for (HostSample it : hostSamples()) {
    const size_t least = findHostSignature(it.kernel)->leastInputs;
    for (size_t i = least; i < it.inputs.size(); ++i)
      it.inputs[i].reset();
    EXPECT_EQ(check(it), "") << it.kernel;
    it.inputs.resize(least);
    it.outputs.resize(1);
    EXPECT_EQ(check(it), "") << it.kernel;
  }
}

TEST(HostSignature, RefusesOperandsThatAreDropped) {
  for (const HostSample &it : hostSamples()) {
    const size_t least = findHostSignature(it.kernel)->leastInputs;
    for (size_t count = 0; count < least; ++count) {
      HostSample few = it;
      few.inputs.resize(count);
      EXPECT_TRUE(contains(check(few), "needs its first " + std::to_string(least) + " inputs")) << it.kernel;
      HostSample absent = it;
      absent.inputs[count].reset();
      EXPECT_TRUE(contains(check(absent), "needs its first " + std::to_string(least) + " inputs"))
          << it.kernel;
    }
    HostSample silent = it;
    silent.outputs.clear();
    EXPECT_TRUE(contains(check(silent), "needs its first output")) << it.kernel;
  }
}

TEST(HostSignature, RefusesOperandsThatAreRepeated) {
  for (const HostSample &it : hostSamples()) {
    HostSample inputs = it, outputs = it;
    inputs.inputs.push_back(it.inputs.back());
    outputs.outputs.push_back(it.outputs.back());
    EXPECT_TRUE(contains(check(inputs), "inputs: there are")) << it.kernel;
    EXPECT_TRUE(contains(check(outputs), "outputs: there are")) << it.kernel;
  }
}

// Operands of a fixed rank are refused with one dimension more, and operands of a fixed type with complex
// elements.
TEST(HostSignature, RefusesOtherRanksAndTypes) {
  for (const HostSample &it : hostSamples()) {
    const HostSignature &signature = *findHostSignature(it.kernel);
    for (size_t i = 0; i < it.inputs.size(); ++i) {
      HostSample ranks = it, types = it;
      ranks.inputs[i]->shape.push_back(1);
      types.inputs[i]->type = DType::c64;
      const std::string place = "inputs[" + std::to_string(i) + "]: ";
      if (signature.inputs[i].shape != "*") {
        EXPECT_TRUE(contains(check(ranks), place + "has rank")) << it.kernel << ", " << check(ranks);
      }
      if (signature.inputs[i].type != HostType::any) {
        EXPECT_TRUE(contains(check(types), place + "has type complex64"))
            << it.kernel << ", " << check(types);
      }
    }
    for (size_t i = 0; i < it.outputs.size(); ++i) {
      HostSample ranks = it, types = it;
      ranks.outputs[i].shape.push_back(1);
      types.outputs[i].type = DType::c64;
      const std::string place = "outputs[" + std::to_string(i) + "]: ";
      if (signature.outputs[i].shape != "*") {
        EXPECT_TRUE(contains(check(ranks), place + "has ")) << it.kernel << ", " << check(ranks);
      }
      EXPECT_TRUE(contains(check(types), place + "has type complex64")) << it.kernel << ", " << check(types);
    }
  }
}

HostSample sampleOf(const std::string &kernel) {
  for (const HostSample &it : hostSamples())
    if (it.kernel == kernel)
      return it;
  ADD_FAILURE() << "no sample of " << kernel;
  return {};
}

TEST(HostSignature, RefusesDimensionsThatDisagree) {
  HostSample boxes = sampleOf("NonMaxSuppression");
  boxes.inputs[1]->shape[2] = 7;
  EXPECT_TRUE(
      contains(check(boxes), "inputs[1]: has size 7 in dimension 2, but NonMaxSuppression needs size 6"));
  boxes = sampleOf("NonMaxSuppression");
  boxes.inputs[0]->shape[2] = 5;
  EXPECT_TRUE(
      contains(check(boxes), "inputs[0]: has size 5 in dimension 2, but NonMaxSuppression needs size 4"));
  HostSample weights = sampleOf("LSTM");
  weights.inputs[2]->shape[1] = 15;
  EXPECT_TRUE(contains(check(weights), "inputs[2]: has size 15 in dimension 1, but LSTM needs size 16"));
  HostSample scattered = sampleOf("ScatterND");
  scattered.outputs[0].shape[0] = 3;
  EXPECT_TRUE(contains(check(scattered), "outputs[0]: has shape"));
}

} // namespace
} // namespace tilerig
