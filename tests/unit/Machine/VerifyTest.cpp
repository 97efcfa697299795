// Tests of the verification of machine descriptions: contradictory ones are refused, and values at a limit
// are accepted.

#include "isa/Machine/Machine.h"

#include <functional>
#include <gtest/gtest.h>

using namespace tilerig;

static std::string verdict(const std::function<void(Machine &)> &change) {
  Machine machine = *loadMachine("tr64");
  change(machine);
  Status status = verifyMachine(machine, "m");
  return status ? "agrees" : status.error().message();
}

TEST(VerifyMachine, builtInMachinesAgree) {
  for (const std::string &name : builtInMachines())
    EXPECT_TRUE(verifyMachine(*loadMachine(name), "m"));
}

TEST(VerifyMachine, everyFigureHasItsRange) {
  Machine machine = *loadMachine("tr64");
  forEachFigure(machine, [&](const FigurePath &path, const auto &figure, auto &value) {
    auto original = value;
    auto refused = [&](auto wrong) {
      value = wrong;
      Status status = verifyMachine(machine, "");
      ASSERT_FALSE(status) << path.text();
      EXPECT_EQ(status.error().place, path.text());
      EXPECT_EQ(status.error().what, std::to_string(value) + " is outside " + std::to_string(figure.low) +
                                         ".." + std::to_string(figure.high));
    };
    if (figure.low > 0)
      refused(figure.low - 1);
    refused(figure.high + 1);
    value = original;
  });
}

TEST(VerifyMachine, ratesAreNeverZero) {
  // Numbers of a machine by which formulas divide must not be zero.
  EXPECT_EQ(verdict([](Machine &m) { m.pod.half.k = 0; }), "m: pod.half.k: 0 is outside 1..1024");
  EXPECT_EQ(verdict([](Machine &m) { m.pe.bytesPerCycle = 0; }),
            "m: pe.bytes_per_cycle: 0 is outside 1..4096");
  EXPECT_EQ(verdict([](Machine &m) { m.tile.queueDepth = 0; }), "m: tile.queue_depth: 0 is outside 1..255");
}

TEST(VerifyMachine, names) {
  for (const std::string &good : std::vector<std::string>{"a", "TR-64_b.2", std::string(64, 'x')})
    EXPECT_EQ(verdict([&](Machine &m) { m.name = good; }), "agrees");
  for (const std::string &bad : std::vector<std::string>{"", "a b", "a/b", "\xc3\xa9", std::string(65, 'x')})
    EXPECT_EQ(verdict([&](Machine &m) { m.name = bad; }),
              "m: name: the name must be 1 to 64 letters, digits, '_', '-' or '.'");
  EXPECT_EQ(verdict([](Machine &m) { m.name = "a.json"; }),
            "m: name: the name must not end in .json, or it would be taken for a file");
}

TEST(VerifyMachine, tilesFillTheBlocks) {
  auto network = [](uint32_t tiles, uint32_t rows, uint32_t columns) {
    return verdict([=](Machine &m) {
      m.network.tiles = tiles;
      m.network.routerRows = rows;
      m.network.routerColumns = columns;
      m.ddr.totalBytesPer1000Cycles = 1;
    });
  };
  EXPECT_EQ(network(60, 5, 3), "agrees");
  EXPECT_EQ(network(64, 1, 16), "agrees");
  EXPECT_EQ(network(3, 1, 1), "agrees");
  EXPECT_EQ(network(60, 4, 4), "m: network.tiles: 4 x 4 blocks have 64 tiles, not 60");
  EXPECT_EQ(network(64, 5, 4), "m: network.tiles: 5 x 4 blocks have 80 tiles, not 64");
  EXPECT_EQ(network(5, 1, 1), "m: network.tiles: 5 tiles do not fit into a single block of 4 tiles");
}

TEST(VerifyMachine, powersOfTwo) {
  EXPECT_EQ(verdict([](Machine &m) { m.network.chunkBytes = 4097; }),
            "m: network.chunk_bytes: 4097 is not a power of two");
  EXPECT_EQ(verdict([](Machine &m) { m.ddr.granuleBytes = 96; }),
            "m: ddr.granule_bytes: 96 is not a power of two");
  EXPECT_EQ(verdict([](Machine &m) { m.tile.ocmBanks = 15; }), "m: tile.ocm_banks: 15 is not a power of two");
  EXPECT_EQ(verdict([](Machine &m) { m.tile.ocmRowBytes = 65; }),
            "m: tile.ocm_row_bytes: 65 is not a power of two");
  EXPECT_EQ(verdict([](Machine &m) { m.tile.ocmAccessBytes = 12; }),
            "m: tile.ocm_access_bytes: 12 is not a power of two");
}

TEST(VerifyMachine, ddr) {
  EXPECT_EQ(verdict([](Machine &m) { m.ddr.sizeBytes = uint64_t{1} << 40; }), "agrees");
  EXPECT_EQ(verdict([](Machine &m) { m.ddr.sizeBytes += 32; }),
            "m: ddr.size_bytes: 8589934624 is not a multiple of the DDR granule of 64 bytes");
  EXPECT_EQ(verdict([](Machine &m) { m.ddr.totalBytesPer1000Cycles = 256'000; }), "agrees");
  EXPECT_EQ(
      verdict([](Machine &m) { m.ddr.totalBytesPer1000Cycles = 256'001; }),
      "m: ddr.total_bytes_per_1000_cycles: 256001 is more than the 256000 bytes of all 4 DDR ports together");
  EXPECT_EQ(verdict([](Machine &m) { m.network.chunkBytes = 64; }), "agrees");
  EXPECT_EQ(verdict([](Machine &m) {
              m.network.chunkBytes = 64;
              m.ddr.granuleBytes = 128;
            }),
            "m: network.chunk_bytes: 64 is less than the DDR granule of 128 bytes");
}

TEST(VerifyMachine, ocm) {
  EXPECT_EQ(verdict([](Machine &m) { m.tile.ocmBytes = 3 * 1024; }), "agrees");
  EXPECT_EQ(
      verdict([](Machine &m) { m.tile.ocmBytes = 3 * 1024 + 64; }),
      "m: tile.ocm_bytes: an OCM of 3136 bytes is not a whole number of rows of 64 bytes in each of 16 banks");
  EXPECT_EQ(verdict([](Machine &m) { m.tile.ocmAccessBytes = 64; }), "agrees");
  EXPECT_EQ(verdict([](Machine &m) { m.tile.ocmAccessBytes = 128; }),
            "m: tile.ocm_access_bytes: 128 is more than an OCM row of 64 bytes");
  EXPECT_EQ(verdict([](Machine &m) { m.pod.streamBytesPerCycle = 72; }),
            "m: pod.stream_bytes_per_cycle: 72 is not a multiple of the OCM access of 16 bytes");
  EXPECT_EQ(verdict([](Machine &m) { m.pe.bytesPerCycle = 2048; }),
            "m: pe.bytes_per_cycle: 2048 is more than the 1024 bytes that all OCM banks deliver in a cycle");
  EXPECT_EQ(verdict([](Machine &m) { m.network.tilePortBytesPerCycle = 8; }),
            "m: network.tile_port_bytes_per_cycle: 8 is not a multiple of the OCM access of 16 bytes");
}

TEST(VerifyMachine, podHoldsWhatOneCycleTakes) {
  EXPECT_EQ(verdict([](Machine &m) { m.pod.operandRegisterBytes = 128; }), "agrees");
  EXPECT_EQ(verdict([](Machine &m) { m.pod.operandRegisterBytes = 127; }),
            "m: pod.operand_register_bytes: half of 127 bytes cannot hold the 64 bytes of an operand that "
            "one cycle of pod.int8 needs");
  EXPECT_EQ(verdict([](Machine &m) { m.pod.accumulatorBytes = 1024; }), "agrees");
  EXPECT_EQ(
      verdict([](Machine &m) { m.pod.accumulatorBytes = 1023; }),
      "m: pod.accumulator_bytes: 1023 bytes cannot hold the 1024 bytes of 16 x 16 accumulators of pod.int8");
  EXPECT_EQ(verdict([](Machine &m) {
              m.pod.single = {32, 8, 65};
            }),
            "m: pod.operand_register_bytes: half of 16384 bytes cannot hold the 8320 bytes of an operand "
            "that one cycle of pod.single needs");
}
