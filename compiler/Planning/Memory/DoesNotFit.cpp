#include "compiler/Planning/Memory/DoesNotFit.h"

#include "compiler/Planning/Memory/Relations.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::compiler {

static MemoryStretch fullest(const MemoryProblem &problem, uint32_t from, uint32_t to) {
  MemoryStretch most;
  for (const MemoryStretch &stretch : bytesAlive(problem))
    if (stretch.from <= to && from <= stretch.to && stretch.bytes > most.bytes)
      most = stretch;
  return most;
}

static DoesNotFit atStretch(const MemoryProblem &problem, const MemoryStretch &stretch, uint64_t needed) {
  DoesNotFit result{
      stretch.from, stretch.bytes, needed, problem.capacity, stretch.bytes > problem.capacity, {}};
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    if (problem.buffers[i].from <= stretch.from && stretch.from <= problem.buffers[i].to)
      result.buffers.push_back(i);
  std::ranges::stable_sort(result.buffers, std::greater(), [&](size_t i) { return problem.buffers[i].size; });
  return result;
}

DoesNotFit tooMuchAlive(const MemoryProblem &problem) {
  const MemoryStretch stretch = fullest(problem, 0, UINT32_MAX);
  return atStretch(problem, stretch, stretch.bytes);
}

DoesNotFit tooHigh(const MemoryProblem &problem, const MemoryPlan &plan) {
  size_t highest = 0;
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    if (plan.addresses[i] + problem.buffers[i].size == problem.base + plan.peak)
      highest = i;
  const Buffer &buffer = problem.buffers[highest];
  return atStretch(problem, fullest(problem, buffer.from, buffer.to), plan.peak);
}

Error DoesNotFit::error(const MemoryProblem &problem, std::string place) const {
  constexpr size_t most = 4;
  std::string list;
  for (size_t i = 0; i < std::min(most, buffers.size()); ++i)
    list += fmt::format("{}{} ({})", i == 0 ? "" : ", ", buffers[i], problem.buffers[buffers[i]].size);
  if (buffers.size() > most)
    list += fmt::format(" and {} more", buffers.size() - most);
  const std::string description =
      isProved ? fmt::format("step {} needs {} bytes, but the memory has {}", step, alive, capacity)
               : fmt::format("no plan was found that needs fewer than {} bytes, but the memory has {}; "
                             "step {} needs {}",
                             needed, capacity, step, alive);
  return unsupported(std::move(place), fmt::format("{}; its largest buffers (bytes): {}", description, list));
}

} // namespace tilerig::compiler
