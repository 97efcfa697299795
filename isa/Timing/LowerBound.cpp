#include "isa/Timing/LowerBound.h"

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

// Lower bound of a POD instruction's cycles. Each operand is streamed on its own; all operands of the
// epilogue share one stream.
template <class... Ways>
uint64_t podBound(uint64_t macs, const Stream &a, const Epilogue &epilogue, const Stream &output,
                  const Machine &machine, const Ways &...operands) {
  const PodRate &rate = rateOf(a.type, machine.pod);
  Count peak = Count(rate.positions) * rate.outputs * rate.k;
  Count busiest =
      std::max({usefulOf(epilogue.accumulateFrom, epilogue.addend), usefulOf(output), usefulOf(operands)...});
  return std::max(ceilDiv(macs, peak), ceilDiv(busiest, machine.pod.streamBytesPerCycle)).get();
}

uint64_t peBound(Count read, const Stream &output, const Machine &machine) {
  return ceilDiv(std::max(read, usefulOf(output)), machine.pe.bytesPerCycle).get();
}

uint64_t endBound(const Stream &stream, const Machine &machine) {
  if (stream.space == Space::ddr)
    return ddrCycles(usefulBytes(stream).get(), machine.ddr);
  return ceilDiv(usefulBytes(stream), machine.network.tilePortBytesPerCycle).get();
}

uint64_t transferBound(const Stream &source, const Stream &destination, const Machine &machine) {
  return std::max(endBound(source, machine), endBound(destination, machine));
}

// Control instructions neither move nor compute anything.
template <class Control>
requires(Control::opcode < Opcode::load) uint64_t boundOf(const Control &, const Machine &) { return 0; }

uint64_t boundOf(const Load &it, const Machine &m) { return transferBound(it.source, it.destination, m); }
uint64_t boundOf(const Store &it, const Machine &m) { return transferBound(it.source, it.destination, m); }
uint64_t boundOf(const Multicast &it, const Machine &m) {
  return transferBound(it.source, it.destination, m);
}
uint64_t boundOf(const Gather &it, const Machine &m) { return transferBound(it.indices, it.destination, m); }

uint64_t boundOf(const Matmul &it, const Machine &m) {
  return podBound(macsOf(it), it.a, it.epilogue, it.output, m, it.a, it.b);
}
uint64_t boundOf(const Conv &it, const Machine &m) {
  return podBound(macsOf(it), it.input, it.epilogue, it.output, m, it.weights);
}

uint64_t boundOf(const Binary &it, const Machine &m) { return peBound(usefulOf(it.a, it.b), it.output, m); }
uint64_t boundOf(const Select &it, const Machine &m) {
  return peBound(usefulOf(it.condition, it.a, it.b), it.output, m);
}
uint64_t boundOf(const Activate &it, const Machine &m) { return peBound(usefulOf(it.input), it.output, m); }
uint64_t boundOf(const Lookup &it, const Machine &m) { return peBound(usefulOf(it.input), it.output, m); }
uint64_t boundOf(const Pool &it, const Machine &m) { return peBound(0, it.output, m); }
uint64_t boundOf(const Reduce &it, const Machine &m) { return peBound(usefulOf(it.input), it.output, m); }
uint64_t boundOf(const Softmax &it, const Machine &m) { return peBound(usefulOf(it.input), it.output, m); }
uint64_t boundOf(const Normalize &it, const Machine &m) {
  return peBound(usefulOf(it.input, it.gain, it.shift), it.output, m);
}
uint64_t boundOf(const Copy &it, const Machine &m) { return peBound(usefulOf(it.input), it.output, m); }
uint64_t boundOf(const Flatten &it, const Machine &m) { return peBound(0, it.output, m); }
uint64_t boundOf(const Resize &it, const Machine &m) { return peBound(0, it.output, m); }
uint64_t boundOf(const Fill &it, const Machine &m) { return peBound(0, it.output, m); }

} // namespace

uint64_t lowerBoundCycles(const Instruction &instruction, const Machine &machine) {
  return std::visit([&](const auto &it) { return boundOf(it, machine); }, instruction);
}

} // namespace tilerig
