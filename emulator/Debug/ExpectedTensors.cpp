#include "emulator/Debug/ExpectedTensors.h"

#include "emulator/Beats/JobOrder.h"
#include "emulator/Debug/Condition.h"
#include "emulator/Memory/Stored.h"

#include <cmath>
#include <cstring>

namespace tilerig::emulator {

namespace {

std::vector<int64_t> positionOf(uint64_t index, const Shape &shape) {
  std::vector<int64_t> position(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    position[axis] = static_cast<int64_t>(index % static_cast<uint64_t>(shape[axis]));
    index /= static_cast<uint64_t>(shape[axis]);
  }
  return position;
}

template <class T>
double valueAt(const std::byte *at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

double storedValue(const proto::Tensor &tensor, const std::byte *at) {
  if (const std::optional<ElementType> type = storedTypeOf(tensor))
    return elementValue(at, *type);
  switch (modelDType(tensor)) { // only the host reads and writes such a tensor
  case DType::i64:
    return valueAt<int64_t>(at);
  case DType::i32:
    return valueAt<int32_t>(at);
  case DType::f64:
    return valueAt<double>(at);
  case DType::f32:
    return valueAt<float>(at);
  default:
    return valueAt<uint8_t>(at);
  }
}

// Whether the pieces of a tensor hold all of its elements.
bool isWhole(const proto::Tensor &tensor) {
  int64_t stored = 0, all = 1;
  for (const Box &box : disjointBoxes(tensor))
    stored += elementsOf(box);
  for (int64_t size : tensor.shape())
    all *= size;
  return stored == all;
}

// By layer: when the first instruction ended that worked for it.
std::map<uint32_t, uint64_t> firstEnds(const Program &program, uint32_t stage, const std::vector<Job> &jobs) {
  std::map<uint32_t, uint64_t> ends;
  const DeviceStage &code = std::get<DeviceStage>(program.stages[stage].work);
  for (const Job &job : jobs) {
    const uint32_t layer = layerOf(code.tiles[tileOfThread(job.thread)][job.instruction]);
    const auto [end, isNew] = ends.try_emplace(layer, job.end);
    end->second = std::min(end->second, job.end);
  }
  return ends;
}

} // namespace

Result<ExpectedTensors> ExpectedTensors::of(const Program &program, const TensorMap &expected) {
  ExpectedTensors result;
  for (const NamedTensor &named : expected) {
    const auto &all = program.metadata.tensors();
    const auto tensor = std::ranges::find(all, named.name, &proto::Tensor::name);
    if (tensor == all.end() || tensor->role() == proto::INPUT || tensor->pieces().empty())
      continue;
    TILERIG_TRY(Replacement replacement, replacementOf(program, named));
    result.tensors.push_back(std::move(replacement));
  }
  return result;
}

std::vector<std::string> ExpectedTensors::namesOfWholeTensors() const {
  std::vector<std::string> names;
  for (const Replacement &expected : tensors)
    if (isWhole(*expected.tensor))
      names.push_back(expected.tensor->name());
  return names;
}

ExpectedTensors ExpectedTensors::thatDiffer(const TensorMap &computed) const {
  ExpectedTensors result;
  for (const Replacement &expected : tensors) {
    const Tensor *tensor = computed.find(expected.tensor->name());
    if (tensor && !std::ranges::equal(tensor->bytes(), expected.stored.bytes()))
      result.tensors.push_back(expected);
  }
  return result;
}

bool ExpectedTensors::has(uint32_t stage) const {
  return std::ranges::any_of(tensors,
                             [&](const Replacement &expected) { return expected.tensor->stage() == stage; });
}

std::optional<Difference> ExpectedTensors::earliest(const Program &program, uint32_t stage,
                                                    const std::vector<Job> *jobs, const TensorMap &computed,
                                                    Memories &memories) const {
  const std::map<uint32_t, uint64_t> ends =
      jobs ? firstEnds(program, stage, *jobs) : std::map<uint32_t, uint64_t>();
  const auto firstEndOf = [&](const Replacement &expected) {
    const auto end = ends.find(expected.tensor->layer());
    return end == ends.end() ? 0 : end->second;
  };
  std::vector<const Replacement *> byTime;
  for (const Replacement &expected : tensors)
    if (expected.tensor->stage() == stage)
      byTime.push_back(&expected);
  std::ranges::stable_sort(byTime, {}, [&](const Replacement *expected) { return firstEndOf(*expected); });
  std::optional<Difference> first;
  uint64_t firstTime = UINT64_MAX;
  for (const Replacement *expected : byTime) {
    if (first && firstEndOf(*expected) > firstTime)
      break;
    const Tensor *tensor = computed.find(expected->tensor->name());
    for (const auto &[job, comparison] : comparisonsOf(program, {expected}, jobs, memories)) {
      const uint64_t time = job ? (*jobs)[*job].end : 0;
      // Of tensors that share the element, the one of the layer that wrote it is named.
      if (first &&
          (time > firstTime || (time == firstTime && expected->tensor->layer() >= first->tensor->layer())))
        continue;
      if (auto difference = differenceOf(comparison, memories, tensor)) {
        first = std::move(difference);
        first->job = job;
        firstTime = time;
      }
    }
  }
  return first;
}

void ExpectedTensors::enterStage(const Program &program, uint32_t stage, const std::vector<Job> *jobs,
                                 Memories &memories) {
  std::vector<const Replacement *> ofStage;
  for (const Replacement &expected : tensors)
    if (expected.tensor->stage() == stage)
      ofStage.push_back(&expected);
  comparisons = comparisonsOf(program, ofStage, jobs, memories);
}

ExpectedTensors::Comparisons ExpectedTensors::comparisonsOf(const Program &program,
                                                            const std::vector<const Replacement *> &ofStage,
                                                            const std::vector<Job> *jobs,
                                                            Memories &memories) {
  Comparisons result;
  for (const Replacement *expected : ofStage) {
    std::optional<JobOrder> order;
    if (jobs)
      order.emplace(program, expected->tensor->stage(), *jobs);
    for (Change &change : changesOf(*expected, order ? &*order : nullptr, memories)) {
      const std::optional<uint32_t> after = change.after;
      result.emplace(after, Comparison{expected, std::move(change)});
    }
  }
  return result;
}

std::optional<Difference> ExpectedTensors::firstDifference(std::optional<uint32_t> job,
                                                           const Memories &memories) const {
  const auto [begin, end] = comparisons.equal_range(job);
  std::optional<Difference> first;
  for (auto at = begin; at != end; ++at) {
    const proto::Tensor &tensor = *at->second.expected->tensor;
    if (first && tensor.layer() >= first->tensor->layer())
      continue; // of tensors that share elements, the one of the layer that wrote them is named
    if (auto difference = differenceOf(at->second, memories, nullptr)) {
      difference->job = job;
      first = std::move(difference);
    }
  }
  return first;
}

std::optional<Difference> ExpectedTensors::differenceOf(const Comparison &comparison,
                                                        const Memories &memories,
                                                        const Tensor *computedTensor) {
  const proto::Tensor &tensor = *comparison.expected->tensor;
  const Tensor &stored = comparison.expected->stored;
  const unsigned size = storedBytes(tensor);
  std::optional<Difference> difference;
  comparison.change.copy.forEachRun(
      [&](const std::byte *inMemory, const std::byte *expected, uint64_t bytes) {
        const auto offset = expected - stored.bytes().data();
        const std::byte *computed = computedTensor ? computedTensor->bytes().data() + offset : inMemory;
        if (std::memcmp(computed, expected, bytes) == 0)
          return true;
        for (uint64_t at = 0; at < bytes; at += size) {
          if (std::memcmp(computed + at, expected + at, size) == 0)
            continue;
          const double have = storedValue(tensor, computed + at), want = storedValue(tensor, expected + at);
          if (std::isnan(have) && std::isnan(want))
            continue;
          const MemoryId memory = comparison.change.memory;
          const auto address = inMemory + at - memories.writable(memory, {0, 1});
          const auto index = (static_cast<uint64_t>(offset) + at) / size;
          difference = Difference{&tensor,
                                  positionOf(index, stored.shape()),
                                  Location{memory, static_cast<uint64_t>(address)},
                                  have,
                                  want,
                                  {}};
          return false;
        }
        return true;
      });
  return difference;
}

} // namespace tilerig::emulator
