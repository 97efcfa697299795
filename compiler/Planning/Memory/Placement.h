// Incremental placement: stores the bodies (buffers with all their parts) that have addresses already, and
// finds an address for the next one.
//
// Each placed buffer that is live together with a buffer of the body excludes a range of addresses; the gaps
// lie between these ranges. There may be thousands of buffers, most of which live for a few steps only. So
// placed buffers are looked up by the length of their lifetime and by the step at which they begin.
#pragma once

#include "compiler/Planning/Memory/Bodies.h"

#include <array>

namespace tilerig::compiler {

class Placement {
public:
  // At first only the bodies with fixed addresses are placed.
  explicit Placement(const Bodies &bodies);

  // The lowest address at which the body fits between the bodies placed so far.
  uint64_t lowestFit(size_t body);
  // The lowest address in the gap that the body fills best; if it fits into no gap, the address above all
  // placed bodies.
  uint64_t tightestFit(size_t body);

  void put(size_t body, uint64_t address);
  uint64_t addressOf(size_t body) const { return addresses[body]; }
  uint64_t endOf(size_t body) const { return addresses[body] + all->bodies[body].size; }
  // Bytes from the base of the memory to the end of the highest body placed so far.
  uint64_t peak() const { return top - all->problem.base; }
  // How often a buffer has been compared with a placed buffer so far. Limits of the search are stated as this
  // number, since it is the same on every host, unlike time.
  uint64_t work() const { return numComparisons; }

  MemoryPlan plan(std::string algorithm) const;

private:
  struct Occupied {
    uint64_t begin = 0, end = 0;
    uint32_t from = 0, to = 0;
    size_t buffer = 0;
    uint32_t next = none; // index of the next entry whose buffer begins at the same step, or `none`
  };
  static constexpr uint32_t none = UINT32_MAX;
  // Placed buffers of one lifetime class.
  struct Lifespan {
    std::vector<Occupied> buffers;
    std::vector<uint32_t> beginning; // for each step, the last added buffer that begins at it
  };
  // How many steps at which no buffer begins can be skipped in the time of one comparison of two buffers.
  static constexpr uint32_t startsPerComparison = 4;

  // A range of addresses that a body cannot have, because a placed buffer is in the way: all addresses `a`
  // with after < a < before. The address `except` inside the range (-1: none) is allowed, because there a
  // result replaces its operand.
  struct Obstacle {
    int64_t after = 0, before = 0, except = -1;
  };
  void findObstacles(size_t body);
  void meet(const BodyMember &member, const Occupied &other);
  void meetAll(const BodyMember &member, size_t lifespan);
  // Calls visit(lowest address for the body in the gap, bytes that stay free in the gap above the body) for
  // every gap in which the body fits, in ascending order; stops when `visit` returns false.
  template <class Visit>
  void visitGaps(size_t body, Visit visit) const;
  // The lowest address at which the body can overwrite an operand, or at which a placed result overwrites the
  // body; -1 if there is none.
  int64_t replacingFit(size_t body) const;
  int64_t alignedUp(size_t body, int64_t address) const;

  const Bodies *all;
  std::vector<uint64_t> addresses; // by body
  std::array<Lifespan, numLifespans> lifespans;
  std::vector<Obstacle> obstacles; // addresses that the body to be placed cannot have
  uint64_t top = 0, numComparisons = 0;
};

} // namespace tilerig::compiler
