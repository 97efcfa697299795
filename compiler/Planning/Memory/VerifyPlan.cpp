// Independent check of a memory plan: at each step of the program, compares every buffer that becomes live
// there with all live buffers. The check does not use the code that makes plans.
#include "compiler/Planning/Memory/Relations.h"

#include <algorithm>
#include <fmt/core.h>
#include <numeric>

namespace tilerig::compiler {

namespace {

class PlanVerifier {
public:
  PlanVerifier(const MemoryProblem &problem, const MemoryPlan &plan)
      : problem(problem), buffers(problem.buffers), addresses(plan.addresses), peak(plan.peak) {}

  Status all() const {
    if (addresses.size() != buffers.size())
      return internalError("memory plan", fmt::format("the plan has {} addresses for {} buffers",
                                                      addresses.size(), buffers.size()));
    uint64_t highest = 0;
    for (size_t i = 0; i < buffers.size(); ++i) {
      TILERIG_CHECK_OK(place(i));
      highest = std::max(highest, addresses[i] + buffers[i].size - problem.base);
    }
    if (highest != peak)
      return internalError("memory plan",
                           fmt::format("the plan states a peak of {}, but the peak is {}", peak, highest));
    return apart();
  }

private:
  Status wrong(size_t buffer, const std::string &message) const {
    return internalError(fmt::format("buffer {} at {}", buffer, addresses[buffer]), message);
  }

  Status place(size_t i) const {
    const Buffer &buffer = buffers[i];
    if (addresses[i] % buffer.alignment != 0)
      return wrong(i, fmt::format("the buffer is not aligned to {}", buffer.alignment));
    if (addresses[i] < problem.base || buffer.size > problem.capacity ||
        addresses[i] - problem.base > problem.capacity - buffer.size)
      return wrong(i, "the buffer is outside the memory");
    if (buffer.at && addresses[i] != *buffer.at)
      return wrong(i, fmt::format("the buffer must have the fixed address {}", *buffer.at));
    if (buffer.partOf && addresses[i] != addresses[buffer.partOf->whole] + buffer.partOf->offset)
      return wrong(i, fmt::format("the buffer is not at its offset inside buffer {}", buffer.partOf->whole));
    return success();
  }

  Status apart() const {
    std::vector<size_t> order(buffers.size()), alive;
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t i) { return buffers[i].from; });
    for (const size_t i : order) {
      std::erase_if(alive, [&](size_t other) { return buffers[other].to < buffers[i].from; });
      for (const size_t other : alive)
        if (addresses[i] < addresses[other] + buffers[other].size &&
            addresses[other] < addresses[i] + buffers[i].size && !mayShare(i, other))
          return wrong(i, fmt::format("the buffer shares bytes with buffer {} at {}, at step {}", other,
                                      addresses[other], buffers[i].from));
      alive.push_back(i);
    }
    return success();
  }

  bool mayShare(size_t a, size_t b) const {
    return isPartOf(problem, a, b) || isPartOf(problem, b, a) ||
           (addresses[a] == addresses[b] && mayShareAddress(problem, a, b));
  }

  const MemoryProblem &problem;
  const std::vector<Buffer> &buffers;
  const std::vector<uint64_t> &addresses;
  uint64_t peak;
};

} // namespace

Status verifyPlan(const MemoryProblem &problem, const MemoryPlan &plan) {
  return PlanVerifier(problem, plan).all();
}

} // namespace tilerig::compiler
