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
template <ControlInstruction T>
uint64_t boundOf(const T &, const Machine &) {
  return 0;
}

uint64_t boundOf(const Load &load, const Machine &m) {
  return transferBound(load.source, load.destination, m);
}
uint64_t boundOf(const Store &store, const Machine &m) {
  return transferBound(store.source, store.destination, m);
}
uint64_t boundOf(const Multicast &multicast, const Machine &m) {
  return transferBound(multicast.source, multicast.destination, m);
}
uint64_t boundOf(const Gather &gather, const Machine &m) {
  return transferBound(gather.indices, gather.destination, m);
}

uint64_t boundOf(const Matmul &matmul, const Machine &m) {
  return podBound(macsOf(matmul), matmul.a, matmul.epilogue, matmul.output, m, matmul.a, matmul.b);
}
uint64_t boundOf(const Conv &conv, const Machine &m) {
  return podBound(macsOf(conv), conv.input, conv.epilogue, conv.output, m, conv.weights);
}

uint64_t boundOf(const Binary &binary, const Machine &m) {
  return peBound(usefulOf(binary.a, binary.b), binary.output, m);
}
uint64_t boundOf(const Select &select, const Machine &m) {
  return peBound(usefulOf(select.condition, select.a, select.b), select.output, m);
}
uint64_t boundOf(const Activate &activate, const Machine &m) {
  return peBound(usefulOf(activate.input), activate.output, m);
}
uint64_t boundOf(const Lookup &lookup, const Machine &m) {
  return peBound(usefulOf(lookup.input), lookup.output, m);
}
uint64_t boundOf(const Pool &pool, const Machine &m) { return peBound(0, pool.output, m); }
uint64_t boundOf(const Reduce &reduce, const Machine &m) {
  return peBound(usefulOf(reduce.input), reduce.output, m);
}
uint64_t boundOf(const Softmax &softmax, const Machine &m) {
  return peBound(usefulOf(softmax.input), softmax.output, m);
}
uint64_t boundOf(const Normalize &normalize, const Machine &m) {
  return peBound(usefulOf(normalize.input, normalize.gain, normalize.shift), normalize.output, m);
}
uint64_t boundOf(const Copy &copy, const Machine &m) { return peBound(usefulOf(copy.input), copy.output, m); }
uint64_t boundOf(const Flatten &flatten, const Machine &m) { return peBound(0, flatten.output, m); }
uint64_t boundOf(const Resize &resize, const Machine &m) { return peBound(0, resize.output, m); }
uint64_t boundOf(const Fill &fill, const Machine &m) { return peBound(0, fill.output, m); }

} // namespace

uint64_t lowerBoundCycles(const Instruction &instruction, const Machine &machine) {
  return std::visit([&](const auto &typed) { return boundOf(typed, machine); }, instruction);
}

} // namespace tilerig
