#include "compiler/Planning/Memory/Relations.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace tilerig::compiler {

namespace {

// A map of the address space: each key is the first address of a range of bytes, which ends at the next key.
// The value lists the buffers that have occupied the range so far, without those whose bytes other buffers
// have reused.
using Occupants = std::map<uint64_t, std::vector<size_t>>;

// Splits the range that contains the address in two, so that a range begins at the address; returns that
// range.
Occupants::iterator split(Occupants &bytes, uint64_t address) {
  const auto behind = bytes.upper_bound(address);
  const auto before = std::prev(behind);
  return before->first == address ? before : bytes.emplace_hint(behind, address, before->second);
}

} // namespace

std::vector<Takeover> takeovers(const MemoryProblem &problem, const MemoryPlan &plan) {
  const std::vector<Buffer> &buffers = problem.buffers;
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return buffers[i].from; });

  Occupants bytes = {{0, {}}};
  // Pairs (after, before): buffer `after` reuses bytes of `before`.
  std::set<std::pair<size_t, size_t>> pairs;
  for (const size_t after : order) {
    const auto last = split(bytes, plan.addresses[after] + buffers[after].size);
    for (auto range = split(bytes, plan.addresses[after]); range != last; ++range) {
      // Several buffers may begin at the same step, such as a whole and its last part. Then each of them
      // counts as reusing the bytes of `before`.
      int64_t newest = -1;
      for (const size_t between : range->second)
        if (buffers[between].from < buffers[after].from)
          newest = std::max(newest, int64_t{buffers[between].from});
      std::erase_if(range->second, [&](size_t before) { return buffers[before].to < newest; });
      for (const size_t before : range->second)
        // If `before` is a part of `after`, directly or indirectly, `after` does not reuse its bytes, but
        // contains them.
        if (buffers[before].to < buffers[after].from && !isPartOf(problem, before, after))
          pairs.emplace(after, before);
      range->second.push_back(after);
    }
  }
  std::vector<Takeover> result;
  for (const auto &[after, before] : pairs)
    result.push_back({before, after});
  return result;
}

} // namespace tilerig::compiler
