// The task graph of a stage has an edge for everything that the program's synchronisation orders, and no edge that follows
// from others.
#include "isa/RunPlan/SyncGraph.h"
#include "isa/Analyser/Analyser.h"
#include "tests/unit/Emulator/RandomProgram.h"

#include <gtest/gtest.h>

namespace tilerig::test {
namespace {

// For each task, the tasks that a path leads to.
std::vector<std::vector<bool>> reachable(const TaskGraph &graph) {
  std::vector<std::vector<bool>> reach(graph.size(), std::vector<bool>(graph.size()));
  for (uint32_t task = graph.size(); task-- > 0;)
    for (uint32_t i = graph.firstSuccessor[task]; i < graph.firstSuccessor[task + 1]; ++i) {
      const uint32_t next = graph.successors[i];
      reach[task][next] = true;
      for (uint32_t other = 0; other < graph.size(); ++other)
        if (reach[next][other])
          reach[task][other] = true;
    }
  return reach;
}

void expectExactOrder(const StageTasks &tasks) {
  const auto reach = reachable(tasks.graph);
  const auto isEmpty = [&](uint32_t task) { return tasks.places[task].index == StageTasks::emptyTask; };
  for (uint32_t first = 0; first < tasks.graph.size(); ++first)
    for (uint32_t second = first + 1; second < tasks.graph.size(); ++second)
      if (!isEmpty(first) && !isEmpty(second)) {
        ASSERT_EQ(reach[first][second], tasks.order->precedes(first, second)) << first << ", " << second;
      }
  for (uint32_t task = 0; task < tasks.graph.size(); ++task)
    for (uint32_t i = tasks.graph.firstSuccessor[task]; i < tasks.graph.firstSuccessor[task + 1]; ++i)
      for (uint32_t j = tasks.graph.firstSuccessor[task]; j < tasks.graph.firstSuccessor[task + 1]; ++j)
        ASSERT_FALSE(reach[tasks.graph.successors[j]][tasks.graph.successors[i]]) << task;
}

TEST(SyncGraph, HasThePathsOfTheOrderAndNoOtherEdges) {
  const Machine tr64 = *loadMachine("tr64");
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomProgram random = raceFreeProgram(seed, tr64, static_cast<unsigned>(1 + seed % 7), 40);
    ASSERT_TRUE(prove(random.program));
    for (uint32_t stage = 0; stage < random.program.stages.size(); ++stage)
      if (std::holds_alternative<DeviceStage>(random.program.stages[stage].work))
        expectExactOrder(tasksOfStage(random.program, stage));
  }
}

TEST(TaskGraph, JoinedTasksHaveTheEdgesOfAll) {
  //  0 -> 1 -> 3, 0 -> 2 -> 4, and 1 is run together with 2.
  const TaskGraph graph = TaskGraph::from({{}, {0}, {0}, {1}, {2}}).joined({0, 1, 1, 3, 4});
  EXPECT_EQ(graph.numPredecessors, (std::vector<uint32_t>{0, 1, 0, 1, 1}));
  EXPECT_EQ(graph.firstSuccessor, (std::vector<uint32_t>{0, 1, 3, 3, 3, 3}));
  EXPECT_EQ(graph.successors, (std::vector<uint32_t>{1, 3, 4}));
}

} // namespace
} // namespace tilerig::test
