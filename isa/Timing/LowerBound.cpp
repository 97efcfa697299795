#include "isa/Timing/LowerBound.h"

#include "isa/Instructions/Streams.h"
#include "isa/Timing/Dma.h"
#include "isa/Timing/Footprint.h"
#include "isa/Timing/Pod.h"
#include "isa/Timing/Traffic.h"

namespace tilerig {
namespace {

template <class... Streams>
Count usefulOf(const Streams &...streams) {
  return (Count(0) + ... + usefulBytes(streams));
}

// Lower bound of the cycles of an instruction of the POD (matrix engine). The operands of the epilogue share
// one data stream; each other operand has a stream of its own.
template <class... Ways>
uint64_t podBound(uint64_t macs, const Stream &a, const Epilogue &epilogue, const Stream &output,
                  const Machine &machine, const Ways &...operands) {
  const PodRate &rate = rateOf(a.type, machine.pod);
  Count peak = Count(rate.positions) * rate.outputs * rate.k;
  Count busiest =
      std::max({usefulOf(epilogue.accumulateFrom, epilogue.addend), usefulOf(output), usefulOf(operands)...});
  return std::max(ceilDiv(macs, peak), ceilDiv(busiest, machine.pod.streamBytesPerCycle)).get();
}

uint64_t endBound(const Stream &stream, const Machine &machine) {
  if (stream.space == Space::ddr)
    return ddrCycles(usefulBytes(stream).get(), machine.ddr);
  return ceilDiv(usefulBytes(stream), machine.network.tilePortBytesPerCycle).get();
}

uint64_t transferBound(const Stream &source, const Stream &destination, const Machine &machine) {
  return std::max(endBound(source, machine), endBound(destination, machine));
}

// Control instructions have the lower bound of 0 cycles, because they neither move nor compute anything.
template <ControlInstruction T>
uint64_t boundOf(const T &, const Machine &) {
  return 0;
}

template <TransferInstruction T>
uint64_t boundOf(const T &transfer, const Machine &machine) {
  return transferBound(transfer.source, transfer.destination, machine);
}
uint64_t boundOf(const Gather &gather, const Machine &machine) {
  return transferBound(gather.indices, gather.destination, machine);
}

uint64_t boundOf(const Matmul &matmul, const Machine &machine) {
  return podBound(macsOf(matmul), matmul.a, matmul.epilogue, matmul.output, machine, matmul.a, matmul.b);
}
uint64_t boundOf(const Conv &conv, const Machine &machine) {
  return podBound(macsOf(conv), conv.input, conv.epilogue, conv.output, machine, conv.weights);
}

// The PE (vector engine) reads all streams through one port and writes the output through another.
template <OneOf<PeInstructions> T>
uint64_t boundOf(const T &instruction, const Machine &machine) {
  Count read = 0;
  if constexpr (!readsSelectedPixels<T>)
    forEachStream(instruction, [&](std::string_view name, const Stream &stream) {
      if (!isResult(name))
        read += usefulBytes(stream);
    });
  return ceilDiv(std::max(read, usefulBytes(instruction.output)), machine.pe.bytesPerCycle).get();
}

} // namespace

uint64_t lowerBoundCycles(const Instruction &instruction, const Machine &machine) {
  return std::visit([&](const auto &typed) { return boundOf(typed, machine); }, instruction);
}

} // namespace tilerig
