// Generates the instructions by which one tile executes a device operation, given the addresses of operands
// and result.
#pragma once

#include "compiler/Planning/Strategy/EngineMapping.h"
#include "compiler/Tile/Ops/DeviceOp.h"
#include "compiler/Tile/Ops/View.h"

#include <optional>

namespace tilerig::compiler {

// One step of a device operation on a tile: the part of the result that the tile computes, and the addresses
// of operands, result and scratch memory.
struct StepPlaces {
  Box result; // part of the result that the step computes
  // Memory that receives the part `result`; 8-bit results may be stored as i9 (9 bits).
  View to = {};
  std::vector<View> from = {}; // for each operand, memory that contains at least the part that the step reads
  // For each operand of a concatenation, whether it lies in the memory of the result already, so that it is
  // not copied; empty: none does.
  std::vector<bool> isInPlace = {};
  uint64_t bias = 0, scale = 0, table = 0;
  uint64_t scratch = 0;
  EngineMapping engineMapping = {};

  // For a sum of products whose depth (K) is split into parts, computed one after another: `depth` is the
  // range of products that this step adds up, and `sums` is where the step leaves its accumulators for the
  // next part. The first part starts from the bias, and the last one stores the result.
  Range depth = {};
  View sums = {};
  // Memory from which the accumulators of the previous part of the depth are read; if not set, `sums`.
  std::optional<View> takenSums = {};

  const View &sumsBefore() const { return takenSums ? *takenSums : sums; }
};

// Bytes of scratch memory that a step of a device operation needs besides its operands and its result.
uint64_t scratchBytes(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors,
                      const EngineMapping &engineMapping, const Box &result);

// The instructions of the step, in an order that is correct if each begins after the previous one has ended.
std::vector<Instruction> instructionsOf(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors,
                                        const StepPlaces &places);

} // namespace tilerig::compiler
