// Tests of capturing and replacing tensors while programs run. All expected values are worked out by hand
// from the text of the programs, whose arithmetic is on small integers.
#include "emulator/Beats/BeatsSession.h"
#include "emulator/Observe/Observers.h"
#include "emulator/Session.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Assembly/Parser.h"

#include <gtest/gtest.h>

#include <set>

namespace tilerig {
using namespace emulator;
namespace {

Assembly assemble(const std::string &text) {
  auto assembly = parseAssembly(text, "test");
  if (!assembly) {
    ADD_FAILURE() << assembly.error().message();
    return {};
  }
  const Status proved = prove(assembly->program);
  EXPECT_TRUE(proved) << proved.error().message();
  return *std::move(assembly);
}

struct Seen {
  TensorMap outputs, captured, asModel;
};

void expectSame(const TensorMap &ours, const TensorMap &theirs) {
  EXPECT_EQ(ours.size(), theirs.size());
  for (const NamedTensor &expected : theirs) {
    ASSERT_TRUE(ours.find(expected.name)) << expected.name;
    EXPECT_TRUE(identical(*ours.find(expected.name), expected.tensor)) << expected.name;
  }
}

// Expects that the beat-by-beat mode captures the same tensors and gives the same outputs as the run `seen`.
void expectSeenByBeats(const Assembly &assembly, const Observation &observation, const Seen &seen) {
  for (const bool everyBeat : {false, true}) {
    auto session = BeatsSession::load(assembly.program, {}, observation);
    ASSERT_TRUE(session) << session.error().message();
    for (int run = 0; run < 2; ++run) {
      auto outcome = (*session)->run(assembly.test.inputs, {.everyBeat = everyBeat});
      ASSERT_TRUE(outcome) << outcome.error().message();
      ASSERT_TRUE(outcome->ended && outcome->faults.empty());
      expectSame(outcome->outputs, seen.outputs);
    }
    expectSame((*session)->capturePoints().captured, seen.captured);
  }
}

// Runs the program `runs` times, and returns the outputs and captured tensors of the last run. If a run
// fails, reports it as a test failure and returns nothing.
std::optional<Seen> observe(const Assembly &assembly, const Observation &observation, unsigned threads = 2,
                            int runs = 2) {
  auto session = Session::load(assembly.program, {.threads = threads, .observation = observation});
  if (!session) {
    ADD_FAILURE() << session.error().message();
    return {};
  }
  Seen seen;
  for (int run = 0; run < runs; ++run) {
    auto outputs = (*session)->run(assembly.test.inputs);
    if (!outputs) {
      ADD_FAILURE() << outputs.error().message();
      return {};
    }
    seen.outputs = *std::move(outputs);
  }
  seen.captured = (*session)->captured();
  auto asModel = (*session)->capturedAsModel();
  EXPECT_TRUE(asModel);
  seen.asModel = *std::move(asModel);
  expectSeenByBeats(assembly, observation, seen);
  return seen;
}

std::string refusal(const Assembly &assembly, const Observation &observation) {
  auto session = Session::load(assembly.program, {.threads = 1, .observation = observation});
  return session ? "" : session.error().message();
}

template <class T>
TensorMap mapOf(const std::string &name, Shape shape, std::initializer_list<T> elements) {
  TensorMap map;
  EXPECT_TRUE(map.add(name, Tensor::of<T>(std::move(shape), elements)));
  return map;
}

template <class T>
void expectTensor(const TensorMap &map, const std::string &name, Shape shape,
                  std::initializer_list<T> elements) {
  const Tensor *got = map.find(name);
  ASSERT_TRUE(got) << name;
  const Tensor expected = Tensor::of<T>(std::move(shape), elements);
  EXPECT_TRUE(identical(*got, expected))
      << name << ": " << nameOf(got->dtype()) << " " << showShape(got->shape())
      << testing::PrintToString(got->dtype() == expected.dtype()
                                    ? std::vector(got->as<T>().begin(), got->as<T>().end())
                                    : std::vector<T>());
}

// A program on two tiles, with one row of the tensors in each: it computes h = 2 x, then g = h * h, which
// overwrites h, then y = g - x.
const char *const inPlace = R"(
.machine tiny
.tiles 2
.metadata { layers { id: 0 name: "double" where: "accelerator" } layers { id: 1 name: "square" where: "accelerator" } layers { id: 2 name: "less" where: "accelerator" } }
.input "x" int32 [2, 4] ddr[0x1000]
.tensor "h" int32 [2, 4] layer=0 ocm 0[0x100] extent=[1 4] ocm 1[0x100] begin=[1 0] extent=[1 4]
.tensor "g" int32 [2, 4] layer=1 ocm 0[0x100] extent=[1 4] ocm 1[0x100] begin=[1 0] extent=[1 4]
.output "y" int32 [2, 4] layer=2 ddr[0x3000]
.tile 0
    load source=i32 ddr[0x1000] <4> destination=i32 ocm[0] <4>
    sync engine=pe on=dma_in
    binary layer=0 a=i32 ocm[0] <4> b=i32 ocm[0] <4> output=i32 ocm[0x100] <4>
    binary layer=1 function=mul a=i32 ocm[0x100] <4> b=i32 ocm[0x100] <4> output=i32 ocm[0x100] <4>
    binary layer=2 function=sub a=i32 ocm[0x100] <4> b=i32 ocm[0] <4> output=i32 ocm[0x200] <4>
    sync engine=dma_out on=pe
    store layer=2 source=i32 ocm[0x200] <4> destination=i32 ddr[0x3000] <4>
    halt
.tile 1
    load source=i32 ddr[0x1010] <4> destination=i32 ocm[0] <4>
    sync engine=pe on=dma_in
    binary layer=0 a=i32 ocm[0] <4> b=i32 ocm[0] <4> output=i32 ocm[0x100] <4>
    binary layer=1 function=mul a=i32 ocm[0x100] <4> b=i32 ocm[0x100] <4> output=i32 ocm[0x100] <4>
    binary layer=2 function=sub a=i32 ocm[0x100] <4> b=i32 ocm[0] <4> output=i32 ocm[0x200] <4>
    sync engine=dma_out on=pe
    store layer=2 source=i32 ocm[0x200] <4> destination=i32 ddr[0x3010] <4>
    halt
.set "x" [1 2 3 4 5 6 7 8]
)";

TEST(Capture, SeesATensorThatTheNextLayerOverwrites) {
  const Assembly assembly = assemble(inPlace);
  for (unsigned threads : {1u, 2u, 4u}) {
    const auto seen = observe(assembly, {.captureAll = true}, threads);
    ASSERT_TRUE(seen);
    expectTensor<int32_t>(seen->captured, "x", {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
    expectTensor<int32_t>(seen->captured, "h", {2, 4}, {2, 4, 6, 8, 10, 12, 14, 16});
    expectTensor<int32_t>(seen->captured, "g", {2, 4}, {4, 16, 36, 64, 100, 144, 196, 256});
    expectTensor<int32_t>(seen->captured, "y", {2, 4}, {3, 14, 33, 60, 95, 138, 189, 248});
    expectTensor<int32_t>(seen->outputs, "y", {2, 4}, {3, 14, 33, 60, 95, 138, 189, 248});
  }
}

// An order of tasks in which capture points (the tasks that copy captured tensors) run as late as the graph
// permits. Of the tasks that are ready, the one with the lowest number runs first, and capture points have
// the highest numbers.
std::vector<uint32_t> lowestFirst(const TaskGraph &graph) {
  std::vector<uint32_t> missing = graph.numPredecessors, order;
  std::set<uint32_t> ready;
  for (uint32_t task = 0; task < graph.size(); ++task)
    if (missing[task] == 0)
      ready.insert(task);
  while (!ready.empty()) {
    const uint32_t task = *ready.begin();
    ready.erase(ready.begin());
    order.push_back(task);
    for (uint32_t i = graph.firstSuccessor[task]; i < graph.firstSuccessor[task + 1]; ++i)
      if (--missing[graph.successors[i]] == 0)
        ready.insert(graph.successors[i]);
  }
  return order;
}

TEST(Capture, ComesAfterTheLayerAndBeforeWhoOverwritesIt) {
  const Assembly assembly = assemble(inPlace);
  const Program &program = assembly.program;
  const std::vector<StageTasks> tasks = {tasksOfStage(program, 0)};
  auto memories = Memories::of(program);
  ASSERT_TRUE(memories);
  auto observers = Observers::of(program, tasks, {.capture = {"h"}}, *memories);
  ASSERT_TRUE(observers) << observers.error().message();
  const std::vector<Capture> &captures = observers->stages[0].captures;
  ASSERT_EQ(captures.size(), 2u); // one capture point in the program of each tile
  const std::vector<uint32_t> order = lowestFirst(withCaptures(tasks[0].graph, captures));
  ASSERT_EQ(order.size(), tasks[0].graph.size() + 2u);
  const auto placeOf = [&](uint32_t task) { return std::ranges::find(order, task) - order.begin(); };
  for (uint32_t capture = 0; capture < 2; ++capture) {
    const unsigned tile = tileOf(captures[capture].memory);
    for (uint32_t task = 0; task < tasks[0].places.size(); ++task) {
      const InstructionPlace &place = tasks[0].places[task];
      if (place.index == StageTasks::emptyTask || place.tile != tile)
        continue;
      const uint32_t self = tasks[0].graph.size() + capture;
      if (place.index == 2) { // index of the instruction h = x + x
        EXPECT_LT(placeOf(task), placeOf(self));
      } else if (place.index == 3) { // the instruction g = h * h
        EXPECT_LT(placeOf(self), placeOf(task));
      }
    }
  }
}

// A program that computes h = 2 x, g = h * h and y = g - x, two elements at a time: the first half of h is
// overwritten before the second is computed.
const char *const inParts = R"(
.machine tiny
.tiles 1
.metadata { layers { id: 0 name: "double" where: "accelerator" } layers { id: 1 name: "square" where: "accelerator" } layers { id: 2 name: "less" where: "accelerator" } }
.input "x" int32 [4] ddr[0x1000]
.tensor "h" int32 [4] layer=0 ocm 0[0x100] extent=[4]
.tensor "g" int32 [4] layer=1 ocm 0[0x100] extent=[4]
.output "y" int32 [4] layer=2 ddr[0x3000]
.tile 0
    load source=i32 ddr[0x1000] <4> destination=i32 ocm[0] <4>
    sync engine=pe on=dma_in
    binary layer=0 a=i32 ocm[0] <2> b=i32 ocm[0] <2> output=i32 ocm[0x100] <2>
    binary layer=1 function=mul a=i32 ocm[0x100] <2> b=i32 ocm[0x100] <2> output=i32 ocm[0x100] <2>
    binary layer=2 function=sub a=i32 ocm[0x100] <2> b=i32 ocm[0] <2> output=i32 ocm[0x200] <2>
    binary layer=0 a=i32 ocm[8] <2> b=i32 ocm[8] <2> output=i32 ocm[0x108] <2>
    binary layer=1 function=mul a=i32 ocm[0x108] <2> b=i32 ocm[0x108] <2> output=i32 ocm[0x108] <2>
    binary layer=2 function=sub a=i32 ocm[0x108] <2> b=i32 ocm[8] <2> output=i32 ocm[0x208] <2>
    sync engine=dma_out on=pe
    store layer=2 source=i32 ocm[0x200] <4> destination=i32 ddr[0x3000] <4>
    halt
.set "x" [1 2 3 4]
)";

TEST(Capture, SeesPartsThatAreNeverThereAtOnce) {
  const auto seen = observe(assemble(inParts), {.captureAll = true});
  ASSERT_TRUE(seen);
  expectTensor<int32_t>(seen->captured, "h", {4}, {2, 4, 6, 8});
  expectTensor<int32_t>(seen->captured, "g", {4}, {4, 16, 36, 64});
  expectTensor<int32_t>(seen->outputs, "y", {4}, {3, 14, 33, 60});
}

TEST(Replacement, OfPartsThatAreNeverThereAtOnce) {
  const auto seen =
      observe(assemble(inParts), {.captureAll = true, .replace = mapOf<int32_t>("h", {4}, {1, 2, 3, 5})});
  ASSERT_TRUE(seen);
  expectTensor<int32_t>(seen->captured, "g", {4}, {1, 4, 9, 25});
  expectTensor<int32_t>(seen->outputs, "y", {4}, {0, 2, 6, 21});
}

// A program that computes h = 2 x in two parts that use the same bytes one after the other and share an
// element, and then g = h * h.
const char *const inBands = R"(
.machine tiny
.metadata { layers { id: 0 name: "double" where: "accelerator" } layers { id: 1 name: "square" where: "accelerator" } }
.input "x" int32 [4] ddr[0x1000]
.tensor "h" int32 [4] layer=0 ocm[0x100] extent=[3] ready_at=3 ocm[0x100] begin=[2] extent=[2] ready_at=5
.output "g" int32 [4] layer=1 ddr[0x3000]
    load source=i32 ddr[0x1000] <4> destination=i32 ocm[0] <4>
    sync engine=pe on=dma_in
    binary layer=0 a=i32 ocm[0] <3> b=i32 ocm[0] <3> output=i32 ocm[0x100] <3>
    binary layer=1 function=mul a=i32 ocm[0x100] <3> b=i32 ocm[0x100] <3> output=i32 ocm[0x200] <3>
    binary layer=0 a=i32 ocm[8] <2> b=i32 ocm[8] <2> output=i32 ocm[0x100] <2>
    binary layer=1 function=mul a=i32 ocm[0x104] <1> b=i32 ocm[0x104] <1> output=i32 ocm[0x20c] <1>
    sync engine=dma_out on=pe
    store layer=1 source=i32 ocm[0x200] <4> destination=i32 ddr[0x3000] <4>
    halt
.set "x" [1 2 3 4]
)";

TEST(Capture, SeesBandsThatShareMemory) {
  const auto seen = observe(assemble(inBands), {.captureAll = true});
  ASSERT_TRUE(seen);
  expectTensor<int32_t>(seen->captured, "h", {4}, {2, 4, 6, 8});
  expectTensor<int32_t>(seen->outputs, "g", {4}, {4, 16, 36, 64});
}

TEST(Replacement, OfBandsThatShareMemory) {
  const auto seen =
      observe(assemble(inBands), {.captureAll = true, .replace = mapOf<int32_t>("h", {4}, {1, 2, 3, 5})});
  ASSERT_TRUE(seen);
  expectTensor<int32_t>(seen->captured, "h", {4}, {1, 2, 3, 5});
  expectTensor<int32_t>(seen->outputs, "g", {4}, {1, 4, 9, 25});
}

TEST(Capture, TakesOnlyWhatIsNamed) {
  const auto seen = observe(assemble(inPlace), {.capture = {"g"}});
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->captured.size(), 1u);
  expectTensor<int32_t>(seen->captured, "g", {2, 4}, {4, 16, 36, 64, 100, 144, 196, 256});
}

TEST(Replacement, StandsBetweenProducerAndReaders) {
  const Assembly assembly = assemble(inPlace);
  for (unsigned threads : {1u, 2u, 4u}) {
    auto seen = observe(
        assembly, {.captureAll = true, .replace = mapOf<int32_t>("h", {2, 4}, {1, 0, 1, 0, 2, 0, 2, 10})},
        threads);
    ASSERT_TRUE(seen);
    expectTensor<int32_t>(seen->captured, "h", {2, 4}, {1, 0, 1, 0, 2, 0, 2, 10});
    expectTensor<int32_t>(seen->captured, "g", {2, 4}, {1, 0, 1, 0, 4, 0, 4, 100});
    expectTensor<int32_t>(seen->outputs, "y", {2, 4}, {0, -2, -2, -4, -1, -6, -3, 92});
    seen = observe(assembly, {.replace = mapOf<int32_t>("g", {2, 4}, {9, 9, 9, 9, 9, 9, 9, 9})}, threads);
    ASSERT_TRUE(seen);
    expectTensor<int32_t>(seen->outputs, "y", {2, 4}, {8, 7, 6, 5, 4, 3, 2, 1});
  }
}

// Each layer's result for given inputs, all in one run: h = 2 x is captured, then replaced; g = h * h of the
// replacement is captured, then replaced; y is the replaced g minus x.
TEST(Replacement, KeepsComputedTensorsForCaptures) {
  const Assembly assembly = assemble(inPlace);
  TensorMap replacement = mapOf<int32_t>("h", {2, 4}, {1, 0, 1, 0, 2, 0, 2, 10});
  ASSERT_TRUE(replacement.add("g", Tensor::of<int32_t>({2, 4}, {9, 9, 9, 9, 9, 9, 9, 9})));
  ASSERT_TRUE(replacement.add("y", Tensor::of<int32_t>({2, 4}, {0, 0, 0, 0, 0, 0, 0, 0})));
  for (unsigned threads : {1u, 2u, 4u}) {
    const auto seen =
        observe(assembly, {.captureAll = true, .replace = replacement, .captureComputed = true}, threads);
    ASSERT_TRUE(seen);
    expectTensor<int32_t>(seen->captured, "h", {2, 4}, {2, 4, 6, 8, 10, 12, 14, 16});
    expectTensor<int32_t>(seen->captured, "g", {2, 4}, {1, 0, 1, 0, 4, 0, 4, 100});
    expectTensor<int32_t>(seen->captured, "y", {2, 4}, {8, 7, 6, 5, 4, 3, 2, 1});
    expectTensor<int32_t>(seen->outputs, "y", {2, 4}, {0, 0, 0, 0, 0, 0, 0, 0});
  }
}

TEST(Replacement, OfAnOutputIsTheOutputOfTheRun) {
  const auto seen =
      observe(assemble(inPlace), {.replace = mapOf<int32_t>("y", {2, 4}, {1, 1, 2, 3, 5, 8, 13, 21})});
  ASSERT_TRUE(seen);
  expectTensor<int32_t>(seen->outputs, "y", {2, 4}, {1, 1, 2, 3, 5, 8, 13, 21});
}

// An image of 3 channels, 2 rows and 2 columns: NCHW in the model, stored as NHWC with one row per tile, in 8
// bits with scale 0.5 and zero point 1. The first layer copies the input to the OCMs, the second copies it
// from there to the output; both copy the stored integers.
const char *const quantised = R"(
.machine tiny
.tiles 2
.metadata { layers { id: 0 name: "copy" where: "accelerator" } layers { id: 1 name: "out" where: "accelerator" } }
.input "x" float32 [1, 3, 2, 2] stored=i8 scale=0.5 zero_point=1 ddr[0x1000]
.tensor "t" float32 [1, 3, 2, 2] stored=i8 scale=0.5 zero_point=1 layer=0
    ocm 0[0x40] extent=[1 3 1 2] stride=[6 1 6 3] ocm 1[0x40] begin=[0 0 1 0] extent=[1 3 1 2] stride=[6 1 6 3]
.output "y" float32 [1, 3, 2, 2] stored=i8 scale=0.5 zero_point=1 layer=1 ddr[0x3000] stride=[12 1 6 3]
.tile 0
    load source=i8 ddr[0x1000] <2*1, 3*4> destination=i8 ocm[0x40] <2*3, 3*1>
    sync engine=dma_out on=dma_in
    store layer=1 source=i8 ocm[0x40] <6> destination=i8 ddr[0x3000] <6>
    halt
.tile 1
    load source=i8 ddr[0x1002] <2*1, 3*4> destination=i8 ocm[0x40] <2*3, 3*1>
    sync engine=dma_out on=dma_in
    store layer=1 source=i8 ocm[0x40] <6> destination=i8 ddr[0x3006] <6>
    halt
.set "x" [0 0.5 1 1.5 2 2.5 3 3.5 -4 -4.5 -5 -5.5]
)";

TEST(Capture, GathersTilesAndKeepsWhatIsStored) {
  const auto seen = observe(assemble(quantised), {.capture = {"t"}});
  ASSERT_TRUE(seen);
  expectTensor<int8_t>(seen->captured, "t", {1, 3, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8, -7, -8, -9, -10});
  expectTensor<float>(seen->asModel, "t", {1, 3, 2, 2},
                      {0, 0.5f, 1, 1.5f, 2, 2.5f, 3, 3.5f, -4, -4.5f, -5, -5.5f});
}

TEST(Replacement, TakesTheModelsTypeAndTheStoredOne) {
  const Assembly assembly = assemble(quantised);
  // 0.26 is quantised to 0.5, which is nearer than 0; 63.5 saturates at (127 - 1) / 2 = 63.
  auto seen = observe(
      assembly, {.replace = mapOf<float>("t", {1, 3, 2, 2}, {0.26f, 0, 0, 63.5f, 0, 0, 0, 0, 1, 2, 3, 4})});
  ASSERT_TRUE(seen);
  expectTensor<float>(seen->outputs, "y", {1, 3, 2, 2}, {0.5f, 0, 0, 63, 0, 0, 0, 0, 1, 2, 3, 4});
  seen = observe(assembly,
                 {.replace = mapOf<int8_t>("t", {1, 3, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})});
  ASSERT_TRUE(seen);
  expectTensor<float>(seen->outputs, "y", {1, 3, 2, 2},
                      {0, 0.5f, 1, 1.5f, 2, 2.5f, 3, 3.5f, 4, 4.5f, 5, 5.5f});
}

// Layer 0 computes h in two halves, the second only after the first has been read: an observer that waits for
// the whole tensor would deadlock. Layer 1 moves each half to tile 1 and doubles it there.
const char *const byHalves = R"(
.machine tiny
.tiles 2
.metadata { layers { id: 0 name: "copy" where: "accelerator" } layers { id: 1 name: "double" where: "accelerator" } }
.input "x" int32 [8] ddr[0x1000]
.tensor "h" int32 [8] layer=0 ocm 0[0x100]
.output "y" int32 [8] layer=1 ddr[0x3000]
.tile 0
    load source=i32 ddr[0x1000] <8> destination=i32 ocm[0] <8>
    sync engine=pe on=dma_in
    copy layer=0 input=i32 ocm[0] <4> output=i32 ocm[0x100] <4>
    sync engine=dma_out on=pe
    store layer=1 source=i32 ocm[0x100] <4> destination=i32 remote 1[0x100] <4>
    sync engine=pe on=dma_out
    copy layer=0 input=i32 ocm[0x10] <4> output=i32 ocm[0x110] <4>
    sync engine=dma_out on=pe
    store layer=1 source=i32 ocm[0x110] <4> destination=i32 remote 1[0x110] <4>
    signal layer=1 engine=dma_out tile=1 semaphore=0
    halt
.tile 1
    wait layer=1 engine=pe semaphore=0
    binary layer=1 a=i32 ocm[0x100] <8> b=i32 ocm[0x100] <8> output=i32 ocm[0x200] <8>
    sync engine=dma_out on=pe
    store layer=1 source=i32 ocm[0x200] <8> destination=i32 ddr[0x3000] <8>
    halt
.set "x" [1 2 3 4 5 6 7 8]
)";

TEST(Replacement, ReachesReadersOfAPartBeforeTheWholeIsThere) {
  const Assembly assembly = assemble(byHalves);
  for (unsigned threads : {1u, 2u, 4u}) {
    const auto seen = observe(
        assembly, {.captureAll = true, .replace = mapOf<int32_t>("h", {8}, {10, 20, 30, 40, 50, 60, 70, 80})},
        threads);
    ASSERT_TRUE(seen);
    expectTensor<int32_t>(seen->captured, "h", {8}, {10, 20, 30, 40, 50, 60, 70, 80});
    expectTensor<int32_t>(seen->outputs, "y", {8}, {20, 40, 60, 80, 100, 120, 140, 160});
  }
}

TEST(Replacement, KeepsTensorsComputedInPartsForCaptures) {
  const Assembly assembly = assemble(byHalves);
  for (unsigned threads : {1u, 2u, 4u}) {
    const auto seen = observe(assembly,
                              {.captureAll = true,
                               .replace = mapOf<int32_t>("h", {8}, {10, 20, 30, 40, 50, 60, 70, 80}),
                               .captureComputed = true},
                              threads);
    ASSERT_TRUE(seen);
    expectTensor<int32_t>(seen->captured, "h", {8}, {1, 2, 3, 4, 5, 6, 7, 8});
    expectTensor<int32_t>(seen->outputs, "y", {8}, {20, 40, 60, 80, 100, 120, 140, 160});
  }
}

// Each of two tiles holds a copy of h and stores its own copy to y: row 0 of y is the copy of tile 0, row 1
// that of tile 1.
const char *const copies = R"(
.machine tiny
.tiles 2
.metadata { layers { id: 0 name: "double" where: "accelerator" } layers { id: 1 name: "out" where: "accelerator" } }
.input "x" int32 [4] ddr[0x1000]
.tensor "h" int32 [4] layer=0 ocm 0[0x100] ocm 1[0x140]
.output "y" int32 [2, 4] layer=1 ddr[0x3000]
.tile 0
    load source=i32 ddr[0x1000] <4> destination=i32 ocm[0] <4>
    sync engine=pe on=dma_in
    binary layer=0 a=i32 ocm[0] <4> b=i32 ocm[0] <4> output=i32 ocm[0x100] <4>
    sync engine=dma_out on=pe
    store layer=1 source=i32 ocm[0x100] <4> destination=i32 ddr[0x3000] <4>
    halt
.tile 1
    load source=i32 ddr[0x1000] <4> destination=i32 ocm[0] <4>
    sync engine=pe on=dma_in
    binary layer=0 a=i32 ocm[0] <4> b=i32 ocm[0] <4> output=i32 ocm[0x140] <4>
    sync engine=dma_out on=pe
    store layer=1 source=i32 ocm[0x140] <4> destination=i32 ddr[0x3010] <4>
    halt
.set "x" [1 2 3 4]
)";

TEST(Replacement, StandsInEveryCopy) {
  const auto seen = observe(assemble(copies), {.replace = mapOf<int32_t>("h", {4}, {7, 8, 9, 10})});
  ASSERT_TRUE(seen);
  expectTensor<int32_t>(seen->outputs, "y", {2, 4}, {7, 8, 9, 10, 7, 8, 9, 10});
}

// The weights are constants that a transfer brings to the tile. The emulator computes with the constants
// themselves and skips this transfer unless the tensor is captured.
const char *const constantWeights = R"(
.machine tiny
.metadata { layers { id: 0 name: "product" where: "accelerator" } }
.input "x" float32 [1, 4] ddr[0x1000]
.constant weights=0x2000 fp32 [1 0 0 0  0 2 0 0]
.tensor "w" float32 [4, 2] layer=0 ocm 0[0x100] stride=[4 16]
.output "y" float32 [1, 2] layer=0 ddr[0x3000]
    load source=fp32 ddr[weights] <2, 4> destination=fp32 ocm[0x100] <2, 4>
    load source=fp32 ddr[0x1000] <4> destination=fp32 ocm[0] <4>
    sync engine=pod on=dma_in
    matmul a=fp32 ocm[0] <1, 4> b=fp32 ocm[0x100] <2, 4> output=fp32 ocm[0x200] <1, 2>
    sync engine=dma_out on=pod
    store source=fp32 ocm[0x200] <2> destination=fp32 ddr[0x3000] <2>
    halt
.set "x" [3 5 7 9]
)";

TEST(Capture, NeedsTransfersThatARunLeavesOut) {
  const auto seen = observe(assemble(constantWeights), {.captureAll = true});
  ASSERT_TRUE(seen);
  expectTensor<float>(seen->captured, "w", {4, 2}, {1, 0, 0, 2, 0, 0, 0, 0});
  expectTensor<float>(seen->outputs, "y", {1, 2}, {3, 10});
}

TEST(Replacement, OfWeightsIsWhatTheProductTakes) {
  const auto seen =
      observe(assemble(constantWeights), {.replace = mapOf<float>("w", {4, 2}, {0, 1, 0, 0, 1, 0, 0, 0})});
  ASSERT_TRUE(seen);
  expectTensor<float>(seen->outputs, "y", {1, 2}, {7, 3});
}

// x is negated on the accelerator, its two largest elements are sorted on the host, and the accelerator
// copies them to y.
const char *const withHost = R"(
.machine tiny
.metadata { layers { id: 0 name: "negate" where: "accelerator" } layers { id: 1 name: "order" where: "host" } layers { id: 2 name: "out" where: "accelerator" } }
.input "x" float32 [4] ddr[0x1000]
.tensor "negated" float32 [4] layer=0 stage=0 ddr[0x2000]
.tensor "sorted" float32 [2] layer=1 stage=1 ddr[0x2100]
.tensor "places" int64 [2] stored=i32 layer=1 stage=1 ddr[0x2200]
.output "y" float32 [2] layer=2 stage=2 ddr[0x3000]
.stage "before" inference
    load source=fp32 ddr[0x1000] <4> destination=fp32 ocm[0] <4>
    sync engine=pe on=dma_in
    activate finish={function=neg} input=fp32 ocm[0] <4> output=fp32 ocm[0x40] <4>
    sync engine=dma_out on=pe
    store source=fp32 ocm[0x40] <4> destination=fp32 ddr[0x2000] <4>
    halt
.stage "host" inference
.host "TopK" layer=1 inputs=["negated"] outputs=["sorted" "places"] attributes={"k"={ints=[2]} "axis"={ints=[0]}}
.stage "after" inference
    load layer=2 source=fp32 ddr[0x2100] <2> destination=fp32 ocm[0] <2>
    sync layer=2 engine=dma_out on=dma_in
    store layer=2 source=fp32 ocm[0] <2> destination=fp32 ddr[0x3000] <2>
    halt
.set "x" [3 -1 4 -2]
)";

TEST(Capture, CapturesResultsOfTheHost) {
  const auto seen = observe(assemble(withHost), {.captureAll = true});
  ASSERT_TRUE(seen);
  expectTensor<float>(seen->captured, "negated", {4}, {-3, 1, -4, 2});
  expectTensor<float>(seen->captured, "sorted", {2}, {2, 1});
  expectTensor<int32_t>(seen->captured, "places", {2}, {3, 1});
  expectTensor<int64_t>(seen->asModel, "places", {2}, {3, 1});
}

TEST(Replacement, ReplacesOperandsAndResultsOfTheHost) {
  auto seen = observe(assemble(withHost), {.replace = mapOf<float>("negated", {4}, {1, 8, 6, 7})});
  ASSERT_TRUE(seen);
  expectTensor<float>(seen->outputs, "y", {2}, {8, 7});
  seen = observe(assemble(withHost), {.replace = mapOf<float>("sorted", {2}, {-1, -2})});
  ASSERT_TRUE(seen);
  expectTensor<float>(seen->outputs, "y", {2}, {-1, -2});
}

TEST(Replacement, KeepsResultsOfTheHostForCaptures) {
  TensorMap replacement = mapOf<float>("negated", {4}, {1, 8, 6, 7});
  ASSERT_TRUE(replacement.add("sorted", Tensor::of<float>({2}, {-1, -2})));
  const auto seen =
      observe(assemble(withHost), {.captureAll = true, .replace = replacement, .captureComputed = true});
  ASSERT_TRUE(seen);
  expectTensor<float>(seen->captured, "negated", {4}, {-3, 1, -4, 2});
  expectTensor<float>(seen->captured, "sorted", {2}, {8, 7});
  expectTensor<float>(seen->outputs, "y", {2}, {-1, -2});
}

TEST(Observation, IsRefusedWithTheReasonBeforeTheRun) {
  const Assembly assembly = assemble(quantised);
  EXPECT_EQ(refusal(assembly, {.capture = {"T"}}),
            "capture of 'T': the program has no tensor of this name; expected x, t or y");
  EXPECT_EQ(refusal(assembly, {.replace = mapOf<float>("u", {1}, {0})}).find("replacement of 'u'"), 0u);
  EXPECT_EQ(
      refusal(assembly, {.replace = mapOf<float>("t", {1, 3, 4}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})}),
      "replacement of 't': the given tensor has type float32 and shape [1, 3, 4], expected type float32 (or "
      "int8, as stored) and shape [1, 3, 2, 2]");
  EXPECT_EQ(
      refusal(assembly, {.replace = mapOf<int16_t>("t", {1, 3, 2, 2}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})}),
      "replacement of 't': the given tensor has type int16 and shape [1, 3, 2, 2], expected type float32 (or "
      "int8, as stored) and shape [1, 3, 2, 2]");
  EXPECT_EQ(
      refusal(assembly, {.replace = mapOf<float>("x", {1, 3, 2, 2}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})}),
      "replacement of 'x': the tensor is an input of the program, and only computed tensors can be replaced; "
      "give input values with --inputs");
  EXPECT_EQ(refusal(assemble(withHost), {.replace = mapOf<int64_t>("places", {2}, {0, int64_t{1} << 40})}),
            "tensor 'places': a value cannot be converted between the model's type int64 and the stored type "
            "i32");
}

TEST(Capture, ListsTensorsThatAreNotKeptWhole) {
  std::string text = inPlace;
  text.replace(text.find(" ocm 1[0x100] begin=[1 0] extent=[1 4]"), 38, "");
  const Assembly assembly = assemble(text);
  EXPECT_EQ(refusal(assembly, {.capture = {"h"}}),
            "capture of 'h': the program stores only 4 of the tensor's 8 elements");
  auto session = Session::load(assembly.program, {.threads = 1, .observation = {.captureAll = true}});
  ASSERT_TRUE(session);
  EXPECT_EQ((*session)->notCaptured(), std::vector<std::string>{"h"});
  EXPECT_EQ((*session)->captured().size(), 3u);
}

// A counter in the OCM (on-chip memory): the initial stage sets it to 10, each inference adds x to it and
// stores it, and the final stage stores twice its value.
const char *const phases = R"(
.machine tiny
.metadata { layers { id: 0 name: "count" where: "accelerator" } }
.input "x" int32 [1] ddr[0x1000]
.constant ten=0x2000 i32 [10]
.tensor "start" int32 [1] stage=0 ocm 0[0x100]
.output "y" int32 [1] stage=1 ddr[0x3000]
.tensor "last" int32 [1] stage=2 ddr[0x3040]
.stage "set up" initial
    load source=i32 ddr[ten] destination=i32 ocm[0x100]
    halt
.stage "count" inference
    load source=i32 ddr[0x1000] destination=i32 ocm[0]
    sync engine=pe on=dma_in
    binary a=i32 ocm[0x100] b=i32 ocm[0] output=i32 ocm[0x100]
    sync engine=dma_out on=pe
    store source=i32 ocm[0x100] destination=i32 ddr[0x3000]
    halt
.stage "wind up" finishing
    binary a=i32 ocm[0x100] b=i32 ocm[0x100] output=i32 ocm[0x140]
    sync engine=dma_out on=pe
    store source=i32 ocm[0x140] destination=i32 ddr[0x3040]
    halt
.set "x" [3]
)";

TEST(Phases, InitialAndFinishingOnceInferenceEveryTime) {
  const Assembly assembly = assemble(phases);
  auto session = Session::load(assembly.program, {.threads = 2, .observation = {.captureAll = true}});
  ASSERT_TRUE(session) << session.error().message();
  EXPECT_FALSE((*session)->finish()) << "nothing has run yet";
  for (int32_t expected : {13, 16, 19}) {
    auto outputs = (*session)->run(assembly.test.inputs);
    ASSERT_TRUE(outputs) << outputs.error().message();
    expectTensor<int32_t>(*outputs, "y", {1}, {expected});
  }
  ASSERT_TRUE((*session)->finish());
  expectTensor<int32_t>((*session)->captured(), "start", {1}, {10});
  expectTensor<int32_t>((*session)->captured(), "last", {1}, {38});
  EXPECT_FALSE((*session)->finish());
  EXPECT_FALSE((*session)->run(assembly.test.inputs));
}

} // namespace
} // namespace tilerig
