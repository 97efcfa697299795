#include "compiler/Tile/Plan/OcmEstimate.h"

namespace tilerig::compiler {

// Bytes that the tensor takes in the OCM (on-chip memory) of the tile that has most of it. A tile has the
// bounding box of the part that it computes and of the parts that its operations read.
uint64_t OcmEstimate::bytesKept(TensorIndex tensor) const {
  const SplitCandidate *producer = problem.producers[tensor] ? chosen[*problem.producers[tensor]] : nullptr;
  if (!producer)
    return 0;
  const DeviceTensor &deviceTensor = problem.network.tensors[tensor];
  uint64_t most = 0;
  for (unsigned tile = 0; tile < problem.tiles; ++tile) {
    Box kept = producer->boxes[tile];
    for (const SplitProblem::Use &use : problem.uses[tensor])
      if (const SplitCandidate *reader = chosen[use.step]; reader && !reader->workedBox(tile).empty())
        kept = hull(kept, reader->needed(problem.opAt(use.step)->operands[use.operand], deviceTensor, tile));
    most = std::max(most, kept.elements());
  }
  return most * sizeBytes(deviceTensor.type);
}

template <class BytesOfTensor>
uint64_t OcmEstimate::bytesOfStep(size_t step, BytesOfTensor bytesOf) const {
  const DeviceOp &deviceOp = *problem.opAt(step);
  uint64_t bytes = bytesOf(deviceOp.result) + (problem.pinned[step] ? 0 : chosen[step]->constantBytes);
  for (const Operand &operand : deviceOp.operands)
    bytes += bytesOf(operand.tensor);
  return bytes;
}

uint64_t OcmEstimate::bytesOfStep(size_t step) const {
  return bytesOfStep(step, [&](TensorIndex tensor) { return bytesKept(tensor); });
}

uint64_t OcmEstimate::bytesWaiting(size_t step) const {
  uint64_t bytes = 0;
  for (size_t tensor = 0; tensor < problem.producers.size(); ++tensor) {
    const std::vector<SplitProblem::Use> &uses = problem.uses[tensor];
    if (problem.producers[tensor] && *problem.producers[tensor] < step && !uses.empty() &&
        uses.back().step > step && std::ranges::find(uses, step, &SplitProblem::Use::step) == uses.end())
      bytes += bytesKept(static_cast<TensorIndex>(tensor));
  }
  return bytes;
}

uint64_t OcmEstimate::pinnedBytes() const {
  uint64_t bytes = 0;
  for (size_t step = 0; step < chosen.size(); ++step)
    if (chosen[step] && problem.pinned[step])
      bytes += chosen[step]->constantBytes;
  return bytes;
}

// Visits each tensor once: adds its bytes to the bytes in use after the step that computes it, and subtracts
// them after the last step that reads it. At steps that read the tensor its bytes are not added, because the
// step counts its operands itself.
std::vector<uint64_t> OcmEstimate::bytesInUse() const {
  std::vector<uint64_t> kept(problem.network.tensors.size());
  // For each step, by how much the bytes of waiting tensors change: those that have been computed and are
  // read by later steps only.
  std::vector<uint64_t> waiting(problem.network.steps.size() + 1);
  const auto waits = [&](size_t begin, size_t end, uint64_t bytes) {
    waiting[begin] += bytes;
    waiting[end] -= bytes;
  };
  for (size_t tensor = 0; tensor < kept.size(); ++tensor) {
    if (!problem.producers[tensor])
      continue;
    kept[tensor] = bytesKept(static_cast<TensorIndex>(tensor));
    size_t from = *problem.producers[tensor] + 1;
    for (const SplitProblem::Use &use : problem.uses[tensor]) { // the uses of a tensor are sorted by step
      waits(std::min(from, use.step), use.step, kept[tensor]);
      from = use.step + 1;
    }
  }
  std::vector<uint64_t> bytes(chosen.size());
  uint64_t now = 0;
  for (size_t step = 0; step < chosen.size(); ++step) {
    now += waiting[step];
    if (chosen[step])
      bytes[step] = now + bytesOfStep(step, [&](TensorIndex tensor) { return kept[tensor]; });
  }
  return bytes;
}

} // namespace tilerig::compiler
