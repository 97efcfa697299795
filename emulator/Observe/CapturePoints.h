// Capture points: which pieces of which tensors are copied out of the memories in each stage. The time at
// which a piece is complete depends on the execution mode and is determined elsewhere.
#pragma once

#include "emulator/Fast/Completions.h"
#include "emulator/Memory/Box.h"
#include "isa/Base/Tensor/TensorMap.h"

namespace tilerig::emulator {

struct Observation;
enum class InModelTypes : uint8_t;

// A capture point: `copy` copies the elements of `box` to the captured tensor `to`, when `piece` is complete.
struct CapturePoint {
  Box box;
  Tensor *to;
  TensorPiece piece;
  StridedCopy copy;

  static CapturePoint of(const Box &box, uint32_t layer, Tensor &to, Memories &memories);
  // Splits the capture point into two with half the elements each; returns none for a single element.
  std::vector<CapturePoint> halves(Memories &memories) const;
};

struct CapturePoints {
  std::vector<std::vector<CapturePoint>> stages; // capture points, by stage
  // Captures that are made at the beginning of an inference, after the inputs have been placed (atBegin), and
  // after its last stage (atEnd).
  std::vector<StridedCopy> atBegin, atEnd;
  TensorMap captured; // tensors into which captures are copied
  // Tensors that captureAll omits, because the program stores only some of their elements.
  std::vector<std::string> missing;

  // Returns the capture points that the observation requests. Returns an error for a requested tensor that
  // the program does not have or of which it stores only some elements.
  static Result<CapturePoints> of(const Program &program, const Observation &observation, Memories &memories);
  // The captured tensors. Those that `which` selects are converted to the model's types: quantised elements
  // are dequantised.
  Result<TensorMap> capturedAsModel(const Program &program, InModelTypes which) const;
};

} // namespace tilerig::emulator
