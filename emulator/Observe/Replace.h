// Replacement of tensors: puts given values in place of those that the program computes.
//
// A piece may be written by several instructions, and a reader of one part need not wait for the other parts.
// Each element is therefore replaced right after the last instruction that writes it.
#pragma once

#include "emulator/Fast/Observers.h"
#include "isa/Base/Tensor/TensorMap.h"
#include "isa/Instructions/Access.h"

namespace tilerig::emulator {

struct Observation;
struct CapturePoints;

struct Replacement {
  const proto::Tensor *tensor;
  // The given values in the type in which the program stores the tensor; changes copy from this tensor.
  Tensor stored;
  // Receives the values that the program computed; null if they are not captured.
  Tensor *seen = nullptr;
};

// The order in which the instructions of a device stage write to memory; each writing instruction has a
// number (writer): that of a task in fast mode, that of a job in a run that executes instructions beat by
// beat (row by row).
class WriteOrder {
public:
  virtual ~WriteOrder() = default;
  virtual std::vector<Completion> completionsOf(const std::vector<TensorPiece> &pieces) const = 0;
  virtual AccessList writesOf(uint32_t writer) const = 0;
};

// Checks the name, type and shape of a tensor that is to replace a tensor of the program.
Status checkReplacement(const Program &program, const std::string &name, DType dtype, const Shape &shape);

// The replacement of a tensor of the program by given values, which have the type of the model or the stored one.
Result<Replacement> replacementOf(const Program &program, const NamedTensor &given);
// Returns the replacements that the observation requests, or an error if the program does not have one of the
// tensors. `capturePoints` must come from the same observation.
Result<std::vector<Replacement>> replacementsOf(const Program &program, const Observation &observation,
                                                CapturePoints &capturePoints);

// Returns the copies that replace a tensor, each with the instruction (writer) after which it is made. If the
// computed values are to be captured, they are copied first. `order` is null for a host stage, where all
// copies are made at the end.
std::vector<Change> changesOf(const Replacement &replacement, const WriteOrder *order, Memories &memories);

} // namespace tilerig::emulator
