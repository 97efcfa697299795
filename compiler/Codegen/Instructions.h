// Generates the instructions of one tile from a device operation and the places of its operands.
#pragma once

#include "compiler/Codegen/View.h"
#include "compiler/Tiling/Way.h"
#include "compiler/Tiling/Work.h"

#include <optional>

namespace tilerig::compiler {

// One step of a device operation on a tile: the part of the result to compute, and where everything lies.
struct StepPlaces {
  Box result;                       // part of the result that the step computes
  View to = {};                     // holds `result`; type i9 is allowed for 8-bit results
  std::vector<View> from = {};      // for each operand a view that holds at least the needed part
  std::vector<bool> isInPlace = {}; // for operands of a concat: already in place; may be empty
  uint64_t bias = 0, scale = 0, table = 0;
  uint64_t scratch = 0;
  Way way = {};

  // For a reduction that is split along its depth: the part of the products that this step adds up, and where
  // the accumulators lie that the parts hand on to each other. The first part starts from the bias, and the
  // last one stores the result.
  Range depth = {};
  View sums = {};
  std::optional<View> takenSums = {}; // where incoming accumulators lie, if not in `sums`

  const View &sumsBefore() const { return takenSums ? *takenSums : sums; }
};

// Bytes of scratch memory that a step needs besides its operands and its result.
uint64_t scratchBytes(const Work &work, const std::vector<DeviceTensor> &tensors, const Way &way,
                      const Box &result);

// The instructions of the step, in an order that is correct if each begins after the previous one has ended.
std::vector<Instruction> instructionsOf(const Work &work, const std::vector<DeviceTensor> &tensors,
                                        const StepPlaces &places);

} // namespace tilerig::compiler
