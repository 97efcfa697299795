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

void ExpectedTensors::enterStage(const Program &program, uint32_t stage, const std::vector<Job> *jobs,
                                 Memories &memories) {
  comparisons.clear();
  std::optional<JobOrder> order;
  if (jobs)
    order.emplace(program, stage, *jobs);
  for (const Replacement &expected : tensors)
    if (expected.tensor->stage() == stage)
      for (Change &change : changesOf(expected, order ? &*order : nullptr, memories)) {
        const std::optional<uint32_t> after = change.after;
        comparisons.emplace(after, Comparison{&expected, std::move(change)});
      }
}

std::optional<Difference> ExpectedTensors::firstDifference(std::optional<uint32_t> job,
                                                           const Memories &memories) const {
  const auto [begin, end] = comparisons.equal_range(job);
  for (auto at = begin; at != end; ++at)
    if (auto difference = differenceOf(at->second, memories)) {
      difference->job = job;
      return difference;
    }
  return {};
}

std::optional<Difference> ExpectedTensors::differenceOf(const Comparison &comparison,
                                                        const Memories &memories) const {
  const proto::Tensor &tensor = *comparison.expected->tensor;
  const Tensor &stored = comparison.expected->stored;
  const unsigned size = storedBytes(tensor);
  std::optional<Difference> difference;
  comparison.change.copy.forEachRun(
      [&](const std::byte *computed, const std::byte *expected, uint64_t bytes) {
        if (std::memcmp(computed, expected, bytes) == 0)
          return true;
        for (uint64_t at = 0; at < bytes; at += size) {
          if (std::memcmp(computed + at, expected + at, size) == 0)
            continue;
          const double have = storedValue(tensor, computed + at), want = storedValue(tensor, expected + at);
          if (std::isnan(have) && std::isnan(want))
            continue;
          const MemoryId memory = comparison.change.memory;
          const auto address = computed + at - memories.writable(memory, {0, 1});
          const auto index = static_cast<uint64_t>(expected + at - stored.bytes().data()) / size;
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
