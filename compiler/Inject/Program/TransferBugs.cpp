// Transfer bugs: a transfer moves wrong data, too little, nothing, or to a wrong place.
#include "compiler/Inject/Program/LayerTasks.h"
#include "compiler/Tile/Ops/View.h"

namespace tilerig::compiler {

namespace {

Stream *sourceOf(Instruction &instruction) {
  return std::visit(
      [](auto &typed) -> Stream * {
        if constexpr (requires { typed.destination; })
          return &typed.source;
        else
          return nullptr;
      },
      instruction);
}
Stream *destinationOf(Instruction &instruction) {
  return std::visit(
      [](auto &typed) -> Stream * {
        if constexpr (requires { typed.destination; })
          return &typed.destination;
        else
          return nullptr;
      },
      instruction);
}
bool areSameSizes(const Stream &a, const Stream &b) {
  return a.type == b.type && std::ranges::equal(a.dims, b.dims, {}, &Dimension::size, &Dimension::size);
}

bool isLoadFromDdr(Task &task) {
  const Stream *source = sourceOf(task.instruction);
  return source && source->space == Space::ddr && !std::holds_alternative<Gather>(task.instruction);
}
bool isStoreToDdr(Task &task) {
  const Stream *to = destinationOf(task.instruction);
  return to && to->space == Space::ddr;
}
// Whether the task is a transfer from tile to tile.
bool isExchange(Task &task) {
  const Stream *from = sourceOf(task.instruction), *to = destinationOf(task.instruction);
  return from && from->space == Space::ocm &&
         (to->space == Space::remote || std::holds_alternative<Multicast>(task.instruction));
}

Result<Task *> drawTransfer(const std::vector<Task *> &tasks, BugDraw &draw, const char *otherwise) {
  if (tasks.empty())
    return hasNot(otherwise);
  TILERIG_TRY(const size_t index, draw.index("transfer", tasks.size()));
  return tasks[index];
}

// Size in bytes of one row of the layer's result in the buffer of the tile that sends it.
Result<int64_t> rowBytesAt(const LayerTasks &layer, const Task &task) {
  TILERIG_TRY(const size_t step, layer.last());
  const DeviceOp &deviceOp = std::get<DeviceOp>(layer.network.steps[step]);
  const TensorPlace &place = layer.plan.places[deviceOp.result];
  if (!place.inOcm)
    return hasNot("the result of the layer is not in the OCM");
  const View view{.box = place.kept[task.tile], .type = layer.network.tensors[deviceOp.result].type};
  const size_t rank = view.box.rank();
  return static_cast<int64_t>(view.strideOf(rank == 4 ? 1 : rank > 1 ? rank - 2 : 0));
}

Status shiftHalo(const LayerTasks &layer, BugDraw &draw) {
  TILERIG_TRY(Task *const task,
              drawTransfer(layer.tasks(isExchange), draw, "the layer sends nothing to other tiles"));
  TILERIG_TRY(const int64_t rowBytes, rowBytesAt(layer, *task));
  TILERIG_TRY(const int64_t rows, draw.nonZero("rows", -2, 2));
  return layer.change(
      {task},
      [&](Instruction &instruction) {
        Stream &source = *sourceOf(instruction);
        if (rows < 0 && source.base < static_cast<uint64_t>(-rows * rowBytes))
          return false;
        source.base += static_cast<uint64_t>(rows * rowBytes);
        return true;
      },
      "the shifted address would be negative");
}

Status loseHalo(const LayerTasks &layer, BugDraw &draw) {
  TILERIG_TRY(Task *const task,
              drawTransfer(layer.tasks(isExchange), draw, "the layer sends nothing to other tiles"));
  layer.erase(task);
  return success();
}

// Of the earlier transfers on the task's tile that move data of the same sizes from another address, returns
// the source address of the last one; null if there is none.
const Stream *sourceBefore(const std::vector<Task *> &exchanges, const Task *task) {
  const Stream *before = nullptr;
  const Stream &own = *sourceOf(const_cast<Task *>(task)->instruction);
  for (Task *exchange : exchanges) {
    if (exchange == task)
      return before;
    const Stream &source = *sourceOf(exchange->instruction);
    if (exchange->tile == task->tile && areSameSizes(source, own) && source.base != own.base)
      before = &source;
  }
  return before;
}

Status repeatPart(const LayerTasks &layer, BugDraw &draw) {
  const std::vector<Task *> exchanges = layer.tasks(isExchange);
  std::vector<Task *> repeatable;
  for (Task *task : exchanges)
    if (sourceBefore(exchanges, task))
      repeatable.push_back(task);
  TILERIG_TRY(
      Task *const task,
      drawTransfer(repeatable, draw, "no tile sends two parts of equal size from different addresses"));
  const Stream source = *sourceBefore(exchanges, task);
  return layer.change(
      {task},
      [&](Instruction &instruction) {
        *sourceOf(instruction) = source;
        return true;
      },
      "no tile sends two parts from different addresses");
}

Status shortenLoad(const LayerTasks &layer, BugDraw &draw) {
  const auto isLong = [](Task &task) {
    return isLoadFromDdr(task) &&
           std::ranges::any_of(sourceOf(task.instruction)->dims,
                               [](const Dimension &dimension) { return dimension.size > 1; });
  };
  TILERIG_TRY(Task *const task, drawTransfer(layer.tasks(isLong), draw, "the layer loads nothing from DDR"));
  const auto &dims = sourceOf(task->instruction)->dims;
  const auto outermost = static_cast<size_t>(
      std::ranges::find_if(dims, [](const Dimension &dimension) { return dimension.size > 1; }) -
      dims.begin());
  TILERIG_TRY(const int64_t steps, draw.number("steps", 1, int64_t{dims[outermost].size} - 1));
  return layer.change(
      {task},
      [&](Instruction &instruction) {
        for (Stream *stream : {sourceOf(instruction), destinationOf(instruction)})
          resizeDimension(stream->dims[outermost],
                          stream->dims[outermost].size - static_cast<uint32_t>(steps));
        return true;
      },
      "the layer loads nothing from DDR");
}

// Address of a memory range beside the range that a transfer reads: of the same size, directly behind that
// range or else directly in front of it, and within `limits`. Nullopt if there is none.
std::optional<uint64_t> neighbourOf(const Stream &source, ByteRange limits) {
  const uint64_t extent = extentOf(source);
  if (source.base + 2 * extent <= limits.end)
    return source.base + extent;
  if (source.base >= limits.begin + extent)
    return source.base - extent;
  return {};
}

Status loadNeighbour(const LayerTasks &layer, BugDraw &draw) {
  const auto hasNeighbour = [&](Task &task) {
    return isLoadFromDdr(task) && sourceOf(task.instruction)->base >= layer.constants.begin &&
           neighbourOf(*sourceOf(task.instruction), layer.constants);
  };
  TILERIG_TRY(Task *const task,
              drawTransfer(layer.tasks(hasNeighbour), draw,
                           "no constant that the layer loads has another constant beside it in DDR"));
  return layer.change(
      {task},
      [&](Instruction &instruction) {
        Stream &source = *sourceOf(instruction);
        source.base = *neighbourOf(source, layer.constants);
        return true;
      },
      "the layer loads no constants");
}

// DDR address of another tensor of at least `wanted` bytes; nullopt if there is none.
std::optional<uint64_t> otherPlace(const LayerTasks &layer, const DeviceOp &deviceOp, uint64_t wanted) {
  for (TensorIndex other = 0; other < layer.network.tensors.size(); ++other) {
    const DeviceTensor &tensor = layer.network.tensors[other];
    const TensorPlace &place = layer.plan.places[other];
    if (other != deviceOp.result && !tensor.constant() && place.inDdr && tensor.sizeInBytes() >= wanted &&
        place.ddrAddress != layer.plan.places[deviceOp.result].ddrAddress)
      return place.ddrAddress;
  }
  return {};
}

Status storeElsewhere(const LayerTasks &layer, BugDraw &draw) {
  TILERIG_TRY(const size_t step, layer.last());
  const DeviceOp &deviceOp = std::get<DeviceOp>(layer.network.steps[step]);
  TILERIG_TRY(Task *const task,
              drawTransfer(layer.tasks(isStoreToDdr), draw, "the layer stores nothing to DDR"));
  const uint64_t own = layer.plan.places[deviceOp.result].ddrAddress;
  const Stream &to = *destinationOf(task->instruction);
  if (to.base < own)
    return hasNot("the layer stores another tensor than its result");
  const auto other = otherPlace(layer, deviceOp, to.base - own + extentOf(to));
  if (!other)
    return hasNot("no other tensor in DDR is large enough for the result");
  return layer.change(
      {task},
      [&](Instruction &instruction) {
        Stream &destination = *destinationOf(instruction);
        destination.base = destination.base - own + *other;
        return true;
      },
      "the layer stores nothing to DDR");
}

// The tasks that load the layer's constant weights from DDR.
std::vector<Task *> weightLoads(const LayerTasks &layer) {
  std::vector<uint64_t> places;
  for (size_t i = 0; i < layer.network.steps.size(); ++i) {
    const DeviceOp *deviceOp = std::get_if<DeviceOp>(&layer.network.steps[i]);
    if (deviceOp && deviceOp->layer == layer.layer && isProduct(*deviceOp))
      for (const Staging &staging : layer.plan.deviceOps[i].stages[1])
        places.push_back(layer.plan.addressOf(staging.buffer));
  }
  return layer.tasks([&](const Task &task) {
    const auto *load = std::get_if<Load>(&task.instruction);
    return load && load->source.space == Space::ddr && load->source.base >= layer.constants.begin &&
           std::ranges::find(places, load->destination.base) != places.end();
  });
}

// Searches the list `loads` cyclically, from the element behind `task` on, for a load on another tile that
// moves data of the same size from another address; null if there is none.
const Task *nextTileWith(const std::vector<Task *> &loads, const Task *task) {
  const auto at = static_cast<size_t>(std::ranges::find(loads, task) - loads.begin());
  for (size_t i = 1; i < loads.size(); ++i) {
    const Task *other = loads[(at + i) % loads.size()];
    const Stream &a = std::get<Load>(task->instruction).source,
                 &b = std::get<Load>(other->instruction).source;
    if (other->tile != task->tile && areSameSizes(a, b) && a.base != b.base)
      return other;
  }
  return nullptr;
}

Status takeOthersWeights(const LayerTasks &layer, BugDraw &draw) {
  const std::vector<Task *> loads = weightLoads(layer);
  std::vector<int64_t> tiles;
  for (const Task *task : loads)
    if (nextTileWith(loads, task))
      tiles.push_back(task->tile);
  if (tiles.empty())
    return hasNot("no two tiles load different weights of equal size");
  TILERIG_TRY(const int64_t tile, draw.among("tile", tiles));
  Task *task = *std::ranges::find_if(
      loads, [&](const Task *load) { return load->tile == tile && nextTileWith(loads, load) != nullptr; });
  const Stream source = std::get<Load>(nextTileWith(loads, task)->instruction).source;
  return layer.change(
      {task},
      [&](Instruction &instruction) {
        std::get<Load>(instruction).source = source;
        return true;
      },
      "the layer loads no weights");
}

constexpr TaskBug bugsOfTransfers[] = {
    {"halo-shifted", shiftHalo},
    {"halo-lost", loseHalo},
    {"part-copied-twice", repeatPart},
    {"dma-short", shortenLoad},
    {"dma-wrong-source", loadNeighbour},
    {"store-wrong-tensor", storeElsewhere},
    {"weights-wrong-tile", takeOthersWeights},
};

} // namespace

std::span<const TaskBug> transferBugs() { return bugsOfTransfers; }

} // namespace tilerig::compiler
