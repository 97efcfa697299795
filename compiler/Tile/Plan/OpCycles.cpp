#include "compiler/Tile/Plan/OpCycles.h"

#include "compiler/Tile/Ops/Instructions.h"
#include "isa/Timing/Latency.h"

namespace tilerig::compiler {

namespace {

// Cycles of overlapped im2col, a pipeline of PE (vector engine) and POD (matrix engine) with two buffers for
// windows. The PE fills one buffer while the POD multiplies the contents of the other.
uint64_t overlappedCycles(const std::vector<Instruction> &instructions, const Machine &machine) {
  uint64_t laidOut = 0, multiplied = 0, before = 0; // end times
  for (const Instruction &instruction : instructions) {
    const uint64_t cycles = latencyCycles(instruction, machine, 0);
    if (std::holds_alternative<Flatten>(instruction))
      laidOut = std::max(laidOut, before) + cycles;
    else
      before = std::exchange(multiplied, std::max(multiplied, laidOut) + cycles);
  }
  return multiplied;
}

} // namespace

uint64_t computeCycles(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors,
                       const TensorViews &views, const Box &share, const EngineMapping &engineMapping,
                       const Machine &machine) {
  if (deviceOp.kind != DeviceOpKind::concat && isInPlaceInPart(deviceOp, views))
    return 0;
  const auto dense = [&](TensorIndex tensor, const Box &box) {
    return View{.box = box, .type = tensors[tensor].type};
  };
  StepPlaces places{.result = share, .to = dense(deviceOp.result, share), .engineMapping = engineMapping};
  for (size_t i = 0; i < deviceOp.operands.size(); ++i) {
    const Operand &operand = deviceOp.operands[i];
    places.from.push_back(dense(operand.tensor, neededBox(operand, tensors[operand.tensor], share)));
    places.isInPlace.push_back(isInPlace(deviceOp, i, views));
  }
  const std::vector<Instruction> instructions = instructionsOf(deviceOp, tensors, places);
  if (engineMapping.flattening == Flattening::overlapped)
    return overlappedCycles(instructions, machine);
  uint64_t cycles = 0;
  for (const Instruction &instruction : instructions)
    cycles += latencyCycles(instruction, machine, 0);
  return cycles;
}

} // namespace tilerig::compiler
