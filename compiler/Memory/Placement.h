// Bodies placed so far, and where the next one can go.
//
// Each placed buffer that lives together with one of the body's own keeps it out of a range of addresses, and
// between those ranges are the gaps. Most buffers live for a few steps only, thousands of them one after the
// other: they are looked up by how long they live and the step at which they begin.
#pragma once

#include "compiler/Memory/Bodies.h"

#include <array>

namespace tilerig {

class Placement {
public:
  // Fixed bodies are there from the beginning.
  explicit Placement(const Bodies &bodies);

  // The lowest address at which the body can be.
  uint64_t lowestFit(size_t body);
  // The lowest address in the gap that it leaves least of; what is above everything is no gap.
  uint64_t tightestFit(size_t body);

  void put(size_t body, uint64_t address);
  uint64_t addressOf(size_t body) const { return addresses[body]; }
  uint64_t endOf(size_t body) const { return addresses[body] + all->bodies[body].size; }
  // Bytes from the base to the end of the highest.
  uint64_t peak() const { return top - all->problem.base; }
  // Buffers looked at so far: what the work is measured in, the same on every host.
  uint64_t work() const { return looks; }

  MemoryPlan plan(std::string algorithm) const;

private:
  struct Occupied {
    uint64_t begin = 0, end = 0;
    uint32_t from = 0, to = 0;
    size_t buffer = 0;
    uint32_t next = none; // of those that begin at the same step
  };
  static constexpr uint32_t none = UINT32_MAX;
  // Those that live so long.
  struct Lifespan {
    std::vector<Occupied> buffers;
    std::vector<uint32_t> beginning; // by start, the last of them that begins there
  };
  // To find that nothing begins at a step takes a part of what it takes to look at a buffer.
  static constexpr uint32_t startsInALook = 4;

  // Addresses that a body must not have: those between the two, but for the one where it replaces something.
  struct Obstacle {
    int64_t after = 0, before = 0, except = -1;
  };
  void findObstacles(size_t body);
  void meet(const BodyMember &member, const Occupied &other);
  void meetAll(const BodyMember &member, size_t lifespan);
  // Calls back with each lowest address of a gap, and what is left above the body there; false stops.
  template <class Visit>
  void visitGaps(size_t body, Visit visit) const;
  // The lowest address at which the body replaces something; -1 for none.
  int64_t replacingFit(size_t body) const;
  int64_t alignedUp(size_t body, int64_t address) const;

  const Bodies *all;
  std::vector<uint64_t> addresses; // of bodies
  std::array<Lifespan, numLifespans> lifespans;
  std::vector<Obstacle> obstacles; // of the body that is looked at
  uint64_t top = 0, looks = 0;
};

} // namespace tilerig
