// Options for observing a run: which tensors to capture, and which to replace by given values. Observing does
// not change the program: outputs and cycles stay the same, except for the effect of replaced values on the
// outputs.
//
// A tensor is captured when, according to the program, it is complete. It is captured whole, from all tiles,
// in the model's order of dimensions, with elements as they are stored. To request a tensor that the program
// does not keep whole is an error; `captureAll` leaves out such tensors.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"

namespace tilerig::emulator {

// Which captured tensors are returned in the model's types; all other captured tensors are returned in their
// stored types.
enum class InModelTypes : uint8_t { all, outputs };

struct Observation {
  bool captureAll = false;
  std::vector<std::string> capture = {}; // names of tensors to capture
  // Tensors, by name, whose values replace those that the program computes, in the model's type or in the
  // stored type. The values are put into all pieces of a tensor as soon as the pieces are complete.
  TensorMap replace = {};
  // For tensors that are replaced, captures show the values that the program computed. If two tensors share
  // bytes and the earlier one is replaced, a capture of the later tensor shows the replacement.
  bool captureComputed = false;

  bool isNone() const { return !captureAll && capture.empty() && replace.empty(); }
};

} // namespace tilerig::emulator
