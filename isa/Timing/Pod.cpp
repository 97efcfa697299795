#include "isa/Timing/Pod.h"

#include "isa/Timing/Footprint.h"
#include "isa/Timing/Special.h"

namespace tilerig {
namespace {

constexpr uint64_t accumulatorBytes = 4;

// A sequence of matrix products of equal size, as the POD (matrix engine) processes them.
struct Work {
  Count products = 1;               // number of matrix products, executed one after another
  Count positions = 1, outputs = 1; // numbers of positions and outputs of each matrix product
  // Number of cycles in which the array goes through all values of the summation index k once.
  Count kSteps = 1;
  // Bytes of each operand in all matrix products, counting each element once.
  Count aBytes = 0, bBytes = 0;
  uint64_t elementBytes = 1; // element size in bytes, equal for both operands
};

// The cost of a mapping (LAMM, SAMM1 or SAMM2) of a matrix product to the POD (matrix engine): cycles of the
// array, and bytes of the operands with every re-read counted.
struct Plan {
  Count arrayCycles = 0;
  Count aBytes = 0, bBytes = 0;
  Count panels = 1, firstPanelBytes = 0;
  bool aStays = false;
};

struct Pod {
  const PodFigures &figures;
  const PodRate &rate;

  Count halfRegisters() const { return figures.operandRegisterBytes / 2; }
  Count accumulators() const { return figures.accumulatorBytes / accumulatorBytes; }
};

Count arrayCycles(const Work &work, const Pod &pod) {
  return work.products * ceilDiv(work.positions, pod.rate.positions) *
         ceilDiv(work.outputs, pod.rate.outputs) * work.kSteps;
}

Plan planLamm(const Work &work, const Pod &pod) {
  Count k = work.kSteps * pod.rate.k;
  Count panelK = roundDown(pod.halfRegisters().get() / (pod.rate.outputs * work.elementBytes), pod.rate.k);
  Count kPanels = ceilDiv(k, panelK), outputGroups = ceilDiv(work.outputs, pod.rate.outputs);
  Count heldPositions = roundDown(pod.accumulators().get() / pod.rate.outputs, pod.rate.positions);
  Count blocks = kPanels > 1 ? ceilDiv(work.positions, heldPositions) : 1;
  Count panelOutputs = std::min(work.outputs, Count(pod.rate.outputs));
  return {.arrayCycles = arrayCycles(work, pod),
          .aBytes = outputGroups * work.aBytes,
          .bBytes = blocks * work.bBytes,
          .panels = work.products * outputGroups * blocks * kPanels,
          .firstPanelBytes = panelOutputs * std::min(k, panelK) * work.elementBytes,
          .aStays = false};
}

Plan planSamm1(const Work &work, const Pod &pod) {
  Count positionBytes = work.kSteps * pod.rate.k * work.elementBytes;
  Count outputGroups = ceilDiv(work.outputs, pod.rate.outputs);
  Count held = pod.halfRegisters().get() / positionBytes.get();
  Plan plan = {.arrayCycles = arrayCycles(work, pod),
               .aBytes = work.aBytes,
               .firstPanelBytes = std::min(pod.halfRegisters(), work.positions * positionBytes),
               .aStays = true};
  if (held >= pod.rate.positions)
    held = roundDown(held, pod.rate.positions);
  Count groups = ceilDiv(work.positions, std::max(held, Count(1)));
  if (held < pod.rate.positions) // the other lanes of the POD's array stay idle
    plan.arrayCycles = work.products * groups * outputGroups * work.kSteps;
  plan.bBytes = groups * work.bBytes;
  plan.panels = work.products * groups;
  if (held == 0) {
    plan.aBytes *= outputGroups;
    plan.panels *= outputGroups * ceilDiv(positionBytes, pod.halfRegisters());
  }
  return plan;
}

Plan planSamm2(const Work &work, const Pod &pod) {
  // Bytes of operand a for one output position that the array processes in one cycle.
  Count step = pod.rate.k * work.elementBytes;
  Count k = work.kSteps * pod.rate.k;
  Count most = std::min(pod.accumulators().get() / pod.rate.outputs, pod.halfRegisters().get() / step.get());
  Count block = std::min(work.positions, roundDown(most, pod.rate.positions));
  Count heldOutputs = roundDown(pod.accumulators().get() / block.get(), pod.rate.outputs);
  Count panelK = pod.halfRegisters().get() / (block * step).get() * pod.rate.k;
  Count blocks = ceilDiv(work.positions, block), outputBlocks = ceilDiv(work.outputs, heldOutputs);
  return {.arrayCycles = arrayCycles(work, pod),
          .aBytes = outputBlocks * work.aBytes,
          .bBytes = blocks * work.bBytes,
          .panels = work.products * blocks * outputBlocks * ceilDiv(k, panelK),
          .firstPanelBytes = std::min(pod.halfRegisters(), work.positions * k * work.elementBytes),
          .aStays = true};
}

Plan planOf(Mapping mapping, const Work &work, const Pod &pod) {
  switch (mapping) {
  case Mapping::lamm:
    return planLamm(work, pod);
  case Mapping::samm1:
    return planSamm1(work, pod);
  case Mapping::samm2:
    return planSamm2(work, pod);
  }
  return planLamm(work, pod);
}

Count vectorBytes(const Vector &vector, Count elements, uint64_t elementBytes) {
  return vector.present ? (vector.broadcast ? 1 : elements) * elementBytes : 0;
}

Count epilogueBytes(const Epilogue &epilogue, const Stream &output, const Tile &tile) {
  Count outputs = output.dims[4].size;
  return ocmBytesOfBlocks(epilogue.accumulateFrom, tile) + ocmBytesOfBlocks(epilogue.addend, tile) +
         vectorBytes(epilogue.bias, outputs, 4) + vectorBytes(epilogue.scale, outputs, 4) +
         vectorBytes(epilogue.table, 256, sizeBytes(output.type));
}

// The time in which an instruction of the POD (matrix engine) reads the operands of its epilogue and writes
// its result; withOperands() adds the time of the operands a and b.
PodTime timeOfEnds(const Epilogue &epilogue, const Stream &output, const Machine &machine) {
  const PodFigures &pod = machine.pod;
  Count readBytes = epilogueBytes(epilogue, output, machine.tile);
  Count resultBytes = ocmBytesOfBlocks(output, machine.tile);
  bool special = epilogue.table.present || isSpecial(epilogue.finish.function);
  Count specialCycles = special ? ceilDiv(elementsOf(output), pod.specialResultsPerCycle) : 0;
  Count resultCycles = std::max(ceilDiv(resultBytes, pod.streamBytesPerCycle), specialCycles);
  return {.epilogueCycles = ceilDiv(readBytes, pod.streamBytesPerCycle).get(),
          .resultCycles = resultCycles.get(),
          .epilogueBytes = readBytes.get(),
          .resultBytes = resultBytes.get()};
}

PodTime withOperands(PodTime time, const Plan &plan, const PodFigures &pod) {
  auto stream = [&](Count bytes) { return ceilDiv(bytes, pod.streamBytesPerCycle); };
  Count switches = Count(plan.panels.get() - 1) * pod.fillCycles;
  time.startCycles = (stream(plan.firstPanelBytes) + pod.fillCycles).get();
  time.arrayCycles = plan.arrayCycles.get();
  time.aCycles = (stream(plan.aBytes) + (plan.aStays ? switches : 0)).get();
  time.bCycles = (stream(plan.bBytes) + (plan.aStays ? 0 : switches)).get();
  time.aBytes = plan.aBytes.get();
  time.bBytes = plan.bBytes.get();
  return time;
}

// The size of a dimension, but at least 1: illegal instructions, which may have sizes of 0, are timed as if
// the size were 1.
Count sizeOf(const Dimension &dim) { return std::max(dim.size, 1u); }

// The matrix products of a matmul instruction. If operand b has stride 0 in an outer dimension, all products
// along that dimension share b. They are then treated as one product with more positions.
Work workOf(const Matmul &matmul, const PodRate &rate, const Tile &tile) {
  Work work = {.products = 1,
               .positions = sizeOf(matmul.a.dims[3]),
               .outputs = sizeOf(matmul.b.dims[3]),
               .kSteps = ceilDiv(sizeOf(matmul.a.dims[4]), rate.k),
               .elementBytes = sizeBytes(matmul.a.type)};
  Stream b = matmul.b;
  for (unsigned d = 0; d < 3; ++d) {
    bool shared = b.dims[d].stride == 0;
    (shared ? work.positions : work.products) *= sizeOf(matmul.a.dims[d]);
    if (shared)
      b.dims[d].size = 1;
  }
  work.aBytes = ocmBytesOfBlocks(matmul.a, tile);
  work.bBytes = ocmBytesOfBlocks(b, tile);
  return work;
}

// The matrix products of a convolution. `together` of its groups are computed side by side in the output
// lanes.
Work workOf(const Conv &conv, Count together, const PodRate &rate, const Tile &tile) {
  Count groups = std::max(conv.groups, 1u);
  Count outputsOfGroup = ceilDiv(sizeOf(conv.weights.dims[1]), groups);
  Count channels = together * sizeOf(conv.weights.dims[4]);
  Count taps = sizeOf(conv.weights.dims[2]) * sizeOf(conv.weights.dims[3]);
  Count products = ceilDiv(groups, together);
  WindowReads reads = {.rows = sizeOf(conv.output.dims[1]) * sizeOf(conv.output.dims[2]),
                       .columns = sizeOf(conv.output.dims[3]),
                       .kernelH = conv.weights.dims[2].size,
                       .kernelW = conv.weights.dims[3].size,
                       .channels = channels};
  return {.products = products,
          .positions = reads.rows * reads.columns,
          .outputs = together * outputsOfGroup,
          .kSteps = taps * ceilDiv(channels, rate.k),
          .aBytes = products * ocmBytesOfWindows(conv.input, conv.window, reads, tile),
          .bBytes = ocmBytes(conv.weights, tile),
          .elementBytes = sizeBytes(conv.input.type)};
}

} // namespace

uint64_t PodTime::cycles() const {
  return (Count(startCycles) + std::max({arrayCycles, aCycles, bCycles, epilogueCycles, resultCycles})).get();
}

uint64_t PodTime::bytesRead() const { return (Count(aBytes) + bBytes + epilogueBytes).get(); }

const PodRate &rateOf(ElementType type, const PodFigures &pod) {
  if (type == ElementType::i8 || type == ElementType::u8)
    return pod.int8;
  return sizeBytes(type) == 2 ? pod.half : pod.single;
}

static PodTime costOf(const Matmul &matmul, const Machine &machine) {
  Pod pod = {machine.pod, rateOf(matmul.a.type, machine.pod)};
  Plan plan = planOf(matmul.mapping, workOf(matmul, pod.rate, machine.tile), pod);
  return withOperands(timeOfEnds(matmul.epilogue, matmul.output, machine), plan, machine.pod);
}

static PodTime costOf(const Conv &conv, const Machine &machine) {
  Pod pod = {machine.pod, rateOf(conv.input.type, machine.pod)};
  PodTime ends = timeOfEnds(conv.epilogue, conv.output, machine), best;
  uint64_t groups = std::max(conv.groups, 1u);
  uint64_t outputsOfGroup = ceilDiv(sizeOf(conv.weights.dims[1]), groups).get();
  uint64_t most = std::clamp<uint64_t>(pod.rate.outputs / outputsOfGroup, 1, groups);
  for (uint64_t together = 1; together <= most; ++together) {
    Plan plan = planLamm(workOf(conv, together, pod.rate, machine.tile), pod);
    PodTime time = withOperands(ends, plan, machine.pod);
    if (together == 1 || time.cycles() < best.cycles())
      best = time;
  }
  return best;
}

PodTime timeOf(PodInstructions::Reference instruction, const Machine &machine) {
  return std::visit([&](const auto *typed) { return costOf(*typed, machine); }, instruction);
}

} // namespace tilerig
