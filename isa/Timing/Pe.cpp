#include "isa/Timing/Pe.h"

#include "isa/Timing/Footprint.h"
#include "isa/Timing/Special.h"

namespace tilerig {

static PeTime peTime(Count bytesRead, const Stream &output, Count special, const Machine &machine) {
  const PeFigures &pe = machine.pe;
  Count bytesWritten = ocmBytes(output, machine.tile);
  return {.startCycles = pe.startCycles,
          .readCycles = ceilDiv(bytesRead, pe.bytesPerCycle).get(),
          .writeCycles = ceilDiv(bytesWritten, pe.bytesPerCycle).get(),
          .specialCycles = ceilDiv(special, pe.specialElementsPerCycle).get(),
          .bytesRead = bytesRead.get(),
          .bytesWritten = bytesWritten.get()};
}

// Number of elements of an instruction's output to which its last step (`finish`) applies a slow function;
// Special.h says which functions are slow.
static Count specialIn(const Finish &finish, const Stream &output) {
  return isSpecial(finish.function) ? elementsOf(output) : 0;
}

uint64_t PeTime::cycles() const {
  return (Count(startCycles) + std::max({readCycles, writeCycles, specialCycles})).get();
}

static PeTime costOf(const Binary &binary, const Machine &machine) {
  Count special = specialIn(binary.finish, binary.output);
  if (isSpecial(binary.function))
    special += elementsOf(binary.output);
  Count read = ocmBytes(binary.a, machine.tile) + ocmBytes(binary.b, machine.tile);
  return peTime(read, binary.output, special, machine);
}

static PeTime costOf(const Select &select, const Machine &machine) {
  Count read = ocmBytes(select.condition, machine.tile) + ocmBytes(select.a, machine.tile) +
               ocmBytes(select.b, machine.tile);
  return peTime(read, select.output, specialIn(select.finish, select.output), machine);
}

static PeTime costOf(const Activate &activate, const Machine &machine) {
  return peTime(ocmBytes(activate.input, machine.tile), activate.output,
                specialIn(activate.finish, activate.output), machine);
}

static PeTime costOf(const Lookup &lookup, const Machine &machine) {
  uint64_t entries = lookup.input.type == ElementType::i9 ? 512 : 256;
  Count read = ocmBytes(lookup.input, machine.tile) + Count(entries * sizeBytes(lookup.output.type));
  return peTime(read, lookup.output, elementsOf(lookup.output), machine);
}

static PeTime costOf(const Pool &pool, const Machine &machine) {
  const auto &out = pool.output.dims;
  WindowReads reads = {.rows = Count(out[1].size) * out[2].size,
                       .columns = out[3].size,
                       .kernelH = pool.kernelH,
                       .kernelW = pool.kernelW,
                       .channels = out[4].size};
  Count special = specialIn(pool.finish, pool.output);
  if (pool.function == PoolFunction::average || pool.function == PoolFunction::averageWithPadding)
    special += elementsOf(pool.output);
  return peTime(ocmBytesOfWindows(pool.input, pool.window, reads, machine.tile), pool.output, special,
                machine);
}

static PeTime costOf(const Reduce &reduce, const Machine &machine) {
  Count special = specialIn(reduce.finish, reduce.output);
  if (reduce.function == ReduceFunction::mean)
    special += elementsOf(reduce.output);
  return peTime(ocmBytes(reduce.input, machine.tile), reduce.output, special, machine);
}

static PeTime costOf(const Softmax &softmax, const Machine &machine) {
  Count elements = elementsOf(softmax.output);
  // For each element, a softmax computes exp for the sum, then exp again, and divides; a log-softmax computes
  // exp for the sum, then only subtracts.
  Count special = softmax.logarithm ? elements : Count(3) * elements;
  special += specialIn(softmax.finish, softmax.output);
  return peTime(Count(3) * ocmBytes(softmax.input, machine.tile), softmax.output, special, machine);
}

static PeTime costOf(const Normalize &normalize, const Machine &machine) {
  Count passes = normalize.mode == NormalizeMode::meanAndVariance ? 3 : 2;
  Count read = passes * ocmBytes(normalize.input, machine.tile) + ocmBytes(normalize.gain, machine.tile) +
               ocmBytes(normalize.shift, machine.tile);
  Count special = elementsOf(normalize.output) + specialIn(normalize.finish, normalize.output);
  return peTime(read, normalize.output, special, machine);
}

static PeTime costOf(const Copy &copy, const Machine &machine) {
  return peTime(ocmBytes(copy.input, machine.tile), copy.output, 0, machine);
}

static PeTime costOf(const Flatten &flatten, const Machine &machine) {
  const auto &out = flatten.output.dims;
  WindowReads reads = {.rows = out[0].size,
                       .columns = out[1].size,
                       .kernelH = out[2].size,
                       .kernelW = out[3].size,
                       .channels = out[4].size};
  return peTime(ocmBytesOfWindows(flatten.input, flatten.window, reads, machine.tile), flatten.output, 0,
                machine);
}

// Number of taps of a resize along each axis.
static uint32_t tapsOf(ResizeMode mode) {
  switch (mode) {
  case ResizeMode::nearest:
    return 1;
  case ResizeMode::linear:
    return 2;
  case ResizeMode::cubic:
    return 4;
  }
  return 4;
}

static PeTime costOf(const Resize &resize, const Machine &machine) {
  const auto &out = resize.output.dims;
  uint32_t taps = tapsOf(resize.mode);
  WindowReads reads = {.rows = Count(out[1].size) * out[2].size,
                       .columns = out[3].size,
                       .kernelH = taps,
                       .kernelW = taps,
                       .channels = out[4].size};
  // Neighbouring outputs of a resize may read pixels at arbitrary positions, so each pixel counts as a
  // separate access.
  Window apart;
  apart.strideW = apart.dilationW = 2;
  return peTime(ocmBytesOfWindows(resize.input, apart, reads, machine.tile), resize.output,
                specialIn(resize.finish, resize.output), machine);
}

static PeTime costOf(const Fill &fill, const Machine &machine) { return peTime(0, fill.output, 0, machine); }

PeTime timeOf(PeInstructions::Reference instruction, const Machine &machine) {
  return std::visit([&](const auto *typed) { return costOf(*typed, machine); }, instruction);
}

} // namespace tilerig
