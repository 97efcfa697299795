#include "compiler/Planning/Memory/Relations.h"

#include <algorithm>

namespace tilerig::compiler {

bool isPartOf(const MemoryProblem &problem, size_t part, size_t whole) {
  for (const Buffer *at = &problem.buffers[part]; at->partOf; at = &problem.buffers[at->partOf->whole])
    if (at->partOf->whole == whole)
      return true;
  return false;
}

bool mayStandIn(const MemoryProblem &problem, size_t result, size_t operand) {
  const Buffer &written = problem.buffers[result], &read = problem.buffers[operand];
  return read.to == written.from &&
         std::ranges::find(written.mayReplace, operand) != written.mayReplace.end();
}

bool mayShareAddress(const MemoryProblem &problem, size_t a, size_t b) {
  return mayStandIn(problem, a, b) || mayStandIn(problem, b, a);
}

} // namespace tilerig::compiler
