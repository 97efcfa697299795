#include "compiler/Planning/Memory/Bodies.h"

#include <algorithm>

namespace tilerig::compiler {

namespace {

void addWindows(Bodies &bodies) {
  std::vector<uint32_t> starts;
  for (const Buffer &buffer : bodies.problem.buffers)
    starts.push_back(buffer.from);
  std::ranges::sort(starts);
  starts.erase(std::ranges::unique(starts).begin(), starts.end());
  bodies.numStarts = static_cast<uint32_t>(starts.size());
  const auto indexOf = [&](auto at) { return static_cast<uint32_t>(at - starts.begin()); };
  for (const Buffer &buffer : bodies.problem.buffers) {
    Window &window = bodies.windows.emplace_back();
    for (size_t i = 0; i < numLifespans; ++i)
      window.first[i] =
          indexOf(std::ranges::lower_bound(starts, buffer.from - std::min(buffer.from, mostSteps(i))));
    window.own = indexOf(std::ranges::lower_bound(starts, buffer.from));
    window.end = indexOf(std::ranges::upper_bound(starts, buffer.to));
  }
}

} // namespace

std::vector<Body> bodiesOf(const MemoryProblem &problem) {
  const std::vector<Buffer> &buffers = problem.buffers;
  std::vector<Body> bodies;
  std::vector<size_t> bodyOf(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].partOf)
      continue;
    const Buffer &whole = buffers[i];
    bodyOf[i] = bodies.size();
    bodies.push_back({{{i, 0}}, whole.size, whole.alignment, whole.from, whole.to, whole.at});
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (!buffers[i].partOf)
      continue;
    uint64_t offset = 0;
    size_t root = i;
    for (; buffers[root].partOf; root = buffers[root].partOf->whole)
      offset += buffers[root].partOf->offset;
    Body &body = bodies[bodyOf[root]];
    body.members.push_back({i, offset});
    body.alignment = std::max(body.alignment, buffers[i].alignment);
    body.from = std::min(body.from, buffers[i].from);
    body.to = std::max(body.to, buffers[i].to);
    if (buffers[i].at)
      body.at = *buffers[i].at - offset;
  }
  return bodies;
}

Bodies formBodies(const MemoryProblem &problem) {
  Bodies formed{problem, bodiesOf(problem), 0, {}};
  addWindows(formed);
  return formed;
}

uint64_t bytesAt(const MemoryProblem &problem, const Body &body, uint32_t step) {
  // for each live buffer, its first byte and the byte behind its last one, as offsets in the body
  std::vector<std::pair<uint64_t, uint64_t>> alive;
  for (const auto [index, offset] : body.members)
    if (const Buffer &buffer = problem.buffers[index]; buffer.from <= step && step <= buffer.to)
      alive.emplace_back(offset, offset + buffer.size);
  std::ranges::sort(alive);
  uint64_t bytes = 0, covered = 0;
  for (const auto &[begin, end] : alive) {
    if (end <= covered)
      continue;
    bytes += end - std::max(begin, covered);
    covered = end;
  }
  return bytes;
}

} // namespace tilerig::compiler
