#include "isa/RunPlan/RunPlan.h"

#include "isa/Analyser/Analyser.h"
#include "isa/Base/Support/InParallel.h"
#include "isa/RunPlan/EncodePlan.h"

namespace tilerig {

std::vector<StageTasks> tasksOfStages(const Program &program) {
  std::vector<StageTasks> tasks(program.stages.size());
  inParallel(tasks.size(), [&](size_t stage) {
    if (std::holds_alternative<DeviceStage>(program.stages[stage].work))
      tasks[stage] = tasksOfStage(program, static_cast<uint32_t>(stage));
  });
  return tasks;
}

RunPlan planRun(const Program &program, std::vector<StageTasks> tasks,
                const std::vector<std::vector<ObservedBytes>> &observed) {
  RunPlan plan{std::move(tasks), {}};
  plan.origins = findOrigins(program, plan.tasks, observed);
  for (size_t stage = 0; stage < plan.tasks.size(); ++stage) {
    auto edges = std::exchange(plan.origins[stage].edges, {});
    if (const auto order = std::exchange(plan.tasks[stage].order, {}))
      std::erase_if(edges, [&](const auto &edge) { return order->precedes(edge.first, edge.second); });
    plan.tasks[stage].graph = plan.tasks[stage].graph.with(edges);
  }
  return plan;
}

RunPlan planRun(const Program &program) {
  return planRun(program, tasksOfStages(program),
                 std::vector<std::vector<ObservedBytes>>(program.stages.size()));
}

static bool isStored(const Program &program) {
  return program.runPlan && program.proof && program.runPlan->contentHash == program.proof->content_hash();
}

static void store(std::vector<std::byte> plan, Program &program) {
  program.runPlan.reset();
  const auto bytes = std::make_shared<const std::vector<std::byte>>(std::move(plan));
  if (!bytes->empty())
    program.runPlan = {program.proof->content_hash(), *bytes, bytes};
}

void storeRunPlan(Program &program) {
  if (!isStored(program))
    store(encodePlan(planRun(program), program), program);
}

Status proveAndPlanRun(Program &program) {
  // The proof is no part of what a plan depends on.
  auto plan = startOne([&] { return encodePlan(planRun(program), program); });
  const Status proved = prove(program);
  std::vector<std::byte> bytes = plan.get();
  if (proved)
    store(std::move(bytes), program);
  return proved;
}

Result<std::optional<RunPlan>> storedRunPlan(const Program &program) {
  if (!isStored(program))
    return std::optional<RunPlan>();
  TILERIG_TRY(RunPlan plan, decodePlan(program.runPlan->bytes, program));
  return std::optional(std::move(plan));
}

} // namespace tilerig
