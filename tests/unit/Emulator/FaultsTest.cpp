// Tests of every run-time fault of a program: its kind, place and cycle.
#include "tests/unit/Emulator/AssembledRun.h"

#include <algorithm>
#include <fmt/format.h>

namespace tilerig {
using namespace emulator;
namespace {

using test::integersOf;
using test::many;
using test::runText;

const BeatsOptions goOn{.onFault = OnFault::continueRun};

// Runs a program that must end with exactly one fault, and returns this fault.
Fault onlyFault(const std::string &text) {
  const BeatsRun run = runText(text);
  EXPECT_FALSE(run.ended);
  EXPECT_EQ(run.faults.size(), 1u);
  return run.faults.empty() ? Fault() : run.faults[0];
}

void expectPlace(const Fault &fault, uint32_t tile, Engine engine, uint32_t instruction,
                 std::string_view operand) {
  ASSERT_TRUE(fault.place);
  EXPECT_EQ(fault.place->tile, tile);
  EXPECT_EQ(fault.place->engine, engine);
  EXPECT_EQ(fault.place->instruction, instruction);
  EXPECT_EQ(fault.place->operand, operand);
}
void expectBytes(const Fault &fault, MemoryId memory, uint64_t begin, uint64_t end) {
  ASSERT_TRUE(fault.memory);
  EXPECT_EQ(*fault.memory, memory);
  EXPECT_EQ(fault.bytes, (ByteRange{begin, end}));
}

// A store reads sixteen bytes, of which only eight have been written. The fill takes its start-up time plus
// one cycle; then come the cycles of the sync; one cycle later the store has read all sixteen bytes.
const std::string halfWritten = R"(
.output "y" uint8 [16] ddr[0x1000]
    fill value=0x7 output=u8 ocm[0x40] <8>
    sync engine=dma_out on=pe
    store layer=0 source=u8 ocm[0x40] <16> destination=u8 ddr[0x1000] <16>
    halt
)";

TEST(Faults, AnUninitialisedReadIsReportedAtItsBeat) {
  const Fault fault = onlyFault(halfWritten);
  EXPECT_EQ(fault.kind, FaultKind::uninitialisedRead);
  EXPECT_EQ(fault.category(), FaultCategory::program);
  expectPlace(fault, 0, Engine::dmaOut, 2, "source");
  expectBytes(fault, ocmOf(0), 0x48, 0x50);
  const Machine tiny = *loadMachine("tiny");
  EXPECT_EQ(fault.cycle, tiny.pe.startCycles + 1 + tiny.sync.localCycles + 1);
}

TEST(Faults, AfterAnUninitialisedReadBytesHoldThePattern) {
  const BeatsRun run = runText(halfWritten, goOn);
  EXPECT_TRUE(run.ended);
  ASSERT_EQ(run.faults.size(), 1u);
  EXPECT_EQ(run.faults[0].kind, FaultKind::uninitialisedRead);
  EXPECT_EQ(integersOf(run.outputs, "y"),
            (std::vector<int64_t>{7, 7, 7, 7, 7, 7, 7, 7, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5}));
}

TEST(Faults, TheRowThatReadsItNamesTheCycle) {
  // The second instruction reads four rows of 64 bytes, one row per cycle. The first two rows have been
  // written, so the fault is in the cycle of the third.
  const Fault fault = onlyFault(R"(
    fill value=0x7 output=u8 ocm[0] <2, 64>
    activate input=i32 ocm[0] <4, 16> output=i32 ocm[0x400] <4, 16>
    halt
)");
  EXPECT_EQ(fault.kind, FaultKind::uninitialisedRead);
  expectPlace(fault, 0, Engine::pe, 1, "input");
  expectBytes(fault, ocmOf(0), 128, 192);
  const uint64_t start = loadMachine("tiny")->pe.startCycles;
  // the cycle in which the second instruction begins, and the number of cycles that it takes
  const uint64_t begin = start + 2, cycles = start + 4;
  EXPECT_EQ(fault.cycle, begin + cycles * 2 / 4);
}

// The bytes that a store writes if it begins `cycles` cycles after a load that overwrites the store's source.
// Store and load each move two slices of 4 KiB.
std::vector<int64_t> storedAfter(uint64_t cycles) {
  const BeatsRun run = runText(fmt::format(R"(
.constant new=0x8000 u8 [9*8192]
.output "y" uint8 [8192] ddr[0x10000]
    fill value=0x7 output=u8 ocm[0] <8192>
    sync on=pe
    load source=u8 ddr[new] <8192> destination=u8 ocm[0] <8192>
    delay engine=dma_out cycles={}
    store source=u8 ocm[0] <8192> destination=u8 ddr[0x10000] <8192>
    halt
)",
                                           cycles));
  EXPECT_TRUE(run.ended);
  EXPECT_TRUE(run.faults.empty());
  return integersOf(run.outputs, "y");
}

TEST(Faults, AMissingSyncReadsOldThenPartlyNewThenNew) {
  EXPECT_EQ(storedAfter(0), many(8192, 7));
  EXPECT_EQ(storedAfter(2000), many(8192, 9));
  std::vector<int64_t> partly = many(8192, 7);
  std::fill_n(partly.begin(), 4096, 9);
  bool isSeen = false;
  for (uint64_t cycles = 0; cycles < 1000 && !isSeen; cycles += 8)
    isSeen = storedAfter(cycles) == partly;
  EXPECT_TRUE(isSeen);
}

const std::string storesToConstants = R"(
.constant fixed=0x1000 u8 [1*16]
.output "y" uint8 [16] ddr[0x2000]
    fill value=0x7 output=u8 ocm[0] <4>
    sync engine=dma_out on=pe
    store source=u8 ocm[0] <4> destination=u8 ddr[0x1008] <4>
    sync on=dma_out
    load source=u8 ddr[fixed] <16> destination=u8 ocm[0x40] <16>
    sync engine=dma_out on=dma_in
    store source=u8 ocm[0x40] <16> destination=u8 ddr[0x2000] <16>
    halt
)";

TEST(Faults, AStoreToConstants) {
  const Fault fault = onlyFault(storesToConstants);
  EXPECT_EQ(fault.kind, FaultKind::storeToConstants);
  expectPlace(fault, 0, Engine::dmaOut, 2, "destination");
  expectBytes(fault, ddrMemory, 0x1008, 0x100c);
  const BeatsRun run = runText(storesToConstants, goOn);
  EXPECT_TRUE(run.ended);
  EXPECT_EQ(integersOf(run.outputs, "y"), many(16, 1));
}

TEST(Faults, TwoWritesOfTheSameBytesAtTheSameTime) {
  const Fault fault = onlyFault(R"(
.constant data=0x1000 u8 [1*4096]
    load source=u8 ddr[data] <4096> destination=u8 ocm[0] <4096>
    fill value=0x7 output=u8 ocm[0x800] <16384>
    halt
)");
  // The fill writes at once; the load writes when its first bytes arrive from DDR. Thus the two overlap.
  EXPECT_EQ(fault.kind, FaultKind::overlappingWrite);
  expectPlace(fault, 0, Engine::dmaIn, 0, "destination");
  ASSERT_EQ(fault.others.size(), 1u);
  EXPECT_EQ(fault.others[0].instruction, 1u);
  EXPECT_EQ(fault.cycle, loadMachine("tiny")->ddr.latencyCycles);
  expectBytes(fault, ocmOf(0), 0x800, 0x1000);
}

const std::string gathers = R"(
.input "indices" int32 [3] ddr[0x1000]
.constant table=0x2000 u8 [10 11 12 13]
.constant zeros=0x3000 u8 [0*3]
.output "y" uint8 [3] ddr[0x4000]
    load source=i32 ddr[0x1000] <3> destination=i32 ocm[0x100] <3>
    load source=u8 ddr[zeros] <3> destination=u8 ocm[0] <3>
    sync on=dma_in
    gather indices=i32 ocm[0x100] <3> source=u8 ddr[table] <4, 1, 1> destination=u8 ocm[0] <3, 1, 1>
    sync engine=dma_out on=dma_in
    store source=u8 ocm[0] <3> destination=u8 ddr[0x4000] <3>
    halt
.set "indices" [3 4 -1]
)";

TEST(Faults, AnIndexOutsideItsTable) {
  const Fault fault = onlyFault(gathers);
  EXPECT_EQ(fault.kind, FaultKind::dataFault);
  EXPECT_EQ(fault.category(), FaultCategory::program);
  expectPlace(fault, 0, Engine::dmaIn, 3, "indices");
  expectBytes(fault, ocmOf(0), 0x104, 0x108);
  EXPECT_NE(fault.description.find("index 4"), std::string::npos) << fault.description;
  // A gather with an invalid index leaves the output row of this index unchanged.
  EXPECT_EQ(integersOf(runText(gathers, goOn).outputs, "y"), (std::vector<int64_t>{13, 0, 13}));
}

TEST(Faults, ADivisionOfIntegersByZero) {
  const Fault fault = onlyFault(R"(
.constant data=0x1000 i32 [6 1, 2 0]
    load source=i32 ddr[data] <4> destination=i32 ocm[0] <4>
    sync engine=pe on=dma_in
    binary function=div a=i32 ocm[0] <2, 1> b=i32 ocm[8] <2, 1> output=i32 ocm[0x40] <2, 1>
    halt
)");
  EXPECT_EQ(fault.kind, FaultKind::dataFault);
  expectPlace(fault, 0, Engine::pe, 2, "");
}

TEST(Faults, AnOutputThatIsNotWritten) {
  const std::string text = R"(
.output "y" uint8 [8] ddr[0x1000]
    fill value=0x7 output=u8 ocm[0] <6>
    sync engine=dma_out on=pe
    store source=u8 ocm[0] <6> destination=u8 ddr[0x1000] <6>
    halt
)";
  const Fault fault = onlyFault(text);
  EXPECT_EQ(fault.kind, FaultKind::outputNotWritten);
  EXPECT_FALSE(fault.place);
  expectBytes(fault, ddrMemory, 0x1006, 0x1008);
  EXPECT_EQ(integersOf(runText(text, goOn).outputs, "y"),
            (std::vector<int64_t>{7, 7, 7, 7, 7, 7, 0xA5, 0xA5}));
}

TEST(Faults, ASemaphoreWithSomethingLeftOver) {
  const Fault fault = onlyFault(R"(
.tiles 2
.tile 0
    signal engine=pe tile=1 semaphore=5 amount=3
    halt
.tile 1
    wait engine=pe semaphore=5 value=2
    halt
)");
  EXPECT_EQ(fault.kind, FaultKind::semaphoreLeftOver);
  expectPlace(fault, 0, Engine::pe, 0, "");
}

TEST(Faults, ASemaphoreThatIsNeverReached) {
  // An engine that waits for the blocked engine is not at fault itself.
  const Fault fault = onlyFault(R"(
.tiles 2
.tile 0
    signal engine=pe tile=1 semaphore=5
    sync on=dma_in
    halt
.tile 1
    wait engine=pe semaphore=5 value=2
    sync engine=dma_in on=pe
    halt
)");
  EXPECT_EQ(fault.kind, FaultKind::semaphoreNeverReached);
  EXPECT_EQ(fault.category(), FaultCategory::program);
  expectPlace(fault, 1, Engine::pe, 0, "");
}

TEST(Faults, ABarrierToWhichATileDoesNotCome) {
  const Fault fault = onlyFault(R"(
.tiles 3
.tile 0
    group_barrier tiles={0-1}
    halt
.tile 2
    halt
)");
  EXPECT_EQ(fault.kind, FaultKind::barrierMismatch);
  EXPECT_EQ(fault.category(), FaultCategory::program);
  expectPlace(fault, 0, Engine::sequencer, 0, "");
}

TEST(Faults, ACycleOfWaits) {
  const Fault fault = onlyFault(R"(
.tiles 2
.tile 0
    wait semaphore=0
    signal tile=1 semaphore=0
    halt
.tile 1
    wait semaphore=0
    signal tile=0 semaphore=0
    halt
)");
  EXPECT_EQ(fault.kind, FaultKind::deadlock);
  EXPECT_EQ(fault.category(), FaultCategory::deadlock);
  expectPlace(fault, 0, Engine::sequencer, 0, "");
  ASSERT_EQ(fault.others.size(), 1u);
  EXPECT_EQ(fault.others[0].tile, 1u);
  EXPECT_EQ(fault.cycle, 0u);
}

TEST(Faults, InstructionsBeforeADeadlockAreExecuted) {
  const Fault fault = onlyFault(R"(
    store source=u8 ocm[0] <4> destination=u8 ddr[0] <4>
    wait semaphore=0
    halt
)");
  EXPECT_EQ(fault.kind, FaultKind::uninitialisedRead);
}

TEST(Faults, ASemaphoreOfTwoEnginesCountsWhatComesFirst) {
  // Both engines signal the semaphore before the store begins. The analyser never proves a program free of
  // races in which a semaphore has two producers, but such a program can run.
  const BeatsRun run = runText(R"(
.constant one=0x1000 u8 [1*64]
.output "y" uint8 [128] ddr[0x2000]
    load source=u8 ddr[one] <64> destination=u8 ocm[0] <64>
    signal engine=dma_in tile=0 semaphore=1
    fill value=0x2 output=u8 ocm[64] <64>
    signal engine=pe tile=0 semaphore=1
    wait engine=dma_out semaphore=1 value=2
    store source=u8 ocm[0] <128> destination=u8 ddr[0x2000] <128>
    halt
)");
  EXPECT_TRUE(run.ended);
  EXPECT_TRUE(run.faults.empty());
  std::vector<int64_t> expected = many(128, 1);
  std::fill_n(expected.begin() + 64, 64, 2);
  EXPECT_EQ(integersOf(run.outputs, "y"), expected);
}

TEST(Faults, EachKindIsReportedOncePerInstruction) {
  // Four uninitialised rows of one instruction are reported as one fault.
  const BeatsRun run = runText(R"(
    activate input=i32 ocm[0] <4, 16> output=i32 ocm[0x400] <4, 16>
    activate input=i32 ocm[0x200] <4, 16> output=i32 ocm[0x600] <4, 16>
    halt
)",
                               goOn);
  ASSERT_EQ(run.faults.size(), 2u);
  EXPECT_EQ(run.faults[0].place->instruction, 0u);
  EXPECT_EQ(run.faults[1].place->instruction, 1u);
}

} // namespace
} // namespace tilerig
