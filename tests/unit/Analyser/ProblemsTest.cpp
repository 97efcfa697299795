// Tests of every kind of problem that the analyser reports: a small program that has the problem, the exact
// message, and a correct twin of the program.

#include "isa/Analyser/Analyser.h"
#include "tests/unit/Analyser/Build.h"

#include <gtest/gtest.h>

namespace tilerig {
namespace {

using namespace test;
using enum Engine;

// The descriptions of all problems that the analyser finds in the program; empty if there is none.
std::vector<std::string> problemsOf(const Program &program) {
  std::vector<std::string> texts;
  for (const Problem &problem : analyse(program).problems)
    texts.push_back(describe(problem, program));
  return texts;
}
void expectProblems(const Program &program, const std::vector<std::string> &expected) {
  EXPECT_EQ(problemsOf(program), expected);
}
void expectNone(const Program &program) { EXPECT_EQ(problemsOf(program), std::vector<std::string>()); }

// --- Races ---

TEST(Races, ProducerAndConsumerOnTwoEngines) {
  const Code first = {fill(ocm(0, 64))};
  const Instruction second = store(ocm(32, 64), ddr(0, 64));
  const auto program = [&](std::vector<Instruction> between) {
    Code code = first;
    code.push_back(fill(ocm(64, 64)));
    code.insert(code.end(), between.begin(), between.end());
    code.push_back(second);
    return programOf({code});
  };
  // The store reads the last bytes of the first fill and the first bytes of the second, so it races with both
  // fills.
  const std::vector<std::string> reads = {
      "\n  at stage 's0', tile 0, dma_out, instruction 2 (store, source), layer 1"};
  expectProblems(
      program({}),
      {"race: the first instruction writes and the second reads bytes 32..63 of OCM of tile 0, but no "
       "synchronisation orders the two accesses\n"
       "  at stage 's0', tile 0, pe, instruction 0 (fill, output), layer 1" +
           reads[0],
       "race: the first instruction writes and the second reads bytes 64..95 of OCM of tile 0, but no "
       "synchronisation orders the two accesses\n"
       "  at stage 's0', tile 0, pe, instruction 1 (fill, output), layer 1" +
           reads[0],
       "uninitialised_read: reads bytes 32..95 of OCM of tile 0, which may not have been written before" +
           reads[0]});
  expectNone(program({sync(dmaOut, pe)}));
  EXPECT_EQ(analyse(program({sync(dmaOut, pe, 1)})).count(ProblemKind::race),
            1u); // the sync permits one unfinished fill, so the second may be unfinished
}

// The write of one DMA transfer and the read of the next may overlap, so they race if they touch the same
// bytes.
TEST(Races, ConsecutiveTransfersOfOneEngine) {
  const Code code = {fill(ocm(0, 8)), sync(dmaOut, pe), store(ocm(0, 8), ocm(64, 8)),
                     store(ocm(64, 8), ddr(0, 8))};
  const Analysis analysis = analyse(programOf({code}));
  ASSERT_EQ(analysis.count(ProblemKind::race), 1u);
  EXPECT_EQ(analysis.problems[0].places[0].instruction, 2u);
  EXPECT_EQ(analysis.problems[0].places[0].operand, "destination");
  EXPECT_EQ(analysis.problems[0].places[1].instruction, 3u);
  EXPECT_EQ(analysis.problems[0].places[1].operand, "source");
  // A sync that makes an engine wait for itself is illegal, but the sequencer can wait for the engine.
  expectNone(programOf({{code[0], code[1], code[2], sync(sequencer, dmaOut), code[3]}}));
  // The writes of one engine end in order, so two writes of the same bytes do not race.
  expectNone(programOf({{code[0], code[1], code[2], store(ocm(0, 8), ocm(64, 8))}}));
}

TEST(Races, AcrossTiles) {
  const Code producer = {fill(ocm(0, 16)), sync(dmaOut, pe), store(ocm(0, 16), remote(1, 256, 16)),
                         signal(dmaOut, 1, 3)};
  const auto consumer = [](unsigned value) {
    return Code{wait(pe, 3, value), copy(ocm(256, 16), ocm(512, 16))};
  };
  expectNone(programOf({producer, consumer(1)}));
  Program racy = programOf({producer, {copy(ocm(256, 16), ocm(512, 16))}});
  const Analysis analysis = analyse(racy);
  ASSERT_EQ(analysis.count(ProblemKind::race), 1u);
  const Problem &race = *std::ranges::find(analysis.problems, ProblemKind::race, &Problem::kind);
  EXPECT_EQ(race.memory, ocmOf(1));
  EXPECT_EQ(race.bytes, (ByteRange{256, 272}));
  EXPECT_EQ(race.places[0], (Place{0, false, 0, dmaOut, 2, 0, "destination"}));
  EXPECT_EQ(race.places[1], (Place{0, false, 1, pe, 0, 0, "input"}));
}

// A full queue orders instructions: with depth 2, the third instruction is issued only after the first has
// finished.
TEST(Races, QueuesOrderByTheirCapacity) {
  const Code code = {fill(ocm(0, 8)), fill(ocm(64, 8)), fill(ocm(128, 8)), store(ocm(0, 8), ddr(0, 8))};
  EXPECT_GT(analyse(programOf({code}, 8)).count(ProblemKind::race), 0u);
  EXPECT_EQ(analyse(programOf({code}, 2)).count(ProblemKind::race), 0u);
}

TEST(Races, AllPairsAreCountedAndTheFirstReported) {
  Code writers;
  for (int i = 0; i < 20; ++i)
    writers.push_back(fill(ocm(0, 16)));
  Code code = writers;
  for (int i = 0; i < 10; ++i)
    code.push_back(store(ocm(0, 16), ddr(64 * static_cast<uint64_t>(i), 16)));
  const Analysis analysis = analyse(programOf({code}, 64), {.keptPerKind = 7});
  EXPECT_EQ(analysis.count(ProblemKind::race), 200u);
  EXPECT_EQ(std::ranges::count(analysis.problems, ProblemKind::race, &Problem::kind), 7);
}

// Conflicts of several pieces of one operand count as one race.
TEST(Races, AnOperandInPiecesRacesOnce) {
  Pool pool;
  pool.function = PoolFunction::max;
  pool.kernelH = 2;
  pool.window = {.strideH = 3, .padTop = 1};
  pool.inputAffine = pool.finish.output = {.scale = 1, .zeroPoint = 0};
  pool.finish.clampHigh = 255;
  const auto image = [](uint64_t base, uint32_t rows) {
    return Stream{.space = Space::ocm,
                  .type = ElementType::u8,
                  .base = base,
                  .dims = {{{1, 0}, {1, 0}, {rows, 8}, {8, 1}, {1, 0}}}};
  };
  pool.input = image(0, 10);
  pool.output = image(512, 4);
  pool.kernelW = 1;
  AccessList accesses;
  appendAccesses(pool, 0, accesses);
  ASSERT_GT(std::ranges::count(accesses, AccessKind::read, &Access::kind), 1);
  const Analysis analysis = analyse(programOf({{load(ddr(0, 128), ocm(0, 128)), pool}}));
  EXPECT_EQ(analysis.count(ProblemKind::race), 1u);
  EXPECT_EQ(analysis.count(ProblemKind::uninitialisedRead),
            2u); // two faults: the load reads uninitialised DDR, the pool uninitialised OCM
}

TEST(Uninitialised, ReadsAreReportedToTheByte) {
  const auto program = [](uint32_t written) {
    return programOf({{fill(ocm(0, written)), sync(dmaOut, pe), store(ocm(0, 64), ddr(0, 64))}});
  };
  expectNone(program(64));
  expectProblems(program(63),
                 {"uninitialised_read: reads bytes 63..63 of OCM of tile 0, which may not have been "
                  "written before\n"
                  "  at stage 's0', tile 0, dma_out, instruction 2 (store, source), layer 1"});
}

TEST(Uninitialised, ConstantsAndInputsAreThere) {
  Program program = programOf({{load(ddr(0, 64), ocm(0, 64)), load(ddr(4096, 64), ocm(64, 64))}});
  EXPECT_EQ(analyse(program).count(ProblemKind::uninitialisedRead), 2u);
  addConstant(program, 0, std::vector<uint8_t>(64));
  EXPECT_EQ(analyse(program).count(ProblemKind::uninitialisedRead), 1u);
  addTensor(program, "x", proto::INPUT, 4096, 64);
  expectNone(program);
  program.stages[0].phase = Phase::initial; // before the first inference the host has not written the input
  EXPECT_EQ(analyse(program).count(ProblemKind::uninitialisedRead), 1u);
}

TEST(Uninitialised, LaterStagesSeeMemoryOfEarlierOnes) {
  Program program = programOf({{fill(ocm(0, 64))}});
  addStage(program, {{store(ocm(0, 64), ddr(0, 64))}});
  expectNone(program);
  std::swap(program.stages[0], program.stages[1]);
  EXPECT_EQ(analyse(program).count(ProblemKind::uninitialisedRead), 1u);
}

TEST(Uninitialised, HostWorkReadsAndWrites) {
  Program program = programOf({{fill(ocm(0, 64)), sync(dmaOut, pe), store(ocm(0, 64), ddr(0, 64))}});
  addTensor(program, "a", proto::INTERMEDIATE, 0, 64);
  addTensor(program, "b", proto::INTERMEDIATE, 1024, 64);
  proto::HostWork work;
  work.set_kernel("Sort");
  work.add_inputs("a");
  work.add_outputs("b");
  program.stages.push_back({"host", Phase::inference, work});
  addStage(program, {{load(ddr(1024, 64), ocm(0, 64))}});
  expectNone(program);
  std::get<proto::HostWork>(program.stages[1].work).set_inputs(0, "b");
  std::get<proto::HostWork>(program.stages[1].work).set_outputs(0, "a");
  expectProblems(program,
                 {"uninitialised_read: reads bytes 1024..1087 of DDR, which may not have been written "
                  "before\n  at stage 'host', on the host",
                  "uninitialised_read: reads bytes 1024..1087 of DDR, which may not have been written "
                  "before\n  at stage 's2', tile 0, dma_in, instruction 0 (load, source), layer 1"});
}

TEST(Outputs, AreWrittenWhenTheInferenceEnds) {
  const auto program = [](uint32_t stored) {
    Program program =
        programOf({{fill(ocm(0, 64)), sync(dmaOut, pe), store(ocm(0, stored), ddr(128, stored))}});
    addTensor(program, "y", proto::OUTPUT, 128, 64);
    return program;
  };
  expectNone(program(64));
  expectProblems(program(60),
                 {"output_not_written: bytes 188..191 of DDR, which belong to the output 'y', are not "
                  "written when the inference ends\n  at stage 's0', on the host"});
  // The output is written in the finishing phase, which is too late: this phase begins after the last
  // inference.
  Program late = program(60);
  addStage(late, {{store(ocm(0, 64), ddr(128, 64))}}, Phase::finishing);
  EXPECT_EQ(analyse(late).count(ProblemKind::outputNotWritten), 1u);
  Program partly = program(64);
  partly.metadata.mutable_tensors(0)->set_shape(0, 65);
  expectProblems(partly, {"output_not_written: the pieces of the output 'y' hold only 64 of its 65 elements\n"
                          "  at stage 's0', on the host"});
}

TEST(Constants, AreReadOnly) {
  Program program = programOf({{fill(ocm(0, 64)), sync(dmaOut, pe), store(ocm(0, 64), ddr(64, 64))}});
  addConstant(program, 0, std::vector<uint8_t>(64));
  expectNone(program);
  addConstant(program, 100, std::vector<uint8_t>(8));
  expectProblems(program, {"store_to_constants: writes bytes 100..107 of DDR, which are constants\n"
                           "  at stage 's0', tile 0, dma_out, instruction 2 (store, destination), layer 1"});
}

TEST(Constants, MustNotOverlapInputs) {
  Program program = programOf({{load(ddr(0, 64), ocm(0, 64))}});
  addTensor(program, "x", proto::INPUT, 0, 64);
  expectNone(program);
  addConstant(program, 60, std::vector<uint8_t>(8));
  expectProblems(program,
                 {"store_to_constants: the host writes the input 'x' to bytes 60..63 of DDR, which are "
                  "constants\n"
                  "  at stage 's0', on the host"});
}

TEST(SelfOverlap, OnlyEachElementUponItself) {
  const auto binary = [](uint64_t output) {
    return Binary{.a = ocm(0, 16, ElementType::i32),
                  .b = ocm(64, 16, ElementType::i32),
                  .output = ocm(output, 16, ElementType::i32)};
  };
  const auto program = [&](Instruction instruction) { return programOf({{fill(ocm(0, 256)), instruction}}); };
  expectNone(program(binary(128)));
  expectNone(program(binary(0)));
  expectNone(program(binary(64)));
  expectProblems(
      program(binary(4)),
      {"self_overlap: writes its operand output over bytes of its operand a that it may not have read "
       "yet\n"
       "  at stage 's0', tile 0, pe, instruction 1 (binary, output), layer 1",
       "self_overlap: writes its operand output over bytes of its operand b that it may not have read "
       "yet\n"
       "  at stage 's0', tile 0, pe, instruction 1 (binary, output), layer 1"});
  // A copy instruction must not write onto its own input: it is not among the instructions that may work in
  // place.
  EXPECT_EQ(analyse(program(copy(ocm(0, 8), ocm(0, 8)))).count(ProblemKind::selfOverlap), 1u);
  Stream transposed = {.space = Space::ocm,
                       .type = ElementType::i32,
                       .base = 0,
                       .dims = {{{1, 0}, {1, 0}, {1, 0}, {4, 4}, {4, 16}}}};
  Stream straight = transposed;
  straight.dims[3] = {4, 16}, straight.dims[4] = {4, 4};
  const Binary mixed{.a = transposed, .b = ocm(64, 1, ElementType::i32), .output = straight};
  Binary legal = mixed;
  legal.b.dims = {{{1, 0}, {1, 0}, {1, 0}, {4, 0}, {4, 0}}};
  EXPECT_EQ(analyse(program(legal)).count(ProblemKind::selfOverlap),
            1u); // input and output of the instruction are the same bytes in different orders
  legal.a = straight;
  expectNone(program(legal));
}

TEST(SelfOverlap, TransfersWithinATile) {
  const auto program = [](Instruction instruction) {
    return programOf({{fill(ocm(0, 64)), sync(dmaOut, pe), instruction}, {}});
  };
  expectNone(program(store(ocm(0, 8), ocm(8, 8))));
  EXPECT_EQ(analyse(program(store(ocm(0, 8), ocm(7, 8)))).count(ProblemKind::selfOverlap), 1u);
  expectNone(program(multicast(0b10, ocm(0, 8), ocm(0, 8))));
  EXPECT_EQ(analyse(program(multicast(0b11, ocm(0, 8), ocm(0, 8)))).count(ProblemKind::selfOverlap), 1u);
}

// --- Deadlock ---

TEST(Deadlock, TwoTilesWaitForEachOther) {
  const auto program = [](bool crossed) {
    const Instruction there = signal(sequencer, 1, 0), back = wait(sequencer, 0);
    return programOf(
        {crossed ? Code{back, there} : Code{there, back}, {wait(sequencer, 0), signal(sequencer, 0, 0)}});
  };
  expectNone(program(false));
  expectProblems(
      program(true),
      {"deadlock: stage 's0' never ends: tile 0 sequencer at instruction 0 waits for semaphore "
       "0 to reach 1, which tile 1 sequencer signals at instruction 1; tile 1 sequencer at instruction 0 "
       "waits for semaphore 0 to reach 1, which tile 0 sequencer signals at instruction 1, which closes "
       "the cycle of waits\n"
       "  at stage 's0', tile 0, sequencer, instruction 0 (wait), layer 1\n"
       "  at stage 's0', tile 1, sequencer, instruction 0 (wait), layer 1"});
}

// The signal stands behind more instructions than fit in the queue of the waiting engine, so the sequencer
// blocks.
TEST(Deadlock, QueueFull) {
  const auto program = [](uint32_t depth) {
    return programOf({{wait(pe, 0), fill(ocm(0, 8)), fill(ocm(8, 8)), signal(sequencer, 0, 0)}}, depth);
  };
  expectNone(program(3));
  const std::vector<std::string> expected = {
      "deadlock: stage 's0' never ends: tile 0 sequencer at instruction 2 waits for space in the full queue "
      "of pe until instruction 0 has finished; tile 0 pe at instruction 0 waits for semaphore 0 to reach 1, "
      "which tile 0 sequencer signals at instruction 3, which closes the cycle of waits\n"
      "  at stage 's0', tile 0, pe, instruction 2 (fill), layer 1\n"
      "  at stage 's0', tile 0, pe, instruction 0 (wait), layer 1"};
  expectProblems(program(2), expected);
}

TEST(Deadlock, AWaitThatNothingSatisfies) {
  const auto program = [](uint32_t value) {
    return programOf({{wait(dmaIn, 5, value), load(ddr(0, 8), ocm(0, 8)), sync(pod, dmaIn)},
                      {signal(pe, 0, 5, 2), signal(pe, 0, 5)}});
  };
  EXPECT_EQ(analyse(program(3)).count(ProblemKind::deadlock), 0u);
  Program stuck = program(4);
  addTensor(stuck, "x", proto::INPUT, 0, 8);
  expectProblems(stuck,
                 {"wait_never_satisfied: waits for semaphore 5 of tile 0 to reach 4, but all signals of the "
                  "stage add up to 3\n"
                  "  at stage 's0', tile 0, dma_in, instruction 0 (wait), layer 1",
                  "deadlock: stage 's0' never ends: tile 0 pod at instruction 2 waits for dma_in to finish "
                  "instruction 1; tile 0 dma_in at instruction 0 waits for semaphore 5 to reach 4, but no "
                  "signal raises the semaphore to that value\n"
                  "  at stage 's0', tile 0, pod, instruction 2 (sync), layer 1\n"
                  "  at stage 's0', tile 0, dma_in, instruction 0 (wait), layer 1"});
}

TEST(Deadlock, LaterStagesAreNotReached) {
  Program program = programOf({{wait(sequencer, 0)}});
  addStage(program, {{store(ocm(0, 8), ddr(0, 8))}});
  const Analysis analysis = analyse(program);
  EXPECT_EQ(analysis.count(ProblemKind::deadlock), 1u);
  EXPECT_EQ(analysis.count(ProblemKind::uninitialisedRead), 0u);
  EXPECT_EQ(analysis.analysedStages, 0u);
}

TEST(Barriers, Mismatch) {
  const auto program = [](Code third) { return programOf({{barrier(0b101)}, {}, third}); };
  expectNone(program({barrier(0b101)}));
  expectProblems(program({}),
                 {"barrier_mismatch: tile 0 reaches 1 barriers of this group, but tile 2 reaches 0\n"
                  "  at stage 's0', tile 0, sequencer, instruction 0 (group_barrier), layer 1",
                  "deadlock: stage 's0' never ends: tile 0 sequencer at instruction 0 waits "
                  "at a barrier that tile 2 never reaches\n"
                  "  at stage 's0', tile 0, sequencer, instruction 0 (group_barrier), layer 1"});
  // It is also a deadlock if two tiles reach the barriers of two groups in different orders.
  const Program crossed =
      programOf({{barrier(0b11), barrier(0b111)}, {barrier(0b111), barrier(0b11)}, {barrier(0b111)}});
  EXPECT_EQ(analyse(crossed).count(ProblemKind::deadlock), 1u);
  EXPECT_EQ(analyse(crossed).count(ProblemKind::barrierMismatch), 0u);
}

TEST(Barriers, OrderInstructionsOfTheirMembers) {
  const auto program = [](Code first, Code second) { return programOf({first, second}); };
  const Code writer = {fill(ocm(0, 8)), GlobalBarrier{}};
  const Code reader = {barrier(0b11), load(remote(0, 0, 8), ocm(0, 8))};
  expectNone(program(writer, reader));
  EXPECT_GT(analyse(program({fill(ocm(0, 8))}, {load(remote(0, 0, 8), ocm(0, 8))})).count(ProblemKind::race),
            0u);
}

// --- Semaphores ---

TEST(Semaphores, LeftOver) {
  const auto program = [](uint32_t value) {
    return programOf({{signal(pe, 1, 7, 2), signal(pe, 1, 7)}, {wait(sequencer, 7, value)}});
  };
  expectNone(program(3));
  expectProblems(
      program(2),
      {"semaphore_left_over: semaphore 7 of tile 1 reaches 3, but no instruction waits for more than 2\n"
       "  at stage 's0', tile 0, pe, instruction 1 (signal), layer 1"});
  expectProblems(programOf({{signal(pe, 0, 7)}}),
                 {"semaphore_left_over: semaphore 7 of tile 0 reaches 1, but no "
                  "instruction waits for it\n"
                  "  at stage 's0', tile 0, pe, instruction 0 (signal), layer 1"});
}

TEST(Semaphores, SeveralProducers) {
  const auto program = [](Engine second) {
    return programOf({{signal(pe, 1, 0), signal(second, 1, 0)}, {wait(sequencer, 0, 2)}});
  };
  expectNone(program(pe));
  expectProblems(
      program(pod),
      {"several_producers: semaphore 0 of tile 1 is signalled by 2 engines, but within a stage only "
       "one engine may signal it\n"
       "  at stage 's0', tile 0, pe, instruction 0 (signal), layer 1\n"
       "  at stage 's0', tile 0, pod, instruction 1 (signal), layer 1"});
}

TEST(Semaphores, EachStageStartsAtZero) {
  Program program = programOf({{signal(pe, 0, 0), wait(pod, 0)}});
  // The producer of semaphore 0 may differ between stages.
  addStage(program, {{signal(pod, 0, 0), wait(pe, 0)}});
  expectNone(program);
  addStage(program, {{wait(pe, 0)}});
  EXPECT_EQ(analyse(program).count(ProblemKind::waitNeverSatisfied), 1u);
}

TEST(Semaphores, Overflow) {
  const auto program = [](uint32_t amount) {
    return programOf({{signal(pe, 0, 0, 0xFFFFFFFF), signal(pe, 0, 0, amount), wait(pod, 0, 0xFFFFFFFF)}});
  };
  const Analysis analysis = analyse(program(1));
  EXPECT_EQ(analysis.count(ProblemKind::semaphoreOverflow), 1u);
  EXPECT_EQ(analysis.problems[0].text,
            "the signals of semaphore 0 of tile 0 add up to 4294967296, but the sum must stay below 2^32");
  expectNone(programOf({{signal(pe, 0, 0, 0xFFFFFFFF), wait(pod, 0, 0xFFFFFFFF)}}));
}

// --- Legality ---

TEST(Legality, HaltsAndIllegalInstructions) {
  Program program = programOf({{fill(ocm(0, 8))}, {}});
  expectNone(program);
  auto &tiles = std::get<DeviceStage>(program.stages[0].work).tiles;
  tiles[0].push_back(Halt{});
  tiles[1].clear();
  expectProblems(program,
                 {"instruction_after_halt: the instruction comes after the halt of its tile and is never "
                  "executed\n"
                  "  at stage 's0', tile 0, sequencer, instruction 2 (halt), layer 1",
                  "missing_halt: the program of tile 1 in stage 's0' does not end with halt"});
  // All illegal instructions are reported, not only the first.
  tiles[0] = {fill(ocm(65536, 8)), fill(ocm(0, 8)), signal(pe, 9, 0), Halt{}};
  tiles[1] = {Halt{}};
  const Analysis analysis = analyse(program);
  EXPECT_EQ(analysis.count(ProblemKind::illegalInstruction), 2u);
  ASSERT_EQ(analysis.problems.size(), 2u);
  EXPECT_EQ(analysis.problems[0].places[0].instruction, 0u);
  EXPECT_EQ(analysis.problems[1].places[0].instruction, 2u);
  EXPECT_EQ(analysis.analysedStages, 0u);
}

TEST(Legality, MalformedProgram) {
  Program program = programOf({{}});
  program.tiles = 2;
  EXPECT_EQ(analyse(program).count(ProblemKind::malformedProgram), 1u);
  program.tiles = 1;
  expectNone(program);
}

// --- Proofs ---

TEST(Proof, IsBoundToTheContent) {
  Program program = programOf({{fill(ocm(0, 8)), sync(dmaOut, pe), store(ocm(0, 8), ddr(0, 8))}});
  EXPECT_FALSE(proofHolds(program));
  ASSERT_TRUE(prove(program));
  EXPECT_TRUE(proofHolds(program));
  EXPECT_EQ(program.proof->analyser_version(), analyserVersion);

  Program altered = program;
  std::get<DeviceStage>(altered.stages[0].work)
      .tiles[0]
      .erase(std::get<DeviceStage>(altered.stages[0].work).tiles[0].begin() + 1);
  EXPECT_FALSE(proofHolds(altered));
  const Status refused = prove(altered);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("race"), std::string::npos);
  EXPECT_FALSE(altered.proof);

  Program moved = program;
  ++moved.machine.tile.queueDepth;
  EXPECT_FALSE(proofHolds(moved));
}

} // namespace
} // namespace tilerig
