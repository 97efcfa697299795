#include "emulator/Fast/JointTasks.h"

#include <algorithm>
#include <numeric>

namespace tilerig::emulator {

namespace {

// More outputs would save little more reading of activations, and leave fewer tasks to share among the threads.
constexpr uint32_t mostOutputs = 256;

struct Candidate {
  uint32_t task;
  PlacedProduct product;
  // The largest number of products on a path that ends with this one. Between tasks of the same rank there is no
  // path, also after such tasks were joined.
  uint32_t rank;
  const std::byte *input, *weights;

  auto order() const { return std::tuple(rank, input, weights, task); }
};

std::vector<Candidate>
findCandidates(const TaskGraph &graph,
               const std::function<std::optional<PlacedProduct>(uint32_t task)> &productOf) {
  std::vector<Candidate> candidates;
  std::vector<uint32_t> ranks(graph.size()), missing = graph.numPredecessors, ready;
  for (uint32_t task = 0; task < graph.size(); ++task)
    if (missing[task] == 0)
      ready.push_back(task);
  while (!ready.empty()) {
    const uint32_t task = ready.back();
    ready.pop_back();
    if (const std::optional<PlacedProduct> product = productOf(task))
      candidates.push_back(
          {task, *product, ++ranks[task], activationsOf(*product).data, weightsOf(*product).data});
    for (uint32_t i = graph.firstSuccessor[task]; i < graph.firstSuccessor[task + 1]; ++i) {
      const uint32_t later = graph.successors[i];
      ranks[later] = std::max(ranks[later], ranks[task]);
      if (--missing[later] == 0)
        ready.push_back(later);
    }
  }
  return candidates;
}

} // namespace

JointTasks findJointTasks(const TaskGraph &graph,
                          const std::function<std::optional<PlacedProduct>(uint32_t task)> &productOf) {
  JointTasks joint{std::vector<uint32_t>(graph.size()),
                   std::vector<std::vector<PlacedProduct>>(graph.size())};
  std::iota(joint.leaders.begin(), joint.leaders.end(), 0u);
  std::vector<Candidate> candidates = findCandidates(graph, productOf);
  std::ranges::sort(candidates, {}, &Candidate::order);
  const Candidate *first = nullptr;
  uint32_t outputs = 0;
  for (const Candidate &next : candidates) {
    const uint32_t own = outputsOf(next.product);
    if (first && first->rank == next.rank && outputs + own <= mostOutputs &&
        canJoin(first->product, outputs, next.product)) {
      joint.leaders[next.task] = first->task;
      outputs += own;
    } else {
      first = &next;
      outputs = own;
    }
    joint.members[first->task].push_back(next.product);
  }
  return joint;
}

} // namespace tilerig::emulator
