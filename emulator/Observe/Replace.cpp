#include "emulator/Observe/Replace.h"

#include "emulator/Memory/Stored.h"
#include "emulator/Observe/Observers.h"
#include "isa/Numerics/I9.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <ranges>

namespace tilerig::emulator {

namespace {

std::string placeOf(const proto::Tensor &replaced) {
  return fmt::format("replacement of '{}'", replaced.name());
}

// Returns the program's tensor that a given tensor of this name, type and shape replaces, or an error if it
// cannot be replaced.
Result<const proto::Tensor *> findReplaced(const Program &program, const std::string &name, DType dtype,
                                           const Shape &shape) {
  TILERIG_TRY(const proto::Tensor *replaced, findTensor(program, name, "replacement of"));
  const proto::Tensor &tensor = *replaced;
  const std::string place = placeOf(tensor);
  const DType model = modelDType(tensor), stored = storedDType(tensor);
  if (tensor.role() == proto::INPUT)
    return invalidInput(place,
                        "the tensor is an input of the program, and only computed tensors can be replaced",
                        "give input values with --inputs");
  if (tensor.pieces().empty())
    return invalidInput(place, "the program does not store this tensor, so it cannot be replaced");
  if ((dtype != model && dtype != stored) || shape != shapeOf(tensor))
    return invalidInput(
        place, fmt::format("the given tensor has type {} and shape {}, expected type {}{} and shape {}",
                           nameOf(dtype), showShape(shape), nameOf(model),
                           model == stored ? "" : fmt::format(" (or {}, as stored)", nameOf(stored)),
                           showShape(shapeOf(tensor))));
  return replaced;
}

Result<Tensor> storedValues(const proto::Tensor &tensor, const Tensor &values) {
  const DType stored = storedDType(tensor);
  if (values.dtype() != stored || storedTypeOf(tensor) != ElementType::i9)
    return values.dtype() == stored ? Result<Tensor>(values) : toStored(tensor, values);
  for (int16_t value : values.as<int16_t>())
    if (!isI9(value))
      return invalidInput(placeOf(tensor),
                          fmt::format("value {} is outside the range -256 to 255 of type i9", value));
  return values;
}

// An element of a piece of a tensor: its memory address, and its offset in the tensor on the host, both in
// bytes.
struct Element {
  uint64_t address, dense;
  bool operator==(const Element &) const = default;
};

std::vector<Element> elementsByAddress(const Box &box, const Tensor &stored) {
  const std::vector<int64_t> strides = stored.strides();
  std::vector<Element> elements = {{box.address, 0}};
  for (size_t d = 0; d < box.extent.size(); ++d) {
    std::vector<Element> more;
    for (const Element &element : elements)
      for (int64_t i = 0; i < box.extent[d]; ++i)
        more.push_back({element.address + static_cast<uint64_t>(i) * box.stride[d],
                        element.dense + static_cast<uint64_t>((box.begin[d] + i) * strides[d]) *
                                            sizeBytes(stored.dtype())});
    elements = std::move(more);
  }
  std::ranges::sort(elements, {}, &Element::address);
  return elements;
}

class ChangeMaker {
public:
  ChangeMaker(const proto::Tensor &tensor, const WriteOrder *order, Memories &memories)
      : tensor(tensor), order(order), memories(memories) {}

  // Adds the changes (copies) that write the tensor `stored` over all pieces of the replaced tensor. If
  // `seen` is given, it first receives the values that the program computed.
  void add(const Tensor &stored, Tensor *seen) {
    if (seen)
      addBoxes(disjointBoxes(tensor), {nullptr, seen});
    std::vector<Box> pieces;
    for (const proto::Piece &piece : tensor.pieces())
      pieces.push_back(boxOf(piece));
    addBoxes(pieces, {&stored, nullptr});
  }

  std::vector<Change> changes;

private:
  // The copies exchange elements with two tensors in host memory: they read new values from `source`, and
  // store the computed values, before overwriting them, in `seen`.
  struct Side {
    const Tensor *source;
    Tensor *seen;

    const Tensor &tensor() const { return source ? *source : *seen; }
  };

  void addBoxes(const std::vector<Box> &boxes, Side side) {
    const unsigned bytes = storedBytes(tensor);
    std::vector<TensorPiece> watched;
    for (const Box &box : boxes)
      watched.push_back({box.memory, regionsOf(box, bytes), tensor.layer(), box.readyAt});
    std::vector<Completion> completions(watched.size());
    if (order)
      completions = order->completionsOf(watched);
    for (size_t i = 0; i < completions.size(); ++i)
      addBox(boxes[i], watched[i], completions[i], side);
  }

  void addBox(const Box &box, const TensorPiece &watched, const Completion &completion, Side side) {
    if (!completion.after || coversAll(*completion.after, watched)) {
      changes.push_back(
          {completion.after, box.memory, watched.regions,
           side.source ? scattering(box, *side.source, memories) : gathering(box, *side.seen, memories),
           side.seen != nullptr});
      return;
    }
    const std::vector<Element> elements = elementsByAddress(box, side.tensor());
    std::vector<std::optional<uint32_t>> owners(elements.size());
    for (uint32_t writer : completion.writers | std::views::reverse)
      forEachWrite(writer, box.memory, [&](const Region &region) {
        forEachRun(region, {elements.front().address, elements.back().address + 1}, [&](ByteRange run) {
          auto at = std::ranges::lower_bound(elements, run.begin, {}, &Element::address);
          for (; at != elements.end() && at->address < run.end; ++at)
            if (auto &owner = owners[static_cast<size_t>(at - elements.begin())]; !owner)
              owner = writer;
          return true;
        });
      });
    addRuns(box, elements, owners, side);
  }

  // Adds a change for each run of elements that have the same last writer and are evenly spaced, in memory
  // and in the host tensor.
  void addRuns(const Box &box, const std::vector<Element> &elements,
               const std::vector<std::optional<uint32_t>> &owners, Side side) {
    const unsigned bytes = storedBytes(tensor);
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
      changes.push_back({owners[begin], box.memory, std::move(regions),
                         runCopy(box.memory, first, step, end - begin, side), side.seen != nullptr});
    }
  }

  // A copy of `count` elements of a tensor from `first` on; `step` is the distance between neighbouring
  // elements, in emulated memory and in the tensor on the host.
  StridedCopy runCopy(MemoryId memory, Element first, Element step, uint64_t count, Side side) {
    const unsigned bytes = static_cast<unsigned>(sizeBytes(side.tensor().dtype()));
    if (side.source)
      return {memories.writable(memory, {first.address, first.address + 1}),
              side.source->bytes().data() + first.dense,
              bytes,
              {{count, step.address, step.dense}}};
    const uint64_t end = first.address + (count - 1) * step.address + bytes;
    return {side.seen->mutableBytes().data() + first.dense,
            memories.readable(memory, {first.address, end}),
            bytes,
            {{count, step.dense, step.address}}};
  }

  bool coversAll(uint32_t writer, const TensorPiece &watched) const {
    return std::ranges::all_of(watched.regions, [&](const Region &region) {
      bool covered = false;
      forEachWrite(writer, watched.memory,
                   [&](const Region &written) { covered |= covers(written, region); });
      return covered;
    });
  }
  template <class Visit>
  void forEachWrite(uint32_t writer, MemoryId memory, Visit visit) const {
    for (const Access &access : order->writesOf(writer))
      if (access.memory == memory)
        visit(access.region);
  }

  const proto::Tensor &tensor;
  const WriteOrder *order;
  Memories &memories;
};

// The order of writes in programs that are proved free of races. The writers are the tasks of the stage.
class TaskOrder : public WriteOrder {
public:
  TaskOrder(const Program &program, uint32_t stage, const StageTasks &tasks)
      : program(program), stage(stage), tasks(tasks) {}

  std::vector<Completion> completionsOf(const std::vector<TensorPiece> &pieces) const override {
    return findCompletions(program, stage, tasks, pieces);
  }
  AccessList writesOf(uint32_t writer) const override {
    const InstructionPlace &place = tasks.places[writer];
    return tilerig::writesOf(std::get<DeviceStage>(program.stages[stage].work).tiles[place.tile][place.index],
                             place.tile);
  }

private:
  const Program &program;
  const uint32_t stage;
  const StageTasks &tasks;
};

} // namespace

Status checkReplacement(const Program &program, const std::string &name, DType dtype, const Shape &shape) {
  const auto replaced = findReplaced(program, name, dtype, shape);
  return replaced ? success() : Status(replaced.error());
}

Result<Replacement> replacementOf(const Program &program, const NamedTensor &given) {
  TILERIG_TRY(const proto::Tensor *tensor,
              findReplaced(program, given.name, given.tensor.dtype(), given.tensor.shape()));
  TILERIG_TRY(Tensor stored, storedValues(*tensor, given.tensor));
  return Replacement{tensor, std::move(stored)};
}

Result<std::vector<Replacement>> replacementsOf(const Program &program, const Observation &observation,
                                                CapturePoints &capturePoints) {
  std::vector<Replacement> all;
  for (const NamedTensor &replacement : observation.replace) {
    TILERIG_TRY(all.emplace_back(), replacementOf(program, replacement));
    if (observation.captureComputed)
      all.back().seen = capturePoints.captured.find(replacement.name);
  }
  return all;
}

std::vector<Change> changesOf(const Replacement &replacement, const WriteOrder *order, Memories &memories) {
  ChangeMaker maker(*replacement.tensor, order, memories);
  maker.add(replacement.stored, replacement.seen);
  return std::move(maker.changes);
}

Status addReplacements(const Program &program, const std::vector<StageTasks> &tasks,
                       const Observation &observation, Memories &memories, Observers &observers) {
  TILERIG_TRY(observers.replacements, replacementsOf(program, observation, observers.capturePoints));
  for (const Replacement &replacement : observers.replacements) {
    const uint32_t stage = replacement.tensor->stage();
    const bool onDevice = std::holds_alternative<DeviceStage>(program.stages[stage].work);
    const auto order = onDevice ? std::make_unique<TaskOrder>(program, stage, tasks[stage]) : nullptr;
    std::ranges::move(changesOf(replacement, order.get(), memories),
                      std::back_inserter(observers.stages[stage].changes));
  }
  return success();
}

} // namespace tilerig::emulator
