#include "emulator/Fast/JointTasks.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace tilerig::emulator {

namespace {

// As many outputs as a block of positions is worth reading for; more would leave fewer tasks than threads.
constexpr uint32_t mostOutputs = 256;

struct Candidate {
  uint32_t task;
  PlacedConv conv;
  // The largest number of convolutions on a path that ends with this one. Between tasks of the same rank there is no
  // path, also after such tasks were joined.
  uint32_t rank;
  const std::byte *input, *weights;

  auto order() const { return std::tuple(rank, input, weights, task); }
  uint32_t outputs() const { return conv.conv->weights.dims[1].size; }
};

std::vector<Candidate> findCandidates(const TaskGraph &graph,
                                      const std::function<std::optional<PlacedConv>(uint32_t task)> &convOf) {
  std::vector<Candidate> candidates;
  std::vector<uint32_t> ranks(graph.size());
  for (uint32_t task = 0; task < graph.size(); ++task) {
    if (const std::optional<PlacedConv> placed = convOf(task)) {
      const auto &[conv, tile, places] = *placed;
      candidates.push_back({task, *placed, ++ranks[task], places->view("input", conv->input, tile).data,
                            places->view("weights", conv->weights, tile).data});
    }
    for (uint32_t i = graph.firstSuccessor[task]; i < graph.firstSuccessor[task + 1]; ++i) {
      uint32_t &later = ranks[graph.successors[i]];
      later = std::max(later, ranks[task]);
    }
  }
  return candidates;
}

} // namespace

JointTasks findJointTasks(const TaskGraph &graph,
                          const std::function<std::optional<PlacedConv>(uint32_t task)> &convOf) {
  JointTasks joint{std::vector<uint32_t>(graph.size()), std::vector<std::vector<uint32_t>>(graph.size())};
  std::iota(joint.leaders.begin(), joint.leaders.end(), 0u);
  std::vector<Candidate> candidates = findCandidates(graph, convOf);
  std::ranges::sort(candidates, {}, &Candidate::order);
  const Candidate *first = nullptr;
  uint32_t outputs = 0;
  for (const Candidate &next : candidates) {
    if (first && first->rank == next.rank && outputs + next.outputs() <= mostOutputs &&
        canJoin(first->conv, outputs, next.conv)) {
      joint.leaders[next.task] = first->task;
      outputs += next.outputs();
    } else {
      first = &next;
      outputs = next.outputs();
    }
    joint.members[first->task].push_back(next.task);
  }
  return joint;
}

} // namespace tilerig::emulator
