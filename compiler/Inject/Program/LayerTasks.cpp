#include "compiler/Inject/Program/LayerTasks.h"

#include "isa/Instructions/Check.h"

namespace tilerig::compiler {

std::vector<Task *> LayerTasks::tasks() const {
  std::vector<Task *> all;
  for (ProgramPart &part : parts)
    for (Task &task : part.tasks)
      if (layerOf(task.instruction) == layer)
        all.push_back(&task);
  return all;
}

Result<size_t> LayerTasks::last() const {
  for (size_t i = network.steps.size(); i-- > 0;)
    if (const DeviceOp *deviceOp = std::get_if<DeviceOp>(&network.steps[i]);
        deviceOp && deviceOp->layer == layer)
      return i;
  return hasNot("the layer does nothing on the accelerator");
}

Status LayerTasks::check(const Task &task, const Instruction &instruction) const {
  const Status legal = checkInstruction(instruction, machine, task.tile, plan.tiles);
  return legal
             ? success()
             : Status(hasNot("the machine would refuse the changed instruction: " + legal.error().message()));
}

Status LayerTasks::change(const std::vector<Task *> &which, const Change &change,
                          const char *otherwise) const {
  std::vector<std::pair<Task *, Instruction>> changed;
  for (Task *task : which) {
    Instruction copy = task->instruction;
    if (!change(copy))
      continue;
    TILERIG_CHECK_OK(check(*task, copy));
    changed.emplace_back(task, std::move(copy));
  }
  if (changed.empty())
    return hasNot(otherwise);
  for (auto &[task, instruction] : changed)
    task->instruction = std::move(instruction);
  return success();
}

bool LayerTasks::canChange(const Change &change) const {
  bool isPossible = false;
  for (const Task *task : tasks()) {
    Instruction copy = task->instruction;
    if (!change(copy))
      continue;
    if (!check(*task, copy))
      return false;
    isPossible = true;
  }
  return isPossible;
}

void LayerTasks::erase(const Task *task) const {
  for (ProgramPart &part : parts)
    if (!part.tasks.empty() && task >= part.tasks.data() && task < part.tasks.data() + part.tasks.size()) {
      part.tasks.erase(part.tasks.begin() + (task - part.tasks.data()));
      return;
    }
}

void LayerTasks::insertBefore(const Task *task, Task inserted) const {
  for (ProgramPart &part : parts)
    if (!part.tasks.empty() && task >= part.tasks.data() && task < part.tasks.data() + part.tasks.size()) {
      part.tasks.insert(part.tasks.begin() + (task - part.tasks.data()), std::move(inserted));
      return;
    }
}

Epilogue *epilogueOf(Instruction &instruction) {
  return std::visit(
      [](auto &typed) -> Epilogue * {
        if constexpr (requires { typed.epilogue; })
          return &typed.epilogue;
        else
          return nullptr;
      },
      instruction);
}

Stream *firstInput(Instruction &instruction) {
  return std::visit(
      [](auto &typed) -> Stream * {
        if constexpr (requires { typed.input; })
          return &typed.input;
        else if constexpr (requires { typed.a; })
          return &typed.a;
        else
          return nullptr;
      },
      instruction);
}

const Stream *givenStream(const Instruction &instruction) {
  return std::visit(
      [](const auto &typed) -> const Stream * {
        if constexpr (requires { typed.output; })
          return &typed.output;
        else
          return nullptr;
      },
      instruction);
}

bool computes(const Task &task) { return givenStream(task.instruction) != nullptr; }

void resizeDimension(Dimension &dimension, uint32_t size) {
  dimension.size = size;
  if (size == 1)
    dimension.stride = 0;
}

uint64_t extentOf(const Stream &stream) {
  uint64_t extent = sizeBytes(stream.type);
  for (const Dimension &dimension : stream.dims)
    extent += uint64_t{dimension.size - 1} * dimension.stride;
  return extent;
}

} // namespace tilerig::compiler
