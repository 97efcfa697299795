// Benchmark of the analyser on a program of the size of ResNet-50 on 64 tiles. The target is half a second
// for 10^5 instructions.

#include "isa/Analyser/Analyser.h"
#include "isa/Program/Verify.h"
#include "tests/benchmarks/ResNetProgram.h"

#include <benchmark/benchmark.h>

namespace tilerig {
namespace {

const Program &program() {
  static const Program resNet = test::resNetProgram();
  return resNet;
}

void analyse(benchmark::State &state, const Program &program) {
  Analysis analysis;
  for (auto _ : state)
    analysis = tilerig::analyse(program);
  state.counters["instructions"] = static_cast<double>(analysis.statistics.instructions);
  state.counters["accesses"] = static_cast<double>(analysis.statistics.accesses);
  state.counters["sync_edges"] = static_cast<double>(analysis.statistics.syncEdges);
  if (!analysis.proved())
    state.SkipWithError(describe(analysis.problems[0], program).c_str());
}

void analyseResNet(benchmark::State &state) { analyse(state, program()); }
BENCHMARK(analyseResNet)->Unit(benchmark::kMillisecond);

// Measures the analysis of multicasts that write four bytes into each of a thousand pixels; the slices of all
// 64 tiles lie side by side in every pixel.
void analyseThinSlices(benchmark::State &state) {
  static const Program thin =
      test::resNetProgram({.spatialLayers = 26, .channelLayers = 60, .gathered = 4, .parts = 1});
  analyse(state, thin);
}
BENCHMARK(analyseThinSlices)->Unit(benchmark::kMillisecond);

// Measures `verifyProgram` alone: the checks of single instructions, without the analysis of their order.
void verifyResNet(benchmark::State &state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(verifyProgram(program()));
}
BENCHMARK(verifyResNet)->Unit(benchmark::kMillisecond);

void findRedundantSyncs(benchmark::State &state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(redundantSyncs(program()));
}
BENCHMARK(findRedundantSyncs)->Unit(benchmark::kMillisecond);

// Measures the analysis of a program with a race: the ResNet program with one semaphore wait removed.
void analyseRacyResNet(benchmark::State &state) {
  Program racy = program();
  auto &code = std::get<DeviceStage>(racy.stages[0].work).tiles[9];
  const auto wait = std::ranges::find_if(code, [](const Instruction &instruction) {
    return std::holds_alternative<Wait>(instruction) && engineOf(instruction) == Engine::pod &&
           std::get<Wait>(instruction).semaphore < 8;
  });
  code.erase(wait);
  Analysis analysis;
  for (auto _ : state)
    analysis = tilerig::analyse(racy);
  state.counters["races"] = static_cast<double>(analysis.count(ProblemKind::race));
}
BENCHMARK(analyseRacyResNet)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace tilerig

BENCHMARK_MAIN();
