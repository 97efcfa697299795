// Tests of the debugger: whatever the stops, steps and returns, a moment of a run is always the same, and a run that goes on
// ends as one that never stopped.
#include "emulator/Debug/Debugger.h"
#include "emulator/Beats/BeatsSession.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Assembly/Parser.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Hash.h"
#include "tests/support/Folders.h"
#include "tests/unit/Emulator/AssembledRun.h"
#include "tests/unit/Emulator/RandomProgram.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tilerig {
using namespace emulator;
namespace {

uint64_t asked(const char *variable, uint64_t otherwise) {
  const char *value = std::getenv(variable);
  return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

struct Example {
  Program program;
  TensorMap inputs;
};

Example exampleNamed(const std::string &name) {
  const auto text = readText(test::examplePrograms() + "/" + name + ".trasm");
  const Assembly assembly = test::assembled(*text);
  TensorMap inputs = assembly.test.inputs;
  for (const proto::Tensor &tensor : assembly.program.metadata.tensors())
    if (tensor.role() == proto::INPUT && !inputs.find(tensor.name())) {
      EXPECT_TRUE(inputs.add(tensor.name(), Tensor(*dtypeNamed(tensor.dtype()),
                                                   Shape(tensor.shape().begin(), tensor.shape().end()))));
    }
  return {assembly.program, inputs};
}

std::unique_ptr<Debugger> debuggerOf(const Example &example, const DebuggerOptions &options = {}) {
  auto debugger = Debugger::load(example.program, {}, example.inputs, options, nullptr);
  if (!debugger)
    throw std::runtime_error(debugger.error().message());
  if (const Status started = (*debugger)->start(); !started)
    throw std::runtime_error(started.error().message());
  return *std::move(debugger);
}

// A hash of all bytes that have been written, and of which these are.
uint64_t hashOfMemories(const Debugger &debugger) {
  uint64_t hash = 0;
  const Program &program = debugger.program();
  for (MemoryId memory = 0; memory <= program.tiles; ++memory) {
    const ByteRange all{0, std::min<uint64_t>(sizeOf(memory, program.machine), 1 << 22)};
    std::vector<std::byte> bytes = debugger.read(memory, all);
    debugger.initialised().forEachMissing(memory, all, [&](ByteRange missing) {
      std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(missing.begin),
                bytes.begin() + static_cast<std::ptrdiff_t>(missing.end), std::byte{0});
      hash = combineHashes(combineHashes(hash, missing.begin), missing.end);
    });
    hash = combineHashes(hash, hashBytes(bytes));
  }
  return hash;
}

std::string firstDifference(const TensorMap &a, const TensorMap &b) {
  for (const NamedTensor &entry : a) {
    const Tensor *other = b.find(entry.name);
    if (!other)
      return entry.name + " is missing";
    if (!std::ranges::equal(entry.tensor.bytes(), other->bytes()))
      return entry.name;
  }
  return a.size() == b.size() ? "" : "their number";
}

// Makes random movements, and checks that each moment at which the run stops is always the same.
class Wanderer {
public:
  Wanderer(const Example &example, uint64_t seed, const DebuggerOptions &options)
      : random(seed), debugger(debuggerOf(example, options)) {}

  void move() {
    const auto direction = random.chance(50) ? TimeDirection::forward : TimeDirection::back;
    const unsigned tiles = debugger->program().tiles;
    switch (random.below(6)) {
    case 0:
      return see(debugger->go(direction));
    case 1:
      return see(debugger->goTo(random.below(1 + 2 * debugger->cycle() + 100)));
    case 2:
      return toggleStop();
    default: {
      const auto unit = static_cast<StepUnit>(random.below(EnumNames<StepUnit>::values.size()));
      std::optional<ThreadId> thread;
      if (random.chance(50))
        thread = threadOf(static_cast<unsigned>(random.below(tiles)),
                          random.pick({ThreadKind::sequencer, ThreadKind::pod, ThreadKind::pe,
                                       ThreadKind::dmaInRead, ThreadKind::dmaOutRead}));
      return see(debugger->step(direction, unit, thread));
    }
    }
  }

  // Goes on to the end.
  const BeatsRun &finish() {
    while (!debugger->isOver()) {
      const auto stop = debugger->go(TimeDirection::forward);
      EXPECT_TRUE(stop) << stop.error().message();
      if (!stop)
        break;
    }
    return debugger->recordedRun().results();
  }
  const std::vector<Fault> &faults() const { return debugger->recordedRun().faults(); }

private:
  void see(const Result<Stop> &stop) {
    ASSERT_TRUE(stop) << stop.error().message();
    EXPECT_EQ(stop->cycle, debugger->cycle());
    // At a breakpoint, or after a step to the beginning of a cycle, the moment depends on the cycle alone.
    const bool isMoment =
        stop->reason == StopReason::stopPoint && !stop->moments.empty() && debugger->deviceStage() != nullptr;
    if (!isMoment)
      return;
    const auto [seen, isNew] =
        hashes.try_emplace(std::pair(debugger->deviceStage()->index, stop->cycle), hashOfMemories(*debugger));
    if (!isNew) {
      EXPECT_EQ(seen->second, hashOfMemories(*debugger)) << "cycle " << stop->cycle;
    }
  }

  void toggleStop() {
    if (debugger->stopPoints().size() > 3) {
      debugger->remove(debugger->stopPoints().front().number);
      return;
    }
    const unsigned tiles = debugger->program().tiles;
    const auto tile = static_cast<uint32_t>(random.below(tiles));
    StopPoint point;
    switch (random.below(4)) {
    case 0:
      point.what = InstructionStop{
          .tile = tile, .engine = random.pick({Engine::pod, Engine::pe, Engine::dmaIn, Engine::dmaOut})};
      break;
    case 1:
      point.what = CycleStop{random.below(2000)};
      break;
    case 2:
      point.what = SemaphoreStop{tile, static_cast<uint32_t>(random.below(4)), 1 + random.below(3)};
      break;
    default:
      point.what = std::vector<Watch>{Watch{.memory = ocmOf(tile),
                                            .regions = {Region::ofRun(random.below(4096), 64)},
                                            .reads = random.chance(50)}};
    }
    debugger->add(std::move(point));
  }

  test::Random random;
  std::unique_ptr<Debugger> debugger;
  std::map<std::pair<uint32_t, uint64_t>, uint64_t> hashes; // by stage and cycle
};

// Wanders through a run, and compares its end with that of a run that never stops.
void wander(const Example &example, uint64_t seed, const BeatsOptions &run) {
  auto session = BeatsSession::load(example.program);
  ASSERT_TRUE(session) << session.error().message();
  const auto expected = (*session)->run(example.inputs, run);
  ASSERT_TRUE(expected) << expected.error().message();
  // With a short history, going back repeats the run.
  Wanderer wanderer(example, seed, {.run = run, .historyBytes = seed % 2 == 0 ? uint64_t{1} << 30 : 2000});
  for (unsigned i = 0; i < 12; ++i)
    wanderer.move();
  const BeatsRun &results = wanderer.finish();
  EXPECT_EQ(results.ended, expected->ended);
  EXPECT_EQ(results.cycles, expected->cycles);
  EXPECT_EQ(firstDifference(expected->outputs, results.outputs), "");
  ASSERT_EQ(wanderer.faults().size(), expected->faults.size());
  for (size_t i = 0; i < expected->faults.size(); ++i)
    EXPECT_EQ(wanderer.faults()[i], expected->faults[i]) << describe(expected->faults[i], example.program);
}

TEST(Debugger, EndsLikeARunThatNeverStopped) {
  const std::vector<std::string> names = {"conv_double_buffer",
                                          "conv_swapped_buffers",
                                          "gather",
                                          "gather_without_sync",
                                          "halo",
                                          "halo_deadlock",
                                          "halo_without_wait",
                                          "host_stage",
                                          "host_stage_incomplete",
                                          "k_split_uninitialised",
                                          "multicast",
                                          "multicast_without_barrier",
                                          "pipeline",
                                          "pipeline_without_credit"};
  const uint64_t sequences = asked("TILERIG_DEBUGGER_SEQUENCES", 1000);
  for (uint64_t seed = 0; seed < sequences; ++seed) {
    SCOPED_TRACE(names[seed % names.size()] + ", seed " + std::to_string(seed));
    const uint64_t round = seed / names.size();
    wander(exampleNamed(names[seed % names.size()]), seed,
           {.jitter = round % 3 == 0 ? std::nullopt : std::optional(round),
            .onFault = round % 2 == 0 ? OnFault::stop : OnFault::continueRun,
            .everyBeat = round % 4 > 1});
    if (HasFailure())
      return;
  }
}

TEST(Debugger, EndsLikeARunThatNeverStoppedInRandomPrograms) {
  const Machine tiny = *loadMachine("tiny");
  const uint64_t sequences = asked("TILERIG_DEBUGGER_SEQUENCES", 60);
  for (uint64_t seed = 0; seed < sequences; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::RandomProgram program = test::raceFreeProgram(seed, tiny, static_cast<unsigned>(1 + seed % 4), 12);
    test::Random random(seed);
    if (seed % 2 == 1)
      test::loseSynchronisation(program.program, random);
    wander({program.program, program.inputs}, seed, {.everyBeat = seed % 4 > 1});
    if (HasFailure())
      return;
  }
}

// --- stops ---

StopPoint on(auto what) {
  StopPoint point;
  point.what = std::move(what);
  return point;
}

TEST(Debugger, StopsAllEnginesAtTheMomentAtWhichTheFirstReachesABreakpoint) {
  for (const char *name : {"halo", "halo_without_wait"}) {
    SCOPED_TRACE(name);
    const Example example = exampleNamed(name);
    const auto debugger = debuggerOf(example, {.run = {.onFault = OnFault::continueRun, .everyBeat = true}});
    const unsigned number = debugger->add(on(InstructionStop{}));
    uint64_t last = 0;
    unsigned stops = 0;
    for (;; ++stops) {
      const auto stop = debugger->go(TimeDirection::forward);
      ASSERT_TRUE(stop) << stop.error().message();
      if (stop->reason == StopReason::end)
        break;
      if (stop->reason == StopReason::fault)
        continue;
      ASSERT_EQ(stop->reason, StopReason::stopPoint);
      ASSERT_EQ(stop->moments.front().stopPoint, number);
      EXPECT_TRUE(stops == 0 || stop->cycle > last);
      last = stop->cycle;
      const TimedStage &stage = *debugger->deviceStage();
      for (const StopMoment &moment : stop->moments)
        EXPECT_EQ(stage.timeline->steps[moment.step->thread][moment.step->ordinal - 1].begin, stop->cycle);
      // No engine has begun a step that begins now or later, and each has ended what ends by now.
      for (ThreadId thread = 0; thread < stage.costs->threads.numThreads(); ++thread) {
        if (slotOf(thread) >= numThreadKinds)
          continue;
        const ThreadState state = debugger->engineStates()->threadAt(thread, stop->cycle);
        if (state.activity == Activity::waiting &&
            stage.costs->threads.step({thread, state.ordinal}).accesses) {
          EXPECT_GE(state.time.begin, stop->cycle);
        }
        if (state.activity == Activity::working) {
          EXPECT_TRUE(state.time.begin < stop->cycle && state.time.end > stop->cycle);
        }
      }
    }
    EXPECT_GT(stops, 1u);
  }
}

TEST(Debugger, GoesBackToTheStopsThatItCameFrom) {
  const auto debugger = debuggerOf(exampleNamed("pipeline"));
  debugger->add(on(InstructionStop{.engine = Engine::pe}));
  std::vector<uint64_t> there, back;
  for (auto stop = debugger->go(TimeDirection::forward); stop->reason == StopReason::stopPoint;
       stop = debugger->go(TimeDirection::forward))
    there.push_back(stop->cycle);
  for (auto stop = debugger->go(TimeDirection::back); stop->reason == StopReason::stopPoint;
       stop = debugger->go(TimeDirection::back))
    back.push_back(stop->cycle);
  std::ranges::reverse(back);
  EXPECT_GT(there.size(), 1u);
  EXPECT_EQ(there, back);
}

TEST(Debugger, StepsBackFromEachStepToTheOneBefore) {
  for (StepUnit unit : {StepUnit::beat, StepUnit::instruction, StepUnit::cycle}) {
    SCOPED_TRACE(EnumNames<StepUnit>::values[static_cast<size_t>(unit)]);
    const auto debugger = debuggerOf(exampleNamed("halo"), {.run = {.everyBeat = true}});
    std::vector<uint64_t> hashes = {hashOfMemories(*debugger)};
    for (unsigned i = 0; i < 40; ++i) {
      const auto stop = debugger->step(TimeDirection::forward, unit, {});
      ASSERT_TRUE(stop);
      if (stop->reason != StopReason::step)
        break;
      hashes.push_back(hashOfMemories(*debugger));
    }
    ASSERT_GT(hashes.size(), 1u);
    if (debugger->isOver()) {
      ASSERT_TRUE(debugger->step(TimeDirection::back, unit, {}));
    }
    while (hashes.size() > 1) {
      EXPECT_EQ(hashOfMemories(*debugger), hashes.back()) << hashes.size();
      hashes.pop_back();
      ASSERT_TRUE(debugger->step(TimeDirection::back, unit, {}));
    }
  }
}

TEST(Debugger, StopsAtAccessesToWatchedBytes) {
  const Example example = exampleNamed("pipeline");
  const auto debugger = debuggerOf(example);
  const proto::Tensor *output = nullptr;
  for (const proto::Tensor &tensor : debugger->program().metadata.tensors())
    if (tensor.role() == proto::OUTPUT)
      output = &tensor;
  ASSERT_TRUE(output);
  Watch watch;
  watch.regions = {Region::ofRun(output->pieces(0).address(), 4)};
  debugger->add(on(std::vector{watch}));
  const auto stop = debugger->go(TimeDirection::forward);
  ASSERT_TRUE(stop);
  ASSERT_TRUE(stop->watch);
  EXPECT_EQ(stop->watch->access.kind, AccessKind::write);
  EXPECT_EQ(stop->watch->after, debugger->read(ddrMemory, stop->watch->bytes));
  const Place place = *stop->watch->place;
  const WriterChain chain = debugger->whoWrote(Location{ddrMemory, stop->watch->bytes.begin}, 2);
  ASSERT_EQ(chain.writer.kind, WriterKind::instruction);
  EXPECT_EQ(*chain.writer.place, place);
  ASSERT_FALSE(chain.operands.empty());
  EXPECT_EQ(chain.operands.front().writer.kind, WriterKind::instruction);
  // Going back stops before the access.
  ASSERT_TRUE(debugger->go(TimeDirection::forward));
  for (;;) {
    const auto before = debugger->go(TimeDirection::back);
    ASSERT_TRUE(before);
    if (before->reason == StopReason::beginning)
      break;
    ASSERT_TRUE(before->watch);
    EXPECT_EQ(before->watch->before, debugger->read(ddrMemory, before->watch->bytes));
  }
}

TEST(Debugger, StopsAtTheFirstElementThatDiffersFromTheExpectedOne) {
  Example example = exampleNamed("pipeline");
  ASSERT_TRUE(prove(example.program)); // so that the whole run is fast
  auto session = BeatsSession::load(example.program, {}, {.captureAll = true});
  ASSERT_TRUE((*session)->run(example.inputs));
  TensorMap expected = (*session)->capturePoints().captured;
  {
    const auto right = debuggerOf(example);
    EXPECT_GT(*right->expect(expected), 0u);
    EXPECT_FALSE(*right->firstDifference());
    EXPECT_EQ(right->go(TimeDirection::forward)->reason, StopReason::end);
  }
  for (const NamedTensor &entry : expected) {
    const auto &tensors = example.program.metadata.tensors();
    const auto placement = std::ranges::find(tensors, entry.name, &proto::Tensor::name);
    if (placement->role() == proto::INPUT)
      continue;
    TensorMap other;
    Tensor changed = entry.tensor;
    changed.mutableBytes().back() ^= std::byte{1};
    ASSERT_TRUE(other.add(entry.name, changed));
    const auto debugger = debuggerOf(example);
    ASSERT_EQ(*debugger->expect(other), 1u);
    const auto found = debugger->firstDifference();
    ASSERT_TRUE(found) << found.error().message();
    ASSERT_TRUE(*found);
    const auto stop = debugger->go(TimeDirection::forward);
    ASSERT_EQ(stop->reason, StopReason::difference) << entry.name;
    EXPECT_EQ(stop->difference->tensor->name(), entry.name);
    for (size_t axis = 0; axis < changed.shape().size(); ++axis)
      EXPECT_EQ(stop->difference->position[axis], changed.shape()[axis] - 1);
    const WriterChain chain = debugger->whoWrote(stop->difference->location, 0);
    const Job &job = debugger->recordedRun().replayOf(0)->instructions()[*stop->difference->job];
    EXPECT_EQ(chain.writer.place->instruction, job.instruction);
    EXPECT_EQ(chain.writer.place->tile, tileOfThread(job.thread));
    EXPECT_EQ((*found)->difference.tensor->name(), entry.name);
    EXPECT_EQ((*found)->difference.position, stop->difference->position);
    ASSERT_TRUE((*found)->place);
    EXPECT_EQ(*(*found)->place, *chain.writer.place);
    EXPECT_EQ((*found)->begin, job.begin);
  }
}

TEST(Debugger, StopsAtAnInstructionOnlyIfTheConditionHolds) {
  const Example example = exampleNamed("pipeline");
  const auto all = debuggerOf(example);
  all->add(on(InstructionStop{.engine = Engine::pe}));
  std::vector<uint64_t> cycles;
  for (auto stop = all->go(TimeDirection::forward); stop->reason == StopReason::stopPoint;
       stop = all->go(TimeDirection::forward))
    cycles.push_back(stop->cycle);
  ASSERT_GT(cycles.size(), 1u);
  const auto debugger = debuggerOf(example);
  StopPoint point = on(InstructionStop{.engine = Engine::pe});
  point.condition = *Condition::parse("cycle >= " + std::to_string(cycles[1]), example.program);
  debugger->add(std::move(point));
  EXPECT_EQ(debugger->go(TimeDirection::forward)->cycle, cycles[1]);
  EXPECT_EQ(debugger->stopPoints().front().hits, 1u);
}

// A load reads a constant and bytes behind it that nothing has written; its undoing must not touch the constant.
TEST(Debugger, KeepsConstantsWhenItUndoesAReadOfUnwrittenBytes) {
  const Assembly assembly = test::assembled(R"(.machine tiny
.constant c=0x5000 fp32 [1 2 3 4]
.output "y" float32 [8] ddr[0x6000]
.stage "main" inference
.tile 0
    load source=fp32 ddr[0x5000] <8> destination=fp32 ocm[0] <8>
    sync engine=dma_out on=dma_in
    store source=fp32 ocm[0] <8> destination=fp32 ddr[0x6000] <8>
    halt
)");
  const auto debugger = debuggerOf({assembly.program, {}}, {.run = {.onFault = OnFault::continueRun}});
  std::vector<std::byte> first;
  for (unsigned round = 0; round < 3; ++round) {
    while (!debugger->isOver())
      ASSERT_TRUE(debugger->go(TimeDirection::forward));
    const std::vector<std::byte> output = debugger->read(ddrMemory, {0x6000, 0x6020});
    if (round == 0)
      first = output;
    EXPECT_EQ(output, first);
    EXPECT_EQ(elementValue(output.data() + 4, ElementType::fp32), 2);
    ASSERT_TRUE(debugger->restart());
  }
}

TEST(Debugger, StopsBeforeTheHostAtACycleAtWhichItWorks) {
  const auto debugger = debuggerOf(exampleNamed("host_stage"));
  ASSERT_TRUE(debugger->go(TimeDirection::forward));
  const TimedStage host = debugger->recordedRun().results().stages[1];
  ASSERT_FALSE(host.timeline);
  const uint64_t within = (host.begin + host.end) / 2, total = debugger->cycle();
  EXPECT_EQ(debugger->goTo(within)->cycle, host.begin);
  // A step by a cycle passes the work of the host at once, and further ones go on from its end.
  EXPECT_EQ(debugger->step(TimeDirection::forward, StepUnit::cycle, {})->cycle, host.end);
  EXPECT_EQ(debugger->step(TimeDirection::forward, StepUnit::cycle, {})->cycle, host.end + 1);
  EXPECT_EQ(debugger->goTo(host.end - 1)->cycle, host.begin);
  EXPECT_EQ(debugger->goTo(total)->cycle, total);
  EXPECT_EQ(debugger->goTo(host.end + 5)->cycle, host.end + 5);
  ASSERT_TRUE(debugger->restart());
  const unsigned number = debugger->add(on(CycleStop{within}));
  for (auto direction : {TimeDirection::forward, TimeDirection::forward, TimeDirection::back}) {
    const auto stop = debugger->go(direction);
    ASSERT_TRUE(stop);
    if (stop->reason == StopReason::end)
      continue;
    ASSERT_EQ(stop->reason, StopReason::stopPoint);
    EXPECT_EQ(stop->moments.front().stopPoint, number);
    EXPECT_EQ(stop->cycle, host.begin);
  }
  EXPECT_EQ(debugger->stopPoints().front().hits, 2u);
}

TEST(Debugger, RestartsWithAHistoryOfNothing) {
  const auto debugger = debuggerOf(exampleNamed("conv_double_buffer"), {.historyBytes = 1});
  const uint64_t begin = hashOfMemories(*debugger);
  ASSERT_TRUE(debugger->go(TimeDirection::forward));
  const uint64_t end = hashOfMemories(*debugger);
  ASSERT_TRUE(debugger->restart());
  EXPECT_EQ(hashOfMemories(*debugger), begin);
  EXPECT_EQ(debugger->cycle(), 0u);
  ASSERT_TRUE(debugger->go(TimeDirection::forward));
  EXPECT_EQ(hashOfMemories(*debugger), end);
}

TEST(Debugger, RefusesConditionsThatMakeNoSense) {
  const Example example = exampleNamed("pipeline");
  for (const char *text : {"", "cycle", "cycle = 3", "cycle ! 3", "cycle < ", "x < 3", "fp16(ocm99:0) < 1",
                           "i4(ddr:0) < 1", "fp16(ocm0) < 1", "semaphore(0) < 1", "semaphore(0,999) < 1",
                           "fp32(ocm0:0xffffffffff) < 1", "cycle < 0x"})
    EXPECT_FALSE(Condition::parse(text, example.program)) << text;
  for (const char *text : {"cycle<3", "1.5 >= fp16( ocm0:0x10 )", "semaphore(0, 1) != 2", "cycle == 0x10"})
    EXPECT_TRUE(Condition::parse(text, example.program)) << text;
}

} // namespace
} // namespace tilerig
