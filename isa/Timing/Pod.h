// How long the POD takes, and what it moves meanwhile.
//
// The array does positions x outputs x k of work in a cycle (16 x 16 x 4 for 8 bits on tr64), with a ceiling
// in every dimension: 17 positions take as long as 32. One operand stays in the operand registers, a panel at
// a time, while the other streams past it at 64 B a cycle. The registers are two halves: a panel works while
// the next one is loaded. So
//
//   cycles = fill + first panel + max(array, a, b, epilogue, result)
//
//   array     ceil(positions / P) * ceil(outputs / Q) * ceil(k / K), for every product and group
//   a, b      bytes of the operand, every re-read counted, at the stream's width; the operand that stays
//             pays `fill` besides for every panel after the first: the array drains before it changes over
//   epilogue  accumulate_from, addend, bias, scale and table share one read stream
//   result    the output's bytes; results that take a series or a table leave 16 a cycle
//
// What is re-read follows from the mapping, and from what the registers and accumulators hold (h = half the
// registers):
//
//   LAMM   b stays: panels of Q outputs by as much k as fits h. a streams once for every Q outputs. Where k
//          takes several panels, accumulators must keep the positions meanwhile, so these go in blocks of
//          accumulators / Q, and b comes again for every block.
//   SAMM1  a stays: groups of as many whole positions as fit h (where those are fewer than P, the array's
//          other lanes idle). b streams once for every group. A position too long for h comes in panels,
//          again for every Q outputs: SAMM2 is meant for that.
//   SAMM2  a stays: panels of all positions (at most accumulators / Q at a time) by as much k as fits h.
//          Accumulators keep as many outputs as they hold, and a comes again for every such group of
//          outputs. b streams once for every block of positions.
//
// A convolution is LAMM. Its positions are those of all rows and images in one sequence; k is summed tap by
// tap, so each tap's channels are rounded up to K. Groups of few outputs stand side by side in the output
// lanes, as many as take the fewest cycles; each output then meets the k of all of them and uses its own: a
// depthwise convolution gets one of every Q multiplications.
//
// Operands along whose outer dimensions b stands still (stride 0) share it: their positions form one
// sequence, too. An operand may be transposed at no cost as long as k or the positions (outputs) have
// neighbours; see Footprint.h for elements that have none.
#pragma once

#include "isa/Instructions/Pod.h"
#include "isa/Machine/Machine.h"

namespace tilerig {

// The cycles of every part that can be the slowest, and the bytes that pass between OCM and POD.
struct PodTime {
  uint64_t startCycles = 0; // fill and drain, and the first panel
  uint64_t arrayCycles = 0;
  uint64_t aCycles = 0, bCycles = 0, epilogueCycles = 0, resultCycles = 0;
  uint64_t aBytes = 0, bBytes = 0, epilogueBytes = 0, resultBytes = 0; // in whole accesses

  uint64_t cycles() const;
  uint64_t bytesRead() const;
};

PodTime timeOf(const Matmul &matmul, const Machine &machine);
PodTime timeOf(const Conv &conv, const Machine &machine);

// The array's rate for operands of a type.
const PodRate &rateOf(ElementType type, const PodFigures &pod);

} // namespace tilerig
