// Consistency check of a memory problem. Problems are made by the compiler, not by users, so every error
// reported here is an internal error.
#include "compiler/Planning/Memory/Bodies.h"
#include "compiler/Planning/Memory/Relations.h"

#include <algorithm>
#include <bit>
#include <fmt/core.h>
#include <limits>

namespace tilerig::compiler {

namespace {

// Upper limit of the sum of all buffer sizes, so that sums and differences of addresses do not overflow 64
// bits.
constexpr uint64_t mostBytes = uint64_t{1} << 60;

class Checker {
public:
  explicit Checker(const MemoryProblem &problem) : problem(problem), buffers(problem.buffers) {}

  Status all() const {
    TILERIG_CHECK_OK(total());
    for (size_t i = 0; i < buffers.size(); ++i) {
      TILERIG_CHECK_OK(alone(i));
      TILERIG_CHECK_OK(part(i));
      TILERIG_CHECK_OK(replaced(i));
    }
    TILERIG_CHECK_OK(noCircles());
    const std::vector<Body> bodies = bodiesOf(problem);
    for (const Body &body : bodies)
      TILERIG_CHECK_OK(inside(body));
    return fixedApart(bodies);
  }

private:
  Status wrong(size_t buffer, const std::string &message) const {
    return internalError(fmt::format("buffer {}", buffer), message);
  }

  Status total() const {
    uint64_t sum = 0;
    const auto add = [&](uint64_t bytes) {
      return (sum = bytes <= mostBytes - sum ? sum + bytes : mostBytes) < mostBytes;
    };
    bool isSmall = add(problem.base) && add(problem.capacity);
    for (const Buffer &buffer : buffers)
      isSmall = isSmall && add(buffer.size) && add(buffer.alignment);
    return isSmall ? success()
                   : internalError("memory",
                                   fmt::format("the buffers and the memory have more than {} bytes together",
                                               mostBytes));
  }

  Status alone(size_t i) const {
    const Buffer &buffer = buffers[i];
    if (buffer.size == 0)
      return wrong(i, "the buffer has no bytes");
    if (!std::has_single_bit(buffer.alignment))
      return wrong(i, fmt::format("the alignment {} is not a power of two", buffer.alignment));
    if (buffer.from > buffer.to)
      return wrong(i,
                   fmt::format("the buffer ends at step {}, before it begins at {}", buffer.to, buffer.from));
    if (!buffer.at)
      return success();
    if (*buffer.at % buffer.alignment != 0)
      return wrong(i, fmt::format("the buffer has the fixed address {}, which is not aligned to {}",
                                  *buffer.at, buffer.alignment));
    if (*buffer.at < problem.base || buffer.size > problem.capacity ||
        *buffer.at - problem.base > problem.capacity - buffer.size)
      return wrong(i, fmt::format("the buffer has the fixed address {}, outside the memory", *buffer.at));
    return success();
  }

  Status part(size_t i) const {
    const Buffer &buffer = buffers[i];
    if (!buffer.partOf)
      return success();
    const auto [whole, offset] = *buffer.partOf;
    if (whole >= buffers.size())
      return wrong(i, fmt::format("the buffer is part of buffer {}, which does not exist", whole));
    if (buffer.size > buffers[whole].size || offset > buffers[whole].size - buffer.size)
      return wrong(i, fmt::format("the buffer reaches beyond buffer {}, of which it is a part", whole));
    if (!liveTogether(buffer, buffers[whole]))
      return wrong(
          i, fmt::format("the buffer is never live together with buffer {}, of which it is a part", whole));
    return success();
  }

  Status replaced(size_t i) const {
    for (const size_t operand : buffers[i].mayReplace) {
      if (operand >= buffers.size() || operand == i)
        return wrong(i, fmt::format("the buffer cannot replace buffer {}", operand));
      if (!liveTogether(buffers[operand], buffers[i]) || buffers[operand].from > buffers[i].from)
        return wrong(
            i, fmt::format("the buffer cannot replace buffer {}, which is not live when this buffer begins",
                           operand));
      if (buffers[operand].size != buffers[i].size)
        return wrong(i, fmt::format("the buffer cannot replace buffer {}, which has another size", operand));
    }
    return success();
  }

  Status noCircles() const {
    for (size_t i = 0; i < buffers.size(); ++i) {
      size_t steps = 0;
      for (size_t at = i; buffers[at].partOf; at = buffers[at].partOf->whole)
        if (++steps > buffers.size())
          return wrong(i, "the buffer is part of itself");
    }
    return success();
  }

  // Checks that the alignments and fixed addresses of a body's buffers agree. A body is a buffer with all its
  // parts; its buffers keep their distances, so each of them determines the address of all others.
  Status inside(const Body &body) const {
    for (size_t m = 0; m < body.members.size(); ++m) {
      const auto [index, offset] = body.members[m];
      const Buffer &buffer = buffers[index];
      if (offset % buffer.alignment != 0)
        return wrong(index,
                     fmt::format("the buffer lies {} bytes inside the containing buffer, not aligned to {}",
                                 offset, buffer.alignment));
      if (buffer.at && *buffer.at != *body.at + offset)
        return wrong(
            index,
            fmt::format(
                "the buffer has the fixed address {}, which contradicts those of other parts of its buffer",
                *buffer.at));
      for (size_t other = 0; other < m; ++other)
        if (meet(body.members[other], body.members[m]))
          return wrong(index, fmt::format("the buffer overlaps with {}, another part of the same buffer",
                                          body.members[other].buffer));
    }
    if (body.at && (*body.at % body.alignment != 0 || *body.at < problem.base ||
                    body.size > problem.capacity || *body.at - problem.base > problem.capacity - body.size))
      return wrong(body.members.front().buffer,
                   "a part has a fixed address at which the containing buffer cannot lie");
    return success();
  }

  bool meet(const BodyMember &a, const BodyMember &b) const {
    return share(a.buffer, a.offset, b.buffer, b.offset) && !isPartOf(problem, a.buffer, b.buffer) &&
           !isPartOf(problem, b.buffer, a.buffer);
  }
  bool share(size_t a, uint64_t addressOfA, size_t b, uint64_t addressOfB) const {
    const Buffer &one = buffers[a], &other = buffers[b];
    return liveTogether(one, other) && addressOfA < addressOfB + other.size &&
           addressOfB < addressOfA + one.size &&
           !(addressOfA == addressOfB && mayShareAddress(problem, a, b));
  }

  Status fixedApart(const std::vector<Body> &bodies) const {
    std::vector<const Body *> fixed;
    for (const Body &body : bodies)
      if (body.at)
        fixed.push_back(&body);
    for (size_t i = 0; i < fixed.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        for (const auto [a, offsetOfA] : fixed[i]->members)
          for (const auto [b, offsetOfB] : fixed[j]->members)
            if (share(a, *fixed[i]->at + offsetOfA, b, *fixed[j]->at + offsetOfB))
              return wrong(
                  a, fmt::format("the buffer has a fixed address that overlaps with that of buffer {}", b));
    return success();
  }

  const MemoryProblem &problem;
  const std::vector<Buffer> &buffers;
};

} // namespace

Status checkProblem(const MemoryProblem &problem) { return Checker(problem).all(); }

} // namespace tilerig::compiler
