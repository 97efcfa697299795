// Generator of random task lists that are correct when run one after another. First the memories are filled,
// then instructions of every kind work on random bytes, then all memories are copied to the output. So the
// output shows if any byte is wrong.
#pragma once

#include "compiler/Planning/Schedule/Task.h"
#include "isa/Base/Tensor/TensorMap.h"
#include "isa/Program/Program.h"
#include "tests/support/Random.h"

namespace tilerig::test {
using namespace compiler;

struct RandomTasks {
  TaskList tasks;
  Machine machine;
  unsigned tiles = 1;
  TensorMap inputs;

  // A program whose only stage is `stage`. It has no proof that it is free of races.
  Program programOf(DeviceStage stage) const;
};

// Composition of a random task list.
struct TaskMix {
  unsigned numWorks = 40;
  // Percentage of the instructions that are transfers, between tiles or with DDR; all others are of any kind.
  unsigned percentTransfers = 40;
  uint32_t reachBytes = 1 << 13; // bytes of each OCM that transfers use: fewer give more conflicts
  unsigned percentControl = 0;   // percentage of markers and delays among the tasks
};
RandomTasks randomTasks(uint64_t seed, const Machine &machine, unsigned tiles, const TaskMix &mix = {});

// A stream over `count` bytes without gaps, from the address `base` of a memory on.
Stream bytesAt(Space space, uint64_t base, uint32_t count, unsigned tile = 0);

} // namespace tilerig::test
