// Lets operations that repeat with the same constants, such as the steps of an unrolled recurrent layer, use one
// buffer, which is loaded once and stays in the OCM between them. Operations that happen to have equal constants,
// such as biases of zeros, keep buffers of their own: their few bytes are not worth the space.
#include "compiler/Tile/Plan/Planner.h"

#include <map>

namespace tilerig::compiler {

namespace {

// A buffer that holds constants, and what each tile has in it.
struct Holder {
  const std::vector<Box> *boxes;
  size_t buffer;
};
using Holders = std::map<std::string, std::vector<Holder>>; // by what the constants are

std::string keyOf(const void *identity) {
  return {reinterpret_cast<const char *>(&identity), sizeof identity};
}

std::string keyOf(const DeviceOp &deviceOp) {
  std::string key;
  for (const OpVector *vector : {&deviceOp.bias, &deviceOp.scale, &deviceOp.table}) {
    key += std::to_string(vector->bytes.size()) + (vector->perOutput ? " for each output " : " for all ");
    key.append(reinterpret_cast<const char *>(vector->bytes.data()), vector->bytes.size());
  }
  return key;
}

} // namespace

void Planner::forEachStaging(OpPlan &plan, const DeviceOp &deviceOp, const OnStaging &visit) {
  // Operations that load their constants in several steps, or in chains of tiles, keep buffers of their own.
  for (size_t i = 0; i < plan.stages.size(); ++i)
    if (const DeviceTensor &tensor = network.tensors[deviceOp.operands[i].tensor];
        tensor.constant() && plan.stages[i].size() == 1 && plan.chainDepths.empty() && !plan.product)
      visit(plan.stages[i].front(), keyOf(tensor.bytes.get()));
  if (plan.vectorStages.size() == 1)
    visit(plan.vectorStages.front(), keyOf(deviceOp));
}

// Extends live ranges of buffers with constants up to later operations that read the same constants, as long as
// the live bytes stay within `limitBytes`. The later operations then need no buffer of their own: its size becomes
// 0, and `heldIn` has the buffer to use instead.
void Planner::shareConstants(uint64_t limitBytes) {
  std::vector<Buffer> &buffers = result.memory.buffers;
  heldIn.assign(buffers.size(), std::nullopt);
  std::vector<uint64_t> alive = bytesByTimeStep();
  Holders holders;
  const auto share = [&](const Staging &staging, const std::string &key) {
    Buffer &own = buffers[staging.buffer];
    for (const Holder &holder : holders[key]) {
      Buffer &held = buffers[holder.buffer];
      const uint64_t bytes = alignedInMemory(held.size);
      if (*holder.boxes != staging.boxes || held.size != own.size)
        continue;
      const auto isFull = [&](uint32_t timeStep) {
        const bool hadOwn = own.from <= timeStep && timeStep <= own.to;
        return alive[timeStep] + (hadOwn ? 0 : bytes) > limitBytes;
      };
      bool fits = true;
      for (uint32_t timeStep = held.to + 1; timeStep <= own.to && fits; ++timeStep)
        fits = !isFull(timeStep);
      if (!fits)
        continue;
      for (uint32_t timeStep = own.from; timeStep <= own.to && timeStep < alive.size(); ++timeStep)
        alive[timeStep] -= bytes;
      for (uint32_t timeStep = held.to + 1; timeStep <= own.to; ++timeStep)
        alive[timeStep] += bytes;
      held.to = std::max(held.to, own.to);
      own.size = 0;
      heldIn[staging.buffer] = holder.buffer;
      return;
    }
    holders[key].push_back({&staging.boxes, staging.buffer});
  };
  for (size_t i = 0; i < network.steps.size(); ++i)
    if (const DeviceOp *deviceOp = opOf(i); deviceOp && repeated[i] && !result.blockOf(i))
      forEachStaging(result.deviceOps[i], *deviceOp, share);
}

// Lets operations use the buffers that shareConstants() has found for them, and removes those that they no longer
// need.
void Planner::useSharedBuffers() {
  std::vector<size_t> numbers; // for each buffer, its number after the removal
  std::vector<Buffer> kept;
  std::vector<uint64_t> addresses;
  for (size_t i = 0; i < heldIn.size(); ++i) {
    numbers.push_back(heldIn[i] ? numbers[*heldIn[i]] : kept.size());
    if (heldIn[i])
      continue;
    kept.push_back(result.memory.buffers[i]);
    addresses.push_back(result.addresses[i]);
  }
  for (size_t i = 0; i < network.steps.size(); ++i)
    if (const DeviceOp *deviceOp = opOf(i)) {
      OpPlan &plan = result.deviceOps[i];
      forEachStaging(plan, *deviceOp, [&](Staging &staging, const std::string &) {
        staging.isHeld = heldIn[staging.buffer].has_value();
      });
      forEachBufferOf(plan, [&](size_t &buffer) { buffer = numbers[buffer]; });
    }
  for (TensorPlace &place : result.places)
    if (place.inOcm)
      place.buffer = numbers[place.buffer];
  result.memory.buffers = std::move(kept);
  result.addresses = std::move(addresses);
}

} // namespace tilerig::compiler
