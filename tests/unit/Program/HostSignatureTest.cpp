// Operands of every operator of the host: those that fit, and each of them dropped, repeated, or given
// another rank or type.
#include "isa/Program/HostSignature.h"

#include <gtest/gtest.h>
#include <string>

namespace tilerig {
namespace {

struct Operands {
  std::string kernel;
  std::vector<std::optional<HostOperand>> inputs;
  std::vector<HostOperand> outputs;
};

constexpr DType f32 = DType::f32, i32 = DType::i32, i64 = DType::i64;

// With all optional operands. A sequence of 5 steps, 2 batches, 3 inputs; 4 hidden states.
Operands recurrent(const std::string &kernel, int64_t gates) {
  const int64_t rows = gates * 4;
  return {kernel,
          {HostOperand{f32, {5, 2, 3}}, HostOperand{f32, {1, rows, 3}}, HostOperand{f32, {1, rows, 4}},
           HostOperand{f32, {1, 2 * rows}}, HostOperand{i32, {2}}, HostOperand{f32, {1, 2, 4}}},
          {{f32, {5, 1, 2, 4}}, {f32, {1, 2, 4}}}};
}

Operands lstm() {
  Operands all = recurrent("LSTM", 4);
  all.inputs.push_back(HostOperand{f32, {1, 2, 4}});
  all.inputs.push_back(HostOperand{f32, {1, 12}});
  all.outputs.push_back({f32, {1, 2, 4}});
  return all;
}

std::vector<Operands> fitting() {
  return {recurrent("GRU", 3),
          {"GatherElements", {HostOperand{f32, {4, 5}}, HostOperand{i64, {2, 5}}}, {{f32, {2, 5}}}},
          {"GatherND", {HostOperand{f32, {4, 5}}, HostOperand{i64, {3, 1}}}, {{f32, {3, 5}}}},
          lstm(),
          {"NonMaxSuppression",
           {HostOperand{f32, {1, 6, 4}}, HostOperand{f32, {1, 3, 6}}, HostOperand{i64, {1}},
            HostOperand{f32, {1}}, HostOperand{f32, {}}},
           {{i64, {9, 3}}}},
          {"NonZero", {HostOperand{DType::boolean, {2, 3}}}, {{i64, {2, 6}}}},
          recurrent("RNN", 1),
          {"Reshape", {HostOperand{f32, {4, 5}}}, {{f32, {2, 10}}}},
          {"ReverseSequence", {HostOperand{f32, {5, 2, 3}}, HostOperand{i64, {2}}}, {{f32, {5, 2, 3}}}},
          {"ScatterElements",
           {HostOperand{f32, {4, 5}}, HostOperand{i32, {2, 5}}, HostOperand{f32, {2, 5}}},
           {{f32, {4, 5}}}},
          {"ScatterND",
           {HostOperand{f32, {4, 5}}, HostOperand{i64, {3, 1}}, HostOperand{f32, {3, 5}}},
           {{f32, {4, 5}}}},
          {"Slice", {HostOperand{f32, {4, 5}}}, {{f32, {2, 3}}}},
          {"TopK", {HostOperand{f32, {2, 8}}, HostOperand{i64, {1}}}, {{f32, {2, 3}}, {i64, {2, 3}}}},
          {"Transpose", {HostOperand{f32, {4, 5}}}, {{f32, {5, 4}}}}};
}

std::string check(const Operands &it) {
  const Status status = checkHostOperands(*findHostSignature(it.kernel), it.inputs, it.outputs);
  return status ? "" : status.error().message();
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(HostSignature, FitsEveryOperator) {
  const auto all = fitting();
  ASSERT_EQ(all.size(), hostSignatures().size());
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].kernel, hostSignatures()[i].name);
    EXPECT_EQ(check(all[i]), "") << all[i].kernel;
    EXPECT_EQ(all[i].inputs.size(), hostSignatures()[i].inputs.size()) << all[i].kernel;
    EXPECT_EQ(all[i].outputs.size(), hostSignatures()[i].outputs.size()) << all[i].kernel;
  }
}

TEST(HostSignature, LetsOptionalInputsBeAbsent) {
  for (Operands it : fitting()) {
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
  for (const Operands &it : fitting()) {
    const size_t least = findHostSignature(it.kernel)->leastInputs;
    for (size_t count = 0; count < least; ++count) {
      Operands few = it;
      few.inputs.resize(count);
      EXPECT_TRUE(contains(check(few), "needs its first " + std::to_string(least) + " inputs")) << it.kernel;
      Operands absent = it;
      absent.inputs[count].reset();
      EXPECT_TRUE(contains(check(absent), "needs its first " + std::to_string(least) + " inputs"))
          << it.kernel;
    }
    Operands silent = it;
    silent.outputs.clear();
    EXPECT_TRUE(contains(check(silent), "needs its first output")) << it.kernel;
  }
}

TEST(HostSignature, RefusesOperandsThatAreRepeated) {
  for (const Operands &it : fitting()) {
    Operands inputs = it, outputs = it;
    inputs.inputs.push_back(it.inputs.back());
    outputs.outputs.push_back(it.outputs.back());
    EXPECT_TRUE(contains(check(inputs), "inputs: there are")) << it.kernel;
    EXPECT_TRUE(contains(check(outputs), "outputs: there are")) << it.kernel;
  }
}

// An operand of a fixed rank with one dimension more, and one of a fixed type with complex elements.
TEST(HostSignature, RefusesOtherRanksAndTypes) {
  for (const Operands &it : fitting()) {
    const HostSignature &signature = *findHostSignature(it.kernel);
    for (size_t i = 0; i < it.inputs.size(); ++i) {
      Operands ranks = it, types = it;
      ranks.inputs[i]->shape.push_back(1);
      types.inputs[i]->type = DType::c64;
      const std::string place = "inputs[" + std::to_string(i) + "]: ";
      if (signature.inputs[i].shape != "*")
        EXPECT_TRUE(contains(check(ranks), place + "has rank")) << it.kernel << ", " << check(ranks);
      if (signature.inputs[i].type != HostType::any)
        EXPECT_TRUE(contains(check(types), place + "is complex64")) << it.kernel << ", " << check(types);
    }
    for (size_t i = 0; i < it.outputs.size(); ++i) {
      Operands ranks = it, types = it;
      ranks.outputs[i].shape.push_back(1);
      types.outputs[i].type = DType::c64;
      const std::string place = "outputs[" + std::to_string(i) + "]: ";
      if (signature.outputs[i].shape != "*")
        EXPECT_TRUE(contains(check(ranks), place + "has ")) << it.kernel << ", " << check(ranks);
      EXPECT_TRUE(contains(check(types), place + "is complex64")) << it.kernel << ", " << check(types);
    }
  }
}

TEST(HostSignature, RefusesDimensionsThatDisagree) {
  Operands boxes = fitting()[4];
  boxes.inputs[1]->shape[2] = 7;
  EXPECT_TRUE(contains(check(boxes), "inputs[1]: has size 7 in dimension 2, and NonMaxSuppression needs 6"));
  boxes = fitting()[4];
  boxes.inputs[0]->shape[2] = 5;
  EXPECT_TRUE(contains(check(boxes), "inputs[0]: has size 5 in dimension 2, and NonMaxSuppression needs 4"));
  Operands weights = lstm();
  weights.inputs[2]->shape[1] = 15;
  EXPECT_TRUE(contains(check(weights), "inputs[2]: has size 15 in dimension 1, and LSTM needs 16"));
  Operands scattered = fitting()[9];
  scattered.outputs[0].shape[0] = 3;
  EXPECT_TRUE(contains(check(scattered), "outputs[0]: has shape"));
}

} // namespace
} // namespace tilerig
