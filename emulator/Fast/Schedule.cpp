#include "emulator/Fast/Schedule.h"

#include "isa/Analyser/Barriers.h"
#include "isa/Analyser/Order.h"
#include "isa/Analyser/Report.h"
#include "isa/Analyser/Semaphores.h"

#include <algorithm>

namespace tilerig {

std::vector<InstructionPlace> orderOfStage(const Program &program, uint32_t stage) {
  Report report(0); // nothing is wrong with a proved program
  StageThreads threads = layOutStage(program, stage, true);
  matchSemaphores(program, threads, report);
  matchBarriers(program, threads, report);
  const Order order(threads);
  std::vector<InstructionPlace> places;
  for (const Event &event : order.accessingSteps())
    // A transfer is whole when it has written, and nothing that conflicts with its reading may come before.
    if (!isDmaRead(kindOf(event.thread)))
      places.push_back({stage, tileOfThread(event.thread), threads.step(event).instruction});
  return places;
}

void GraphBuilder::add(const AccessList &accesses) {
  const auto node = static_cast<uint32_t>(predecessors.size());
  std::vector<uint32_t> needs;
  for (const Access &access : accesses) {
    const bool write = access.kind == AccessKind::write;
    memories[access.memory].visitOverlapping(access.region.bounds(), [&](ByteRange, const Live &live) {
      if ((!write && !live.write) || !overlap(live.region, access.region))
        return false;
      needs.push_back(live.node);
      // Whoever conflicts with what is written over conflicts with this write as well.
      return write && covers(access.region, live.region);
    });
  }
  for (const Access &access : accesses)
    memories[access.memory].insert(access.region.bounds(),
                                   {node, access.kind == AccessKind::write, access.region});
  std::ranges::sort(needs);
  needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
  predecessors.push_back(std::move(needs));
}

TaskGraph GraphBuilder::finish() {
  TaskGraph graph;
  graph.firstSuccessor.resize(predecessors.size() + 1);
  for (const auto &needs : predecessors)
    for (uint32_t need : needs)
      ++graph.firstSuccessor[need + 1];
  for (size_t i = 1; i < graph.firstSuccessor.size(); ++i)
    graph.firstSuccessor[i] += graph.firstSuccessor[i - 1];
  graph.successors.resize(graph.firstSuccessor.back());
  std::vector<uint32_t> next(graph.firstSuccessor.begin(), graph.firstSuccessor.end() - 1);
  for (uint32_t node = 0; node < predecessors.size(); ++node) {
    graph.numPredecessors.push_back(static_cast<uint32_t>(predecessors[node].size()));
    for (uint32_t need : predecessors[node])
      graph.successors[next[need]++] = node;
  }
  return graph;
}

} // namespace tilerig
