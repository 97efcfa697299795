// Compute instructions are emulated row by row and transfers slice by slice. The rows or slices of an
// instruction together access the same bytes as the whole instruction, and no two slices access the same
// byte.
#include "emulator/Beats/RowAccesses.h"
#include "emulator/Beats/TransferBeats.h"
#include "tests/support/Effort.h"
#include "tests/support/RandomInstruction.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace tilerig {
using namespace emulator;
namespace {

using Bytes = std::set<std::tuple<MemoryId, AccessKind, uint64_t>>;

Bytes bytesOf(const AccessList &accesses) {
  Bytes bytes;
  for (const Access &access : accesses)
    forEachRun(access.region, [&](ByteRange run) {
      for (uint64_t at = run.begin; at < run.end; ++at)
        bytes.emplace(access.memory, access.kind, at);
      return true;
    });
  return bytes;
}

TEST(RowAccesses, AreTogetherThoseOfTheInstruction) {
  Machine machine = *loadMachine("tiny");
  machine.tile.ocmBytes = 1 << 14;
  machine.ddr.sizeBytes = 1 << 16;
  machine.network.chunkBytes = 64; // small chunks, so that a transfer is executed in several slices
  test::Random random(11);
  std::map<size_t, int> seen;
  for (uint64_t round = 0; round < test::rounds(4000); ++round) {
    const Instruction instruction = test::randomInstruction(random, {machine, 1, 4, 300});
    AccessList whole, parts;
    appendAccesses(instruction, 1, whole);
    if (whole.empty())
      continue;
    ++seen[instruction.index()];
    if (const Engine engine = engineOf(instruction); engine == Engine::pod || engine == Engine::pe) {
      for (uint64_t row = 0; row < numRows(instruction); ++row)
        appendRowAccesses(instruction, 1, row, parts);
    } else if (std::holds_alternative<Gather>(instruction)) {
      continue; // the values of the indices decide which rows are accessed
    } else {
      const TransferBeats beats(instruction, 1, machine, false);
      size_t writtenBySlices = 0;
      AccessList writes;
      for (uint64_t slice = 0; slice < beats.size(); ++slice) {
        writes.clear();
        beats.appendReads(slice, parts);
        beats.appendWrites(slice, writes);
        writtenBySlices += bytesOf(writes).size();
        parts.insert(parts.end(), writes.begin(), writes.end());
      }
      size_t written = 0;
      for (const auto &[memory, kind, address] : bytesOf(whole))
        written += kind == AccessKind::write;
      EXPECT_EQ(writtenBySlices, written) << "round " << round;
    }
    ASSERT_EQ(bytesOf(parts), bytesOf(whole)) << "round " << round << ", " << mnemonicOf(instruction);
  }
  size_t accessing = 0;
  forEachInstructionType([&]<class T>() { accessing += !ControlInstruction<T>; });
  EXPECT_EQ(seen.size(), accessing);
}

} // namespace
} // namespace tilerig
