#include "tests/unit/Memory/Naive.h"

#include <algorithm>

namespace tilerig::test {
using namespace compiler;

namespace {

bool isInside(const MemoryProblem &problem, size_t inner, size_t outer) {
  if (inner == outer)
    return true;
  const auto &part = problem.buffers[inner].partOf;
  return part && isInside(problem, part->whole, outer);
}

bool replaces(const MemoryProblem &problem, size_t result, size_t operand) {
  const Buffer &buffer = problem.buffers[result];
  return problem.buffers[operand].to == buffer.from && std::ranges::count(buffer.mayReplace, operand) > 0;
}

// The buffers that occupy each byte at each step.
class Canvas {
public:
  explicit Canvas(const MemoryProblem &problem)
      : problem(problem), width(problem.base + problem.capacity), addresses(problem.buffers.size()) {
    for (const Buffer &buffer : problem.buffers)
      steps = std::max(steps, buffer.to + 1);
    owners.resize(steps * width);
  }

  // Marks the buffer's bytes as occupied at its steps. Returns false and marks nothing if the address is not
  // allowed.
  bool paint(size_t i, uint64_t address) {
    addresses[i] = address;
    if (!isPlaced(i) || !isFree(i))
      return false;
    onBytes(i, [&](std::vector<size_t> &names) { names.push_back(i); });
    painted.insert(i);
    return true;
  }
  void erase(size_t i) {
    onBytes(i, [&](std::vector<size_t> &names) { std::erase(names, i); });
    painted.erase(i);
  }

private:
  template <class Visit>
  void onBytes(size_t i, Visit visit) {
    const Buffer &buffer = problem.buffers[i];
    for (uint32_t step = buffer.from; step <= buffer.to; ++step)
      for (uint64_t byte = addresses[i]; byte < addresses[i] + buffer.size; ++byte)
        visit(owners[step * width + byte]);
  }

  bool isPlaced(size_t i) const {
    const Buffer &buffer = problem.buffers[i];
    if (addresses[i] % buffer.alignment != 0 || addresses[i] < problem.base ||
        addresses[i] + buffer.size > width || (buffer.at && *buffer.at != addresses[i]))
      return false;
    return std::ranges::all_of(
        painted, [&](size_t other) { return isWhereItBelongs(i, other) && isWhereItBelongs(other, i); });
  }
  bool isWhereItBelongs(size_t part, size_t whole) const {
    const auto &of = problem.buffers[part].partOf;
    return !of || of->whole != whole || addresses[part] == addresses[whole] + of->offset;
  }

  bool isFree(size_t i) {
    bool isFree = true;
    onBytes(i, [&](const std::vector<size_t> &names) {
      for (const size_t other : names)
        isFree &= isInside(problem, i, other) || isInside(problem, other, i) ||
                  (addresses[i] == addresses[other] &&
                   (replaces(problem, i, other) || replaces(problem, other, i)));
    });
    return isFree;
  }

  const MemoryProblem &problem;
  uint64_t width;
  uint32_t steps = 0;
  std::vector<uint64_t> addresses;
  std::vector<std::vector<size_t>> owners;
  std::set<size_t> painted;
};

bool fits(const MemoryProblem &problem, Canvas &canvas, size_t i) {
  if (i == problem.buffers.size())
    return true;
  for (uint64_t address = problem.base; address < problem.base + problem.capacity; ++address) {
    if (!canvas.paint(i, address))
      continue;
    if (fits(problem, canvas, i + 1))
      return true;
    canvas.erase(i);
  }
  return false;
}

} // namespace

bool isRight(const MemoryProblem &problem, const std::vector<uint64_t> &addresses) {
  Canvas canvas(problem);
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    if (!canvas.paint(i, addresses[i]))
      return false;
  return true;
}

std::optional<uint64_t> leastPeak(const MemoryProblem &problem) {
  MemoryProblem smaller = problem;
  for (smaller.capacity = 1; smaller.capacity <= problem.capacity; ++smaller.capacity)
    if (Canvas canvas(smaller); fits(smaller, canvas, 0))
      return smaller.capacity;
  return std::nullopt;
}

std::set<std::pair<size_t, size_t>> heirs(const MemoryProblem &problem,
                                          const std::vector<uint64_t> &addresses) {
  const std::vector<Buffer> &buffers = problem.buffers;
  const auto has = [&](size_t i, uint64_t byte) {
    return addresses[i] <= byte && byte < addresses[i] + buffers[i].size;
  };
  std::set<std::pair<size_t, size_t>> result;
  for (size_t before = 0; before < buffers.size(); ++before)
    for (size_t after = 0; after < buffers.size(); ++after)
      for (uint64_t byte = addresses[before]; has(before, byte); ++byte) {
        if (buffers[before].to >= buffers[after].from || !has(after, byte) ||
            isInside(problem, before, after))
          continue;
        bool isLast = true;
        for (size_t between = 0; between < buffers.size(); ++between)
          isLast &= !(has(between, byte) && buffers[before].to < buffers[between].from &&
                      buffers[between].from < buffers[after].from);
        if (isLast)
          result.emplace(before, after);
      }
  return result;
}

} // namespace tilerig::test
