// The tasks of one layer, for the injection of bugs into their instructions. Bugs are injected before the
// tasks are ordered and synchronised, so the scheduler sees the changed instructions and synchronises them
// correctly.
#pragma once

#include "compiler/Inject/Program/LayerOps.h"
#include "compiler/Tile/Emit/GenerateTasks.h"
#include "isa/Instructions/Region.h"

namespace tilerig::compiler {

struct LayerTasks {
  const DeviceNetwork &network;
  const TilePlan &plan;
  const Machine &machine;
  ByteRange constants; // range of DDR addresses that holds the program's constants
  std::vector<ProgramPart> &parts;
  uint32_t layer = 0;

  // The tasks of the layer, in the order in which the network's task list has them.
  std::vector<Task *> tasks() const;
  // The tasks of the layer for which the predicate `which` is true.
  template <class Which>
  std::vector<Task *> tasks(Which which) const {
    std::vector<Task *> some;
    for (Task *task : tasks())
      if (which(*task))
        some.push_back(task);
    return some;
  }

  // Index in network.steps of the device operation that computes the layer's result.
  Result<size_t> last() const;

  // Checks that the instruction is legal on the task's tile.
  Status check(const Task &task, const Instruction &instruction) const;
  // Applies `change` to a copy of each task's instruction; `change` returns whether it changed the copy. If
  // at least one copy was changed and every changed copy is a legal instruction, the tasks get the changed
  // instructions. Otherwise no task changes, and the error `otherwise` is returned.
  using Change = std::function<bool(Instruction &)>;
  Status change(const std::vector<Task *> &which, const Change &change, const char *otherwise) const;
  Status changeAll(const Change &change, const char *otherwise) const {
    return this->change(tasks(), change, otherwise);
  }
  // Whether changeAll(change) would succeed. Does not change any instruction.
  bool canChange(const Change &change) const;

  void erase(const Task *task) const;
  void insertBefore(const Task *task, Task inserted) const;
};

struct TaskBug {
  std::string_view id;
  Status (*inject)(const LayerTasks &layer, BugDraw &draw);
};
std::span<const TaskBug> finishBugs();
std::span<const TaskBug> windowBugs();
std::span<const TaskBug> addressBugs();
std::span<const TaskBug> sumBugs();
std::span<const TaskBug> transferBugs();

// The epilogue of an instruction of the POD (matrix engine), that is, the steps from a sum to the stored
// result; null for other instructions.
Epilogue *epilogueOf(Instruction &instruction);
// The stream (address generator) with which an instruction reads its first operand, and the stream with which
// it writes.
Stream *firstInput(Instruction &instruction);
const Stream *givenStream(const Instruction &instruction);
bool computes(const Task &task);

// Sets the size of a dimension of a stream. A dimension of size 1 gets stride 0.
void resizeDimension(Dimension &dimension, uint32_t size);
// Number of bytes from the first byte that a stream accesses to the last, inclusive.
uint64_t extentOf(const Stream &stream);

} // namespace tilerig::compiler
