#include "compiler/Inject/Program/PlanBugs.h"

namespace tilerig::compiler {

namespace {

constexpr uint64_t rowBytes = 64; // size of a row of the OCM (on-chip memory) in bytes

bool areAlive(const Buffer &a, const Buffer &b) { return a.from <= b.to && b.from <= a.to; }
bool isFree(const Buffer &buffer) { return !buffer.at && !buffer.partOf; }

// Index of the OCM buffer of the layer's result; an error if the result has no OCM buffer of its own.
Result<size_t> resultBufferOf(const LayerPlan &layer) {
  for (size_t i = layer.network.steps.size(); i-- > 0;) {
    const DeviceOp *deviceOp = std::get_if<DeviceOp>(&layer.network.steps[i]);
    if (!deviceOp || deviceOp->layer != layer.layer)
      continue;
    const TensorPlace &place = layer.plan.places[deviceOp->result];
    if (place.inOcm && isFree(layer.plan.memory.buffers[place.buffer]))
      return place.buffer;
    break;
  }
  return hasNot("the result of the layer has no buffer of its own in the OCM");
}

// Indices of the buffers that are written while the layer's result is still needed.
std::vector<size_t> writtenLater(const LayerPlan &layer, size_t result) {
  const std::vector<Buffer> &buffers = layer.plan.memory.buffers;
  std::vector<size_t> others;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (i != result && isFree(buffers[i]) && areAlive(buffers[i], buffers[result]) &&
        buffers[i].from >= buffers[result].from && buffers[i].size >= rowBytes)
      others.push_back(i);
  return others;
}

// Moves another buffer so that its first bytes overlap the end of the layer's result, by some OCM rows of 64
// bytes.
Status overlapBuffers(const LayerPlan &layer, BugDraw &draw) {
  TILERIG_TRY(const size_t result, resultBufferOf(layer));
  const std::vector<Buffer> &buffers = layer.plan.memory.buffers;
  const std::vector<size_t> others = writtenLater(layer, result);
  if (others.empty())
    return hasNot("no other buffer is written while the result of the layer is live");
  TILERIG_TRY(const size_t index, draw.index("other", others.size()));
  const size_t other = others[index];
  const auto rows = static_cast<int64_t>(std::min(buffers[result].size, buffers[other].size) / rowBytes);
  TILERIG_TRY(const int64_t shared, draw.number("rows", 1, rows));
  const uint64_t end = layer.plan.addresses[result] + buffers[result].size,
                 begin = (end - static_cast<uint64_t>(shared) * rowBytes) / rowBytes * rowBytes,
                 last = layer.plan.memory.base + layer.plan.memory.capacity;
  if (begin + buffers[other].size > last)
    return hasNot("the moved buffer would reach beyond the end of the OCM");
  layer.plan.addresses[other] = begin;
  return success();
}

constexpr PlanBug bugsOfPlans[] = {{"buffers-overlap", overlapBuffers}};

} // namespace

std::span<const PlanBug> planBugs() { return bugsOfPlans; }

} // namespace tilerig::compiler
