// Tests of relocating programs in DDR: all addresses in DDR move, nothing else does, and what cannot move is
// refused.
#include "isa/Program/Relocate.h"
#include "isa/Instructions/Access.h"
#include "isa/Program/Verify.h"
#include "tests/support/Effort.h"
#include "tests/support/Programs/SampleProgram.h"
#include "tests/support/RandomInstruction.h"

#include <gtest/gtest.h>

namespace tilerig::test {
namespace {

constexpr uint64_t moveBy = 17 * ddrBaseBytes;

// The smallest program with one more instruction on tile 0.
Program programOf(const Instruction &instruction, const Machine &machine) {
  Program program = smallestProgram(machine);
  program.metadata.set_ddr_relocatable(true);
  auto &code = std::get<DeviceStage>(program.stages[0].work).tiles[0];
  code.insert(code.begin(), instruction);
  std::visit([](auto &typed) { typed.layer = 0; }, code[0]);
  return program;
}
AccessList accessesOf(const Program &program) {
  AccessList all;
  appendAccesses(std::get<DeviceStage>(program.stages[0].work).tiles[0][0], 0, all);
  return all;
}

TEST(Relocated, BytesOfDdrMoveAndThoseOfTilesDoNot) {
  const Machine machine = *loadMachine("tr16");
  Random random(41);
  uint64_t inDdr = 0;
  for (uint64_t i = 0; i < rounds(2000); ++i) {
    const Program program = programOf(randomInstruction(random, {machine, 0, 2}), machine);
    auto moved = relocated(program, moveBy);
    if (!moved) { // moving may be refused only if the program would exceed the end of DDR
      EXPECT_NE(moved.error().message().find("does not fit"), std::string::npos) << moved.error().message();
      continue;
    }
    const AccessList before = accessesOf(program), after = accessesOf(*moved);
    ASSERT_EQ(before.size(), after.size());
    for (size_t at = 0; at < before.size(); ++at) {
      Region expected = before[at].region;
      if (before[at].memory == ddrMemory) {
        expected.begin += moveBy, expected.end += moveBy;
        ++inDdr;
      }
      EXPECT_EQ(after[at].region, expected) << before[at].operand;
    }
  }
  EXPECT_GT(inDdr, rounds(2000) / 40); // the random programs had enough operands in DDR to compare
}

TEST(Relocated, ConstantsTensorsAndProofMoveToo) {
  Program program = smallestProgram(*loadMachine("tiny"));
  program.metadata.set_ddr_relocatable(true);
  addProof(program);
  auto moved = relocated(program, moveBy);
  ASSERT_TRUE(moved) << moved.error().message();
  EXPECT_EQ(moved->constants[0].address, program.constants[0].address + moveBy);
  EXPECT_EQ(moved->metadata.tensors(0).pieces(0).address(), 4096 + moveBy);
  EXPECT_NE(hashContent(*moved), hashContent(program));
  EXPECT_TRUE(verifyProof(*moved, hashContent(*moved)));
  EXPECT_TRUE(moved->metadata.ddr_relocatable()); // a moved program can be moved again
}

TEST(Relocated, ByZeroIsUnchanged) {
  Program fixed = smallestProgram(*loadMachine("tiny")); // moving a program by 0 is always possible
  auto moved = relocated(fixed, 0);
  ASSERT_TRUE(moved);
  EXPECT_EQ(hashContent(*moved), hashContent(fixed));
}

TEST(Relocated, RefusesImpossibleAddresses) {
  const Machine machine = *loadMachine("tiny");
  Program program = smallestProgram(machine);
  const auto complaint = [&](uint64_t to) {
    auto moved = relocated(program, to);
    return moved ? std::string("moved") : moved.error().message();
  };
  EXPECT_NE(complaint(moveBy).find("for fixed addresses"), std::string::npos) << complaint(moveBy);
  program.metadata.set_ddr_relocatable(true);
  EXPECT_NE(complaint(moveBy + 64).find("not a multiple of 4096"), std::string::npos)
      << complaint(moveBy + 64);
  const uint64_t end = machine.ddr.sizeBytes;
  EXPECT_NE(complaint(end).find("lies past the end"), std::string::npos) << complaint(end);
  // The program's tensor lies at address 4096, so the highest base at which it fits is two pages below the
  // end of DDR.
  EXPECT_EQ(complaint(end - 2 * ddrBaseBytes), "moved");
  EXPECT_NE(complaint(end - ddrBaseBytes).find("does not fit"), std::string::npos)
      << complaint(end - ddrBaseBytes);
}

} // namespace
} // namespace tilerig::test
