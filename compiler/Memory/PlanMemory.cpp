#include "compiler/Memory/PlanMemory.h"

#include "compiler/Memory/Algorithms.h"

namespace tilerig {

namespace {

// Peaks within 1/32 of the bound are left as they are if they fit.
constexpr uint64_t goodEnough = 32;
// Buffers looked at, some nanoseconds each: a search for a nicer plan must not be felt, one that decides
// whether a layer fits may take its time.
constexpr uint64_t workToImprove = 10'000'000, workToFit = 300'000'000;

MemoryPlan bestGreedy(const Bodies &bodies) {
  MemoryPlan best;
  for (const MemoryAlgorithm algorithm : greedyAlgorithms)
    if (MemoryPlan plan = algorithm(bodies); best.algorithm.empty() || plan.peak < best.peak)
      best = std::move(plan);
  return best;
}

} // namespace

Result<MemoryOutcome> planMemory(const MemoryProblem &problem) {
  CHECK_OK(checkProblem(problem));
  const uint64_t bound = lowerBound(problem);
  if (bound > problem.capacity)
    return MemoryOutcome(tooMuchAlive(problem));
  const Bodies bodies = formBodies(problem);
  MemoryPlan plan = bestGreedy(bodies);
  if (plan.peak > problem.capacity)
    plan = improveOrder(bodies, plan, {problem.capacity, workToFit});
  if (plan.peak > problem.capacity)
    return MemoryOutcome(tooHigh(problem, plan));
  if (const uint64_t good = bound + bound / goodEnough; plan.peak > good)
    plan = improveOrder(bodies, plan, {good, workToImprove});
  CHECK_OK(verifyPlan(problem, plan));
  return MemoryOutcome(std::move(plan));
}

} // namespace tilerig
