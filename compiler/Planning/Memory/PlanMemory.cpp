#include "compiler/Planning/Memory/PlanMemory.h"

#include "compiler/Planning/Memory/Algorithms.h"

namespace tilerig::compiler {

namespace {

// A plan that fits is not improved further if its peak exceeds the lower bound by at most 1/goodEnough of it.
constexpr uint64_t goodEnough = 32;
// Budgets of a search, as numbers of comparisons of two buffers. A comparison takes 10 nanoseconds, but up to
// 60 if there are thousands of buffers, since then few of them are in the CPU's cache.
constexpr uint64_t briefWork = 10'000'000, thoroughWork = 60'000'000;

MemoryPlan bestGreedy(const Bodies &bodies) {
  MemoryPlan best;
  for (const MemoryAlgorithm algorithm : greedyAlgorithms)
    if (MemoryPlan plan = algorithm(bodies); best.algorithm.empty() || plan.peak < best.peak)
      best = std::move(plan);
  return best;
}

} // namespace

Result<MemoryOutcome> planMemory(const MemoryProblem &problem, MemoryEffort effort) {
  TILERIG_CHECK_OK(checkProblem(problem));
  const uint64_t bound = lowerBound(problem);
  if (bound > problem.capacity)
    return MemoryOutcome(tooMuchAlive(problem));
  const Bodies bodies = formBodies(problem);
  MemoryPlan plan = bestGreedy(bodies);
  if (plan.peak > problem.capacity)
    plan = improveOrder(bodies, plan,
                        {problem.capacity, effort == MemoryEffort::brief ? briefWork : thoroughWork});
  if (plan.peak > problem.capacity)
    return MemoryOutcome(tooHigh(problem, plan));
  const uint64_t good = bound + bound / goodEnough;
  if (effort == MemoryEffort::thorough && plan.peak > good)
    plan = improveOrder(bodies, plan, {good, briefWork});
  TILERIG_CHECK_OK(verifyPlan(problem, plan));
  return MemoryOutcome(std::move(plan));
}

} // namespace tilerig::compiler
