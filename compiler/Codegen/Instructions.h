// From a work and the places of its operands to the instructions of one tile.
#pragma once

#include "compiler/Codegen/View.h"
#include "compiler/Tiling/Way.h"
#include "compiler/Tiling/Work.h"

#include <optional>

namespace tilerig {

// A step of a work on its tile.
struct StepPlaces {
  Box result;                       // what of it is computed
  View to = {};                     // holds that, perhaps in nine bits where the result has eight
  std::vector<View> from = {};      // of each operand, holding at least what is needed
  std::vector<bool> isInPlace = {}; // operands of a concat that are there already; perhaps of none
  uint64_t bias = 0, scale = 0, table = 0;
  uint64_t scratch = 0;
  Way way = {};

  // Of a sum that is cut: which part of its products is added up here, and where accumulators lie that
  // others of its parts leave or take. The first part begins with the bias, the last one gives the result.
  Range depth = {};
  View sums = {};
  std::optional<View> takenSums = {}; // where they lie elsewhere

  const View &sumsBefore() const { return takenSums ? *takenSums : sums; }
};

// Bytes that a step needs besides its operands and its result.
uint64_t scratchBytes(const Work &work, const std::vector<DeviceTensor> &tensors, const Way &way,
                      const Box &result);

// In an order that is right if each begins after the one before has ended.
std::vector<Instruction> instructionsOf(const Work &work, const std::vector<DeviceTensor> &tensors,
                                        const StepPlaces &places);

} // namespace tilerig
