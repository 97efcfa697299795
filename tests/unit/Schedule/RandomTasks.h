// Random lists of tasks, right one after another: memories filled first, then works of every kind on random
// bytes, then all memories taken to the output, so that nothing that goes wrong in between is lost.
#pragma once

#include "compiler/Schedule/Task.h"
#include "isa/Program/Program.h"
#include "isa/Tensor/TensorMap.h"
#include "tests/support/Random.h"

namespace tilerig::test {

struct RandomTasks {
  TaskList tasks;
  Machine machine;
  unsigned tiles = 1;
  TensorMap inputs;

  // The program whose only stage is this one, without a proof.
  Program programOf(DeviceStage stage) const;
};

// What the works are like.
struct TaskMix {
  unsigned numWorks = 40;
  unsigned percentTransfers = 40; // between tiles, and with DDR; the rest is anything
  uint32_t reachBytes = 1 << 13;  // of each OCM that these transfers use: the less, the more conflicts
  unsigned percentControl = 0;    // markers and delays among them
};
RandomTasks randomTasks(uint64_t seed, const Machine &machine, unsigned tiles, const TaskMix &mix = {});

// A dense run.
Stream bytesAt(Space space, uint64_t base, uint32_t count, unsigned tile = 0);

} // namespace tilerig::test
