// Replacement of tensors: puts given values in place of those that the program computes.
//
// A piece may be written by several instructions, and a reader of one part need not wait for the other parts.
// Each element is therefore replaced right after the last instruction that writes it.
#pragma once

#include "emulator/Fast/Observers.h"
#include "isa/Instructions/Access.h"

namespace tilerig::emulator {

struct Observation;
struct Sights;

struct Replacement {
  const proto::Tensor *tensor;
  Tensor stored;          // the values, as the program stores them; changes copy from it
  Tensor *seen = nullptr; // receives the values that the program computed; null if not captured
};

// The order of the memory writes of a device stage; each writer has a number.
class WriteOrder {
public:
  virtual ~WriteOrder() = default;
  virtual std::vector<Moment> momentsOf(const std::vector<Watched> &pieces) const = 0;
  virtual AccessList writesOf(uint32_t writer) const = 0;
};

// Checks the name, type and shape of a tensor that is to replace one of the program's.
Status checkReplacement(const Program &program, const std::string &name, DType dtype, const Shape &shape);

// Returns an error for a tensor that the program does not have. `sights` must come from the same observation.
Result<std::vector<Replacement>> replacementsOf(const Program &program, const Observation &observation,
                                                Sights &sights);

// Returns what to change after which writers; if the computed values are to be captured, a change that copies
// them comes first. `order` is null for a host stage, where all changes are applied at the end.
std::vector<Change> changesOf(const Replacement &replacement, const WriteOrder *order, Memories &memories);

} // namespace tilerig::emulator
