#include "compiler/Tile/Plan/ArrivalCycles.h"

namespace tilerig::compiler {

ArrivalCycles::ArrivalCycles(const SplitProblem &problem, const ChosenSplits &chosen)
    : problem(problem), chosen(chosen), movement(problem.machine, problem.tiles),
      wideArrivals(problem.network.steps.size()) {}

void ArrivalCycles::producerChanged(TensorIndex tensor) {
  for (const SplitProblem::Use &use : problem.uses[tensor])
    if (isWide(*problem.opAt(use.step)))
      wideArrivals[use.step].changed.push_back(use.operand);
}

uint64_t ArrivalCycles::of(size_t step, const SplitCandidate &candidate) {
  const DeviceOp &deviceOp = *problem.opAt(step);
  return isWide(deviceOp) ? ofWideStep(step, candidate) : memoised(deviceOp, candidate);
}

uint64_t ArrivalCycles::memoised(const DeviceOp &deviceOp, const SplitCandidate &candidate) {
  key.assign(1, &candidate);
  for (const Operand &operand : deviceOp.operands)
    key.push_back(producerOf(operand.tensor));
  if (const auto entry = known.find(key); entry != known.end())
    return entry->second;
  ArrivalTraffic sum(problem.tiles);
  for (const Operand &operand : deviceOp.operands)
    sum += trafficOf(operand, candidate);
  return known.emplace(key, cyclesOf(sum)).first->second;
}

uint64_t ArrivalCycles::ofWideStep(size_t step, const SplitCandidate &candidate) {
  const DeviceOp &deviceOp = *problem.opAt(step);
  WideArrival &wide = wideArrivals[step];
  if (std::exchange(wide.candidate, &candidate) != &candidate) {
    wide.operands.clear();
    wide.sum = ArrivalTraffic(problem.tiles);
    for (const Operand &operand : deviceOp.operands) {
      wide.operands.push_back(trafficOf(operand, candidate));
      wide.sum += wide.operands.back();
    }
  } else {
    for (const size_t changed : wide.changed)
      if (ArrivalTraffic &operand = wide.operands[changed];
          operand.producer != producerOf(deviceOp.operands[changed].tensor)) {
        wide.sum -= operand;
        operand = trafficOf(deviceOp.operands[changed], candidate);
        wide.sum += operand;
      }
  }
  wide.changed.clear();
  return cyclesOf(wide.sum);
}

uint64_t ArrivalCycles::cyclesOf(const ArrivalTraffic &traffic) const {
  uint64_t most = 0;
  for (const ArrivalTraffic::OfTile &tile : traffic.byTile)
    most = std::max(most, movement.arrivalCycles(tile.bytes, tile.partners));
  return std::max(most, movement.ddrCycles(traffic.ddrBytes));
}

ArrivalTraffic ArrivalCycles::trafficOf(const Operand &operand, const SplitCandidate &candidate) const {
  const DeviceTensor &tensor = problem.network.tensors[operand.tensor];
  ArrivalTraffic traffic(problem.tiles);
  traffic.producer = producerOf(operand.tensor);
  for (unsigned tile = 0; tile < problem.tiles; ++tile)
    if (!candidate.workedBox(tile).empty())
      traffic.byTile[tile] =
          trafficAt(tile, candidate.needed(operand, tensor, tile), tensor, traffic.producer);
  if (!traffic.producer && !tensor.constant())
    traffic.ddrBytes = bytesOfDdr(operand, candidate);
  return traffic;
}

ArrivalTraffic::OfTile ArrivalCycles::trafficAt(unsigned tile, const Box &needed, const DeviceTensor &tensor,
                                                const SplitCandidate *producer) const {
  if (needed.empty())
    return {};
  const uint64_t all = bytesInRuns(tensor, needed, problem.machine.tile.ocmAccessBytes);
  if (!producer)
    return {all, 0};
  const uint64_t wanted = needed.elements(), here = intersection(needed, producer->boxes[tile]).elements();
  return {all * (wanted - here) / wanted, here < wanted ? producer->partsIn(needed) - (here > 0) : 0};
}

// Bytes that DDR serves for an operand that is not a constant. Each tile loads the box that it needs. If
// several tiles need the same box, a multicast loads it once.
uint64_t ArrivalCycles::bytesOfDdr(const Operand &operand, const SplitCandidate &candidate) const {
  const DeviceTensor &tensor = problem.network.tensors[operand.tensor];
  std::vector<Box> parts;
  uint64_t bytes = 0;
  for (unsigned tile = 0; tile < problem.tiles; ++tile)
    if (!candidate.workedBox(tile).empty())
      if (Box part = candidate.needed(operand, tensor, tile); std::ranges::find(parts, part) == parts.end()) {
        bytes += bytesInRuns(tensor, part, problem.machine.ddr.granuleBytes);
        parts.push_back(std::move(part));
      }
  return bytes;
}

} // namespace tilerig::compiler
