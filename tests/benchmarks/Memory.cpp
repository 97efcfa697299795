// Benchmark of buffer placement: peak memory and running time of each algorithm, the two tables of
// compiler/Planning/Memory/README.md.
//
// usage: tilerig-memory-benchmark
#include "compiler/Planning/Memory/Algorithms.h"
#include "compiler/Planning/Memory/PlanMemory.h"
#include "tests/support/RandomMemoryProblems.h"

#include <cstdio>
#include <ctime>
#include <fmt/core.h>

using namespace tilerig;
using namespace tilerig::compiler;

namespace {

// The compared algorithms: all greedy placement algorithms, and the memory planner as the last one.
constexpr size_t numAlgorithms = greedyAlgorithms.size() + 1;

MemoryPlan place(size_t algorithm, const MemoryProblem &problem) {
  if (algorithm < greedyAlgorithms.size())
    return greedyAlgorithms[algorithm](formBodies(problem));
  auto outcome = planMemory(problem);
  if (!outcome || !std::holds_alternative<MemoryPlan>(*outcome)) {
    fmt::print(stderr, "not planned: {}\n", outcome ? "too large" : outcome.error().message());
    std::exit(4);
  }
  return std::get<MemoryPlan>(*std::move(outcome));
}

std::string nameOf(size_t algorithm) {
  const MemoryProblem nothing;
  return algorithm < greedyAlgorithms.size() ? greedyAlgorithms[algorithm](formBodies(nothing)).algorithm
                                             : "planner";
}

void printHead(std::string_view first) {
  fmt::print("| {} |", first);
  for (const auto &[shape, name] : test::networkShapes)
    fmt::print(" {} |", name);
  fmt::print("\n|---|---|---|---|---|---|\n");
}

// Prints how far the peak memory lies above its lower bound: the mean in percent, and the share of problems
// whose peak equals the bound.
void printPeaks(int problems, size_t most) {
  printHead("above the bound; at the bound");
  for (size_t algorithm = 0; algorithm < numAlgorithms; ++algorithm) {
    fmt::print("| {} |", nameOf(algorithm));
    for (const auto &[shape, name] : test::networkShapes) {
      test::Random random(2020);
      double above = 0;
      int atBound = 0;
      for (int i = 0; i < problems; ++i) {
        const MemoryProblem problem = test::randomProblem(shape, 10 + random.below(most), random);
        const auto bound = static_cast<double>(lowerBound(problem));
        const auto peak = static_cast<double>(place(algorithm, problem).peak);
        above += (peak / bound - 1) * 100 / problems;
        atBound += peak == bound ? 1 : 0;
      }
      fmt::print(" {:.1f} %; {} % |", above, atBound * 100 / problems);
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
}

// Prints processor time instead of wall time, because other processes may be running.
void printTimes(size_t buffers) {
  printHead(fmt::format("ms of processor time, {} buffers", buffers));
  for (size_t algorithm = 0; algorithm < numAlgorithms; ++algorithm) {
    fmt::print("| {} |", nameOf(algorithm));
    for (const auto &[shape, name] : test::networkShapes) {
      test::Random random(2020);
      const MemoryProblem problem = test::randomProblem(shape, buffers, random);
      double best = 1e9;
      for (int repeat = 0; repeat < 5; ++repeat) {
        const std::clock_t start = std::clock();
        place(algorithm, problem);
        best = std::min(best, 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
      }
      fmt::print(" {:.1f} |", best);
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
}

} // namespace

int main() {
  printPeaks(80, 150);
  fmt::print("\n");
  printTimes(2000);
  return 0;
}
