// Tests of the three built-in machines: their numbers, their description files and their hashes.

#include "isa/Base/Support/File.h"
#include "isa/Machine/Machine.h"
#include "tests/support/Folders.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace tilerig;

static Machine load(const std::string &name) {
  auto machine = loadMachine(name);
  if (!machine) {
    ADD_FAILURE() << machine.error().message();
    return {};
  }
  return *machine;
}

// The machine tr64 as its specification states it, written here independently of the machine's description
// file.
static Machine expectedTr64() {
  return {
      .name = "tr64",
      .clockMegahertz = 1000,
      .network = {.tiles = 64,
                  .routerRows = 4,
                  .routerColumns = 4,
                  .tilePortBytesPerCycle = 64,
                  .linkBytesPerCycle = 128,
                  .hopCycles = 4,
                  .chunkBytes = 4 * 1024},
      .ddr = {.sizeBytes = 8ull * 1024 * 1024 * 1024,
              .granuleBytes = 64,
              .latencyCycles = 120,
              .portBytesPerCycle = 64,
              .totalBytesPer1000Cycles = 102'400},
      .tile = {.ocmBytes = 16 * 1024 * 64,
               .ocmBanks = 16,
               .ocmRowBytes = 64,
               .ocmAccessBytes = 16,
               .semaphores = 64,
               .queueDepth = 8},
      .pod = {.int8 = {16, 16, 4},
              .half = {16, 16, 2},
              .single = {8, 8, 1},
              .operandRegisterBytes = 16 * 1024,
              .accumulatorBytes = 16 * 1024,
              .streamBytesPerCycle = 64,
              .fillCycles = 32,
              .specialResultsPerCycle = 16},
      .pe = {.bytesPerCycle = 64, .specialElementsPerCycle = 16, .startCycles = 16},
      .sync = {.localCycles = 4, .semaphoreCycles = 8, .groupBarrierCycles = 40, .globalBarrierCycles = 120},
  };
}

TEST(BuiltIn, tr64HasTheFiguresOfTheDefaultMachine) { EXPECT_EQ(load("tr64"), expectedTr64()); }

TEST(BuiltIn, tr16IsAQuarterOfIt) {
  Machine expected = expectedTr64();
  expected.name = "tr16";
  expected.network.tiles = 16;
  expected.network.routerRows = expected.network.routerColumns = 2;
  expected.ddr.sizeBytes /= 2;
  expected.ddr.totalBytesPer1000Cycles /= 2; // half the ports
  EXPECT_EQ(load("tr16"), expected);
}

TEST(BuiltIn, tinyIsOneBlockWithLittleMemory) {
  Machine expected = expectedTr64();
  expected.name = "tiny";
  expected.network.tiles = 4;
  expected.network.routerRows = expected.network.routerColumns = 1;
  expected.tile.ocmBytes = 64 * 1024;
  expected.ddr.sizeBytes /= 8;
  expected.ddr.totalBytesPer1000Cycles /= 4;
  EXPECT_EQ(load("tiny"), expected);
}

TEST(BuiltIn, namesAreListedInOrderOfSize) {
  EXPECT_EQ(builtInMachines(), (std::vector<std::string>{"tr64", "tr16", "tiny"}));
}

TEST(BuiltIn, m1kIsAnotherNameOfTr64) {
  EXPECT_EQ(load("m1k"), load("tr64"));
  EXPECT_EQ(load("m1k").name, "tr64");
}

TEST(BuiltIn, filesAreWhatIsEmbeddedAndAreInPrintedForm) {
  for (const std::string &name : builtInMachines()) {
    auto text = readText(test::sourceFolder() + "/isa/Machine/" + name + ".json");
    ASSERT_TRUE(text) << text.error().message();
    EXPECT_EQ(printMachine(load(name)), *text);
  }
}

// The hashes of built-in machines must not change by accident: programs of the old machine would become
// invalid.
TEST(BuiltIn, hashesStay) {
  EXPECT_EQ(hashMachine(load("tr64")), 8421694197381302058u);
  EXPECT_EQ(hashMachine(load("tr16")), 4625107807430283481u);
  EXPECT_EQ(hashMachine(load("tiny")), 8832077301678052147u);
}

TEST(BuiltIn, aNameThatIsNoneIsRefusedWithTheNamesThatAre) {
  auto machine = loadMachine("tr32");
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().kind, ErrorKind::usage);
  EXPECT_EQ(machine.error().message(),
            "there is no machine \"tr32\"; use one of tr64, tr16, tiny, or a file whose name ends in .json");
}

class MachineFile : public testing::Test {
protected:
  std::string path = testing::TempDir() + "tilerig-machine-" +
                     testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";

  void write(std::string_view text) { std::ofstream(path, std::ios::binary) << text; }
  void TearDown() override { std::remove(path.c_str()); }
};

TEST_F(MachineFile, isLoadedByItsPath) {
  Machine machine = load("tr16");
  machine.name = "mine";
  machine.network.hopCycles = 7;
  write(printMachine(machine));
  EXPECT_EQ(load(path), machine);
}

TEST_F(MachineFile, isNamedInMessages) {
  write(R"({"name": "mine", "base": "tr64", "sync": {"local_cycles": -1}})");
  auto machine = loadMachine(path);
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().kind, ErrorKind::invalidInput);
  EXPECT_EQ(machine.error().message(),
            path + ": sync.local_cycles: must be a whole number from 0 to 1000000, not -1");
}

TEST_F(MachineFile, mustExist) {
  auto machine = loadMachine(path);
  ASSERT_FALSE(machine);
  EXPECT_NE(machine.error().message().find(path), std::string::npos);
}

TEST_F(MachineFile, ofAnySizeIsRefusedUnread) {
  write("{\"name\"");
  std::ofstream(path, std::ios::binary | std::ios::in).seekp(int64_t{1} << 32).put(' ');
  auto machine = loadMachine(path);
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().message(),
            path + ": the JSON text has 4294967297 bytes, but at most 65536 are allowed");
}
