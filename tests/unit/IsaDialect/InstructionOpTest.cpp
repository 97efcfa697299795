// Tests of instructions as MLIR operations: both text forms, custom and generic, parse back to the same bits.
#include "isa/Instructions/Codec.h"
#include "tests/support/Random.h"
#include "tests/unit/IsaDialect/Texts.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace tilerig {
using namespace compiler;
namespace {

std::vector<std::byte> bytesOf(const Instruction &instruction) {
  std::vector<std::byte> bytes;
  encode(instruction, bytes);
  return bytes;
}

class InstructionOps : public testing::TestWithParam<bool> {
protected:
  InstructionOps() { context.loadDialect<isa::IsaDialect>(); }

  // Expects all instructions to survive printing and parsing. One module holds them all to save time. A halt
  // is a terminator, so each instruction stands in the region of a tile before a halt.
  void expectSurvive(const std::vector<Instruction> &all) {
    const mlir::Location nowhere = mlir::UnknownLoc::get(&context);
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(nowhere);
    mlir::OpBuilder builder(&context);
    builder.setInsertionPointToEnd(module->getBody());
    for (const Instruction &instruction : all)
      if (!std::holds_alternative<Halt>(instruction))
        isa::createInstruction(builder, nowhere, instruction);
    const std::string text = test::textOf(*module, GetParam());
    std::string said;
    auto again = test::parsed(context, text, said);
    ASSERT_TRUE(again) << said << text.substr(0, 2000);
    size_t i = 0;
    for (mlir::Operation &operation : *again->getBody()) {
      while (std::holds_alternative<Halt>(all[i]))
        ++i;
      ASSERT_TRUE(bytesOf(isa::instructionOf(&operation)) == bytesOf(all[i]))
          << test::textOf(&operation, GetParam());
      ++i;
    }
    EXPECT_EQ(i, all.size());
    EXPECT_EQ(test::textOf(*again, GetParam()), text);
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

// A random instruction with any field values, legal or not; often the ends of a range, and any bits of
// floats.
template <class T>
T anyOf(test::Random &random) {
  T instruction;
  forEachField(instruction, [&](const FieldPath &, const auto &field, auto &member, unsigned) {
    using Member = std::remove_reference_t<decltype(member)>;
    if (random.chance(50))
      return;
    if constexpr (std::is_same_v<Member, float>)
      member = random.chance(50)
                   ? std::bit_cast<float>(static_cast<uint32_t>(random.next()))
                   : random.pick(std::vector<float>{0.0F, -0.0F, 1.0F, 0.1F, INFINITY, -INFINITY, 1e-45F,
                                                    3.4028235e38F, 1e10F, 16777216.0F, NAN});
    else if (random.chance(30))
      member = static_cast<Member>(random.chance(50) ? field.low : field.high);
    else
      member = static_cast<Member>(field.width == 64 ? static_cast<int64_t>(random.next())
                                                     : random.between(field.low, field.high));
  });
  return instruction;
}

TEST_P(InstructionOps, AnythingThatCanBeEncodedSurvives) {
  test::Random random(7);
  forEachInstructionType([&]<class T>() {
    if constexpr (!std::is_same_v<T, Halt>) {
      std::vector<Instruction> all;
      for (int i = 0; i < 300; ++i)
        all.push_back(anyOf<T>(random));
      expectSurvive(all);
    }
  });
}

// Floats printed as decimals parse back exactly, even near the midpoint of two floats, where reading through
// double may round to the wrong one.
TEST_P(InstructionOps, FloatsSurviveByWayOfDouble) {
  test::Random random(8);
  std::vector<Instruction> all;
  for (int i = 0; i < 20'000; ++i)
    all.push_back(Activate{.finish = {.alpha = std::bit_cast<float>(static_cast<uint32_t>(random.next()))}});
  expectSurvive(all);
}

INSTANTIATE_TEST_SUITE_P(Forms, InstructionOps, testing::Bool(),
                         [](const auto &info) { return info.param ? "generic" : "custom"; });

} // namespace
} // namespace tilerig
