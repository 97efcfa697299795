// Incremental placement: the bodies placed so far, and where the next one fits.
//
// Each placed buffer that is alive together with a buffer of the body excludes a range of addresses; the gaps
// lie between these ranges. There may be thousands of buffers, most of which live for a few steps only, so
// placed buffers are looked up by lifetime class and start step.
#pragma once

#include "compiler/Planning/Memory/Bodies.h"

#include <array>

namespace tilerig::compiler {

class Placement {
public:
  // Constructs a placement in which only the bodies with fixed addresses have been placed.
  explicit Placement(const Bodies &bodies);

  // The lowest address at which the body fits between the bodies placed so far.
  uint64_t lowestFit(size_t body);
  // The lowest address in the gap in which the body leaves least space; above all bodies only if it fits into
  // no gap.
  uint64_t tightestFit(size_t body);

  void put(size_t body, uint64_t address);
  uint64_t addressOf(size_t body) const { return addresses[body]; }
  uint64_t endOf(size_t body) const { return addresses[body] + all->bodies[body].size; }
  // Bytes from the base of the memory to the end of the highest body placed so far.
  uint64_t peak() const { return top - all->problem.base; }
  // Number of comparisons of a buffer with a placed buffer so far: a measure of time that is the same on
  // every host.
  uint64_t work() const { return numComparisons; }

  MemoryPlan plan(std::string algorithm) const;

private:
  struct Occupied {
    uint64_t begin = 0, end = 0;
    uint32_t from = 0, to = 0;
    size_t buffer = 0;
    uint32_t next = none; // index of the next entry with the same start step, or `none`
  };
  static constexpr uint32_t none = UINT32_MAX;
  // Placed buffers of one lifetime class.
  struct Lifespan {
    std::vector<Occupied> buffers;
    std::vector<uint32_t> beginning; // index of the last added buffer for each start step
  };
  // Number of start steps without buffers that can be skipped in the time of one comparison with a placed
  // buffer.
  static constexpr uint32_t startsPerComparison = 4;

  // Addresses that a body must not have, because a placed buffer is in the way: all addresses `a` with after
  // < a < before. The address `except` is allowed nevertheless (-1: none), because there a result replaces
  // its operand.
  struct Obstacle {
    int64_t after = 0, before = 0, except = -1;
  };
  void findObstacles(size_t body);
  void meet(const BodyMember &member, const Occupied &other);
  void meetAll(const BodyMember &member, size_t lifespan);
  // Calls visit(lowest address for the body in a gap, bytes left above the body) for every gap in which the
  // body fits, in ascending order; stops when `visit` returns false.
  template <class Visit>
  void visitGaps(size_t body, Visit visit) const;
  // The lowest address at which the body takes the place of an operand, or a result takes the place of the
  // body; -1 if there is none.
  int64_t replacingFit(size_t body) const;
  int64_t alignedUp(size_t body, int64_t address) const;

  const Bodies *all;
  std::vector<uint64_t> addresses; // by body
  std::array<Lifespan, numLifespans> lifespans;
  std::vector<Obstacle> obstacles; // addresses that the body to be placed must not have
  uint64_t top = 0, numComparisons = 0;
};

} // namespace tilerig::compiler
