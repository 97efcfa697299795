// Bugs in sums over the depth (the summed axis of a product): some of the partial sums are lost or counted
// twice.
#include "compiler/Inject/Program/LayerTasks.h"

namespace tilerig::compiler {

namespace {

constexpr unsigned innermost = 4;

// The two streams (of input and weights) of a convolution or matrix product that step through the summed axis
// (the depth); null for grouped convolutions.
struct DepthOf {
  Stream *input = nullptr, *weights = nullptr;
};
DepthOf depthOf(Instruction &instruction) {
  if (auto *matmul = std::get_if<Matmul>(&instruction))
    return {&matmul->a, &matmul->b};
  if (auto *conv = std::get_if<Conv>(&instruction); conv && conv->groups == 1)
    return {&conv->input, &conv->weights};
  return {};
}

Status loseTail(const LayerTasks &layer, BugDraw &draw) {
  int64_t shortest = INT64_MAX;
  for (Task *task : layer.tasks())
    if (const DepthOf depth = depthOf(task->instruction); depth.input)
      shortest = std::min<int64_t>(shortest, depth.input->dims[innermost].size);
  if (shortest == INT64_MAX)
    return hasNot("the layer has no sums of products over all channels");
  TILERIG_TRY(const int64_t lost, draw.number("products", 1, shortest - 1));
  return layer.changeAll(
      [&](Instruction &instruction) {
        const DepthOf depth = depthOf(instruction);
        if (!depth.input)
          return false;
        for (Stream *stream : {depth.input, depth.weights})
          resizeDimension(stream->dims[innermost],
                          stream->dims[innermost].size - static_cast<uint32_t>(lost));
        return true;
      },
      "the layer has no sums of products");
}

bool goesOn(const Task &task) {
  Instruction copy = task.instruction;
  const Epilogue *epilogue = epilogueOf(copy);
  return epilogue && epilogue->accumulateFrom.present();
}

// Chooses at random one of the tiles on which `tasks` run, and returns the first of the tasks on that tile.
Result<Task *> drawTask(const std::vector<Task *> &tasks, BugDraw &draw, const char *otherwise) {
  if (tasks.empty())
    return hasNot(otherwise);
  std::vector<int64_t> tiles;
  for (const Task *task : tasks)
    tiles.push_back(task->tile);
  TILERIG_TRY(const int64_t wanted, draw.among("tile", tiles));
  return *std::ranges::find(tasks, wanted, [](const Task *task) { return int64_t{task->tile}; });
}

std::vector<Task *> byTile(std::vector<Task *> tasks) {
  std::ranges::stable_sort(tasks, {}, &Task::tile);
  return tasks;
}

Status losePartial(const LayerTasks &layer, BugDraw &draw) {
  TILERIG_TRY(Task *const task, drawTask(byTile(layer.tasks(goesOn)), draw, "the layer has no partial sums"));
  return layer.change(
      {task},
      [](Instruction &instruction) {
        epilogueOf(instruction)->accumulateFrom = {};
        return true;
      },
      "the layer has no partial sums");
}

// Whether a Store instruction sends partial sums to another tile, which adds the rest of the products to
// them.
bool sendsSums(const LayerTasks &layer, const Store &store) {
  return store.destination.space == Space::remote &&
         std::ranges::any_of(layer.tasks(goesOn), [&](const Task *task) {
           Instruction copy = task->instruction;
           return task->tile == store.destination.tile &&
                  epilogueOf(copy)->accumulateFrom.base == store.destination.base;
         });
}

// The partial sums that a task reads: a product adds to them; a store sends them to the next tile of a chain
// (tiles that each add a part of the products). Absent for all other tasks.
Stream partialSums(const LayerTasks &layer, const Task &task) {
  if (const auto *store = std::get_if<Store>(&task.instruction))
    return sendsSums(layer, *store) ? store->source : Stream{};
  Instruction copy = task.instruction;
  const Epilogue *epilogue = epilogueOf(copy);
  return epilogue ? epilogue->accumulateFrom : Stream{};
}

// The last earlier product on the tile of `task` that wrote the partial sums that `task` reads (see
// partialSums()); null if there is none.
const Task *partBefore(const LayerTasks &layer, const Task &task) {
  const Stream sums = partialSums(layer, task);
  const Task *before = nullptr;
  if (!sums.present())
    return before;
  for (const Task *other : layer.tasks()) {
    if (other == &task)
      break;
    const auto *matmul = std::get_if<Matmul>(&other->instruction);
    if (matmul && other->tile == task.tile && matmul->output.base == sums.base &&
        matmul->output.type == sums.type)
      before = other;
  }
  return before;
}

Status doublePartial(const LayerTasks &layer, BugDraw &draw) {
  const auto hasBefore = [&](const Task &task) { return partBefore(layer, task) != nullptr; };
  TILERIG_TRY(Task *const task,
              drawTask(byTile(layer.tasks(hasBefore)), draw, "the layer has no partial sums"));
  Task again = *partBefore(layer, *task);
  auto &matmul = std::get<Matmul>(again.instruction);
  matmul.epilogue.bias = {};
  matmul.epilogue.accumulateFrom = matmul.output;
  TILERIG_CHECK_OK(layer.check(again, again.instruction));
  layer.insertBefore(task, std::move(again));
  return success();
}

constexpr TaskBug bugsOfSums[] = {
    {"depth-tail-lost", loseTail},
    {"partial-lost", losePartial},
    {"partial-doubled", doublePartial},
};

} // namespace

std::span<const TaskBug> sumBugs() { return bugsOfSums; }

} // namespace tilerig::compiler
