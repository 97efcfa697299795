// The tasks of one layer, for bugs that arise where works become instructions: before they are ordered, so
// that order and synchronisation are those of the instructions with the bug.
#pragma once

#include "compiler/Codegen/GenerateTasks.h"
#include "compiler/Inject/LayerWorks.h"
#include "isa/Instructions/Region.h"

namespace tilerig {

struct LayerTasks {
  const DeviceNetwork &network;
  const TilePlan &plan;
  const Machine &machine;
  ByteRange constants; // of DDR
  std::vector<ProgramPart> &parts;
  uint32_t layer = 0;

  // Its tasks, in their order.
  std::vector<Task *> tasks() const;
  // Those of which `which` is true.
  template <class Which>
  std::vector<Task *> tasks(Which which) const {
    std::vector<Task *> some;
    for (Task *task : tasks())
      if (which(*task))
        some.push_back(task);
    return some;
  }

  // The step of the network that gives its result.
  Result<size_t> last() const;

  // Whether the machine would take the instruction on the task's tile.
  Status check(const Task &task, const Instruction &instruction) const;
  // Puts `change(copy)` in the place of the instructions of those tasks for which it says that it changed
  // something: of all or, where one is illegal or none is changed, of none.
  using Change = std::function<bool(Instruction &)>;
  Status change(const std::vector<Task *> &which, const Change &change, const char *otherwise) const;
  Status changeAll(const Change &change, const char *otherwise) const {
    return this->change(tasks(), change, otherwise);
  }
  // Whether it would.
  bool canChange(const Change &change) const;

  void erase(const Task *task) const;
  void insertBefore(const Task *task, Task inserted) const;
};

struct TaskBug {
  std::string_view id;
  Status (*plant)(const LayerTasks &layer, BugDraw &draw);
};
std::span<const TaskBug> finishBugs();
std::span<const TaskBug> windowBugs();
std::span<const TaskBug> addressBugs();
std::span<const TaskBug> sumBugs();
std::span<const TaskBug> transferBugs();

// --- What instructions have ---

// Null where it is none of the POD's.
Epilogue *epilogueOf(Instruction &instruction);
// What it reads first, and what it gives.
Stream *firstInput(Instruction &instruction);
const Stream *givenStream(const Instruction &instruction);
bool computes(const Task &task);

// A dimension with so many steps; one has no stride.
void resizeDimension(Dimension &dimension, uint32_t size);
// Bytes from the first to one past the last.
uint64_t extentOf(const Stream &stream);

} // namespace tilerig
