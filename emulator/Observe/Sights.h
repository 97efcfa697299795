// What is to be seen of which tensors: copies of their pieces out of the memories. When each piece is there
// depends on how a program runs, and is asked elsewhere.
#pragma once

#include "emulator/Fast/Moments.h"
#include "emulator/Memory/Box.h"
#include "isa/Tensor/TensorMap.h"

namespace tilerig {

struct Observation;

struct Sight {
  Watched piece;
  StridedCopy copy;
  Box box; // the same piece
  std::string tensor;
};

struct Sights {
  std::vector<std::vector<Sight>> stages; // by stage
  // After the inputs have been placed, and after the last stage of an inference.
  std::vector<StridedCopy> atBegin, atEnd;
  TensorMap captured;               // what the copies write into
  std::vector<std::string> missing; // of all tensors, those that the program does not keep whole

  // A sight as two of half its size; nothing of a single element.
  std::vector<Sight> halvesOf(const Sight &sight, Memories &memories);

  // Refuses what the program does not have, in words.
  static Result<Sights> of(const Program &program, const Observation &observation, Memories &memories);
  // What was captured, in the model's types: quantised elements are dequantised.
  Result<TensorMap> capturedAsModel(const Program &program) const;
};

} // namespace tilerig
