// Timing and memory traffic of instructions of the POD (matrix engine).
//
// The array computes a block of P positions x Q outputs x K values of k per cycle (16 x 16 x 4 for 8 bits on
// tr64). Sizes are rounded up to whole blocks: 17 positions take as long as 32. One operand stays in the
// operand registers, one panel at a time, while the other streams past it at 64 B per cycle. The registers
// are double-buffered: one half is in use while the next panel is loaded into the other half. `fill` is the
// number of cycles to fill and drain the array. So
//
//   cycles = fill + first panel + max(array, a, b, epilogue, result)
//
//   array     ceil(positions / P) * ceil(outputs / Q) * ceil(k / K), for every product and group
//   a, b      bytes of the operand, every re-read counted, at the stream's width; the stationary operand also
//             pays `fill` for every panel after the first, because the array drains before it switches panels
//   epilogue  accumulate_from, addend, bias, scale and table share one read stream
//   result    the output's bytes; results whose function is computed by a series or looked up in a table
//             leave at 16 per cycle
//
// The number of re-reads follows from the mapping and from the capacity of registers and accumulators (h =
// half the registers):
//
//   LAMM   b is stationary, in panels of Q outputs by as much k as fits h. a streams once for every Q
//          outputs. If k takes several panels, the accumulators must hold the positions in between.
//          Positions are then processed in blocks of accumulators / Q, and b is read again for every block.
//   SAMM1  a is stationary, in groups of as many whole positions as fit h (if these are fewer than P, the
//          other lanes of the array idle). b streams once for every group. A position too long for h is
//          loaded in panels, again for every Q outputs; SAMM2 is intended for that case.
//   SAMM2  a is stationary, in panels of all positions (at most accumulators / Q at a time) by as much k as
//          fits h. The accumulators hold a group of outputs, and a is read again for every group. b streams
//          once for every block of positions.
//
// A convolution uses LAMM. The output positions of all rows and all batch elements form one sequence. The
// array sums over k tap by tap, so the channels of each tap are rounded up to K. Groups with few outputs
// share the output lanes; the number of groups side by side is the one that takes the fewest cycles. For each
// output the array then multiplies the inputs of all these groups, although only those of its own group
// count: a depthwise convolution uses one of every Q multiplications.
//
// Products along outer dimensions in which b does not move (stride 0) share b, so their positions form one
// sequence, too. A transposed operand costs nothing extra as long as its elements are contiguous along k or
// along the positions (outputs); Footprint.h covers elements that are not.
#pragma once

#include "isa/Instructions/Pod.h"
#include "isa/Machine/Machine.h"

namespace tilerig {

// The cycles of each part of an instruction of the POD (matrix engine) that may limit its speed, and the
// bytes moved between the POD and the on-chip memory.
struct PodTime {
  // Cycles to fill and drain the array and to load the first panel of the stationary operand.
  uint64_t startCycles = 0;
  uint64_t arrayCycles = 0;
  uint64_t aCycles = 0, bCycles = 0, epilogueCycles = 0, resultCycles = 0;
  // Bytes that the instruction moves, in whole accesses of the on-chip memory.
  uint64_t aBytes = 0, bBytes = 0, epilogueBytes = 0, resultBytes = 0;

  uint64_t cycles() const;
  uint64_t bytesRead() const;
};

PodTime timeOf(PodInstructions::Reference instruction, const Machine &machine);
template <OneOf<PodInstructions> T>
PodTime timeOf(const T &instruction, const Machine &machine) {
  return timeOf(PodInstructions::Reference(&instruction), machine);
}

// The block (positions x outputs x k) of a product that the array of the POD (matrix engine) computes in one
// cycle for operands of the type.
const PodRate &rateOf(ElementType type, const PodFigures &pod);

} // namespace tilerig
