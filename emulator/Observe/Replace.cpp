// Replacements: other values in the place of a tensor's, from the moment on at which the program has made
// them.
//
// A piece may be the work of several instructions, and readers of one part of it need not wait for the
// others. So every element is replaced by the task that wrote it last.
#include "emulator/Memory/Stored.h"
#include "emulator/Observe/Observation.h"
#include "isa/Numerics/I9.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <ranges>

namespace tilerig {

namespace {

Result<Tensor> storedValues(const proto::Tensor &tensor, const Tensor &given) {
  const auto place = fmt::format("replacement of '{}'", tensor.name());
  const DType model = modelDType(tensor), stored = storedDType(tensor);
  if (tensor.role() == proto::INPUT)
    return invalidInput(place, "is an input of the program", "give it as one");
  if (tensor.pieces().empty())
    return invalidInput(place, "the program keeps the tensor nowhere");
  if ((given.dtype() != model && given.dtype() != stored) || given.shape() != shapeOf(tensor))
    return invalidInput(place,
                        fmt::format("is {} {}, and the program has {} {}{}", nameOf(given.dtype()),
                                    showShape(given.shape()), nameOf(model), showShape(shapeOf(tensor)),
                                    model == stored ? "" : fmt::format(", stored as {}", nameOf(stored))));
  if (given.dtype() != stored || storedTypeOf(tensor) != ElementType::i9)
    return given.dtype() == stored ? Result<Tensor>(given) : toStored(tensor, given);
  for (int16_t value : given.as<int16_t>())
    if (!isI9(value))
      return invalidInput(place, fmt::format("{} does not fit i9", value));
  return given;
}

// An element of a piece: where it lies, and where its value stands in the dense tensor (both in bytes).
struct Element {
  uint64_t address, dense;
  bool operator==(const Element &) const = default;
};

std::vector<Element> elementsByAddress(const Box &box, const Tensor &stored) {
  const std::vector<int64_t> strides = stored.strides();
  std::vector<Element> elements = {{box.address, 0}};
  for (size_t d = 0; d < box.extent.size(); ++d) {
    std::vector<Element> more;
    for (const Element &it : elements)
      for (int64_t i = 0; i < box.extent[d]; ++i)
        more.push_back(
            {it.address + static_cast<uint64_t>(i) * box.stride[d],
             it.dense + static_cast<uint64_t>((box.begin[d] + i) * strides[d]) * sizeBytes(stored.dtype())});
    elements = std::move(more);
  }
  std::ranges::sort(elements, {}, &Element::address);
  return elements;
}

class ReplacementMaker {
public:
  ReplacementMaker(const Program &program, const std::vector<StageTasks> &tasks, Memories &memories,
                   Observers &observers)
      : program(program), tasks(tasks), memories(memories), observers(observers) {}

  // In all pieces other values; before that, where somebody wants to see them, those that are there.
  Status add(const proto::Tensor &tensor, const Tensor &stored, Tensor *seen) {
    if (seen)
      CHECK_OK(addBoxes(tensor, disjointBoxes(tensor), {nullptr, seen}));
    std::vector<Box> pieces;
    for (const proto::Piece &piece : tensor.pieces())
      pieces.push_back(boxOf(piece));
    return addBoxes(tensor, pieces, {&stored, nullptr});
  }

private:
  // A tensor of the host that is copied into memory, or one that gets what is there.
  struct Side {
    const Tensor *given;
    Tensor *seen;

    const Tensor &tensor() const { return given ? *given : *seen; }
  };

  Status addBoxes(const proto::Tensor &tensor, const std::vector<Box> &boxes, Side side) {
    const auto *device = std::get_if<DeviceStage>(&program.stages[tensor.stage()].work);
    const unsigned bytes = sizeBytes(storedTypeOf(tensor));
    std::vector<Watched> watched;
    for (const Box &box : boxes)
      watched.push_back({box.memory, regionsOf(box, bytes), tensor.layer()});
    std::vector<Moment> moments(watched.size());
    if (device)
      moments = findMoments(program, tensor.stage(), tasks[tensor.stage()], watched);
    for (size_t i = 0; i < moments.size(); ++i) {
      if (device && tensor.role() == proto::OUTPUT && !moments[i].after)
        return invalidInput(fmt::format("replacement of '{}'", tensor.name()),
                            fmt::format("layer {} writes nothing of it in stage '{}', where it should",
                                        tensor.layer(), program.stages[tensor.stage()].name));
      addBox(tensor, boxes[i], watched[i], moments[i], side);
    }
    return success();
  }

  void addBox(const proto::Tensor &tensor, const Box &box, const Watched &watched, const Moment &moment,
              Side side) {
    auto &changes = observers.stages[tensor.stage()].changes;
    if (!moment.after || coversAll(tensor, *moment.after, watched)) {
      changes.push_back(
          {moment.after, box.memory, watched.regions,
           side.given ? scattering(box, *side.given, memories) : gathering(box, *side.seen, memories),
           side.seen != nullptr});
      return;
    }
    const std::vector<Element> elements = elementsByAddress(box, side.tensor());
    std::vector<std::optional<uint32_t>> owners(elements.size());
    for (uint32_t task : moment.writers | std::views::reverse)
      forEachWrite(tensor, task, box.memory, [&](const Region &region) {
        forEachRun(region, {elements.front().address, elements.back().address + 1}, [&](ByteRange run) {
          auto at = std::ranges::lower_bound(elements, run.begin, {}, &Element::address);
          for (; at != elements.end() && at->address < run.end; ++at)
            if (auto &owner = owners[static_cast<size_t>(at - elements.begin())]; !owner)
              owner = task;
          return true;
        });
      });
    addRuns(tensor, box, elements, owners, side);
  }

  // Neighbours of one owner, evenly spaced on both sides, make one change.
  void addRuns(const proto::Tensor &tensor, const Box &box, const std::vector<Element> &elements,
               const std::vector<std::optional<uint32_t>> &owners, Side side) {
    const unsigned bytes = sizeBytes(storedTypeOf(tensor));
    for (size_t begin = 0, end; begin < elements.size(); begin = end) {
      const Element first = elements[begin];
      Element step = {0, 0};
      for (end = begin + 1; end < elements.size() && owners[end] == owners[begin]; ++end) {
        const Element &before = elements[end - 1];
        if (elements[end].dense <= before.dense)
          break;
        const Element next = {elements[end].address - before.address, elements[end].dense - before.dense};
        if (end == begin + 1)
          step = next;
        else if (next != step)
          break;
      }
      std::vector<Region> regions;
      appendRegions(first.address, bytes, std::array{Steps{step.address, end - begin}}, regions);
      observers.stages[tensor.stage()].changes.push_back({owners[begin], box.memory, std::move(regions),
                                                          runCopy(box.memory, first, step, end - begin, side),
                                                          side.seen != nullptr});
    }
  }

  // `count` elements, a step of `step` apart on either side.
  StridedCopy runCopy(MemoryId memory, Element first, Element step, uint64_t count, Side side) {
    const unsigned bytes = static_cast<unsigned>(sizeBytes(side.tensor().dtype()));
    if (side.given)
      return {memories.writable(memory, {first.address, first.address + 1}),
              side.given->bytes().data() + first.dense,
              bytes,
              {{count, step.address, step.dense}}};
    const uint64_t end = first.address + (count - 1) * step.address + bytes;
    return {side.seen->mutableBytes().data() + first.dense,
            memories.readable(memory, {first.address, end}),
            bytes,
            {{count, step.dense, step.address}}};
  }

  bool coversAll(const proto::Tensor &tensor, uint32_t task, const Watched &watched) const {
    return std::ranges::all_of(watched.regions, [&](const Region &region) {
      bool covered = false;
      forEachWrite(tensor, task, watched.memory,
                   [&](const Region &written) { covered |= covers(written, region); });
      return covered;
    });
  }
  template <class Visit>
  void forEachWrite(const proto::Tensor &tensor, uint32_t task, MemoryId memory, Visit visit) const {
    const InstructionPlace &place = tasks[tensor.stage()].places[task];
    AccessList accesses;
    appendAccesses(std::get<DeviceStage>(program.stages[place.stage].work).tiles[place.tile][place.index],
                   place.tile, accesses);
    for (const Access &access : accesses)
      if (access.kind == AccessKind::write && access.memory == memory)
        visit(access.region);
  }

  const Program &program;
  const std::vector<StageTasks> &tasks;
  Memories &memories;
  Observers &observers;
};

} // namespace

Status addReplacements(const Program &program, const std::vector<StageTasks> &tasks,
                       const Observation &observation, Memories &memories, Observers &observers) {
  ReplacementMaker maker(program, tasks, memories, observers);
  for (const NamedTensor &given : observation.replace) {
    TRY(const proto::Tensor *tensor, findTensor(program, given.name, "replacement of"));
    TRY(Tensor stored, storedValues(*tensor, given.tensor));
    Tensor *seen = observation.captureComputed ? observers.sights.captured.find(given.name) : nullptr;
    CHECK_OK(maker.add(*tensor, stored, seen));
    observers.replacements.push_back(std::move(stored)); // whose bytes the changes copy
  }
  return success();
}

} // namespace tilerig
