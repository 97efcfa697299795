#include "compiler/Planning/Memory/Bodies.h"
#include "compiler/Planning/Memory/Relations.h"

#include <algorithm>
#include <map>
#include <set>

namespace tilerig::compiler {

namespace {

// Stores a number of bytes for each step, such as the number of live bytes, as changes from one step to the
// next.
using Changes = std::map<uint64_t, int64_t>;

void add(Changes &changes, uint64_t from, uint64_t to, uint64_t bytes) {
  changes[from] += static_cast<int64_t>(bytes);
  changes[to + 1] -= static_cast<int64_t>(bytes);
}

void addBody(Changes &changes, const MemoryProblem &problem, const Body &body) {
  std::set<uint64_t> steps;
  for (const BodyMember &member : body.members) {
    steps.insert(problem.buffers[member.buffer].from);
    steps.insert(uint64_t{problem.buffers[member.buffer].to} + 1);
  }
  for (auto at = steps.begin(), next = std::next(at); next != steps.end(); at = next++)
    add(changes, *at, *next - 1, bytesAt(problem, body, static_cast<uint32_t>(*at)));
}

// For each step, an upper bound of the bytes that can be saved by letting results overwrite operands. Each
// result saves at most its own size, and the bytes of each operand are saved at most once.
std::map<uint64_t, uint64_t> savings(const MemoryProblem &problem) {
  struct AtStep {
    uint64_t results = 0, operands = 0;
    std::set<size_t> seen;
  };
  std::map<uint64_t, AtStep> steps;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer &result = problem.buffers[i];
    bool replaces = false;
    for (const size_t operand : result.mayReplace)
      if (mayStandIn(problem, i, operand)) {
        replaces = true;
        if (AtStep &step = steps[result.from]; step.seen.insert(operand).second)
          step.operands += problem.buffers[operand].size;
      }
    if (replaces)
      steps[result.from].results += result.size;
  }
  std::map<uint64_t, uint64_t> saved;
  for (const auto &[step, sums] : steps)
    saved[step] = std::min(sums.results, sums.operands);
  return saved;
}

} // namespace

std::vector<MemoryStretch> bytesAlive(const MemoryProblem &problem) {
  Changes changes;
  for (const Body &body : bodiesOf(problem))
    addBody(changes, problem, body);
  const std::map<uint64_t, uint64_t> saved = savings(problem);
  std::vector<MemoryStretch> stretches;
  int64_t alive = 0;
  for (auto at = changes.begin(); at != changes.end(); ++at) {
    alive += at->second;
    if (alive == 0)
      continue;
    // If a result may replace its operand at a step, fewer bytes are needed there than at the steps before
    // and after, so that step gets an entry of its own in `stretches`.
    const auto save = saved.find(at->first);
    const auto bytes = static_cast<uint64_t>(alive);
    stretches.push_back({static_cast<uint32_t>(at->first), static_cast<uint32_t>(std::next(at)->first - 1),
                         save == saved.end() ? bytes : bytes - std::min(bytes, save->second)});
  }
  return stretches;
}

uint64_t lowerBound(const MemoryProblem &problem) {
  uint64_t bound = 0;
  for (const MemoryStretch &stretch : bytesAlive(problem))
    bound = std::max(bound, stretch.bytes);
  for (const Body &body : bodiesOf(problem))
    if (body.at)
      bound = std::max(bound, *body.at + body.size - problem.base);
  return bound;
}

} // namespace tilerig::compiler
