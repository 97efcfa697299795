// Replacements: other values in the place of a tensor's, from the moment on at which the program has made
// them.
//
// A piece may be the work of several instructions, and readers of one part of it need not wait for the
// others. So every element is replaced when whoever writes it last has written it.
#pragma once

#include "emulator/Fast/Observers.h"
#include "isa/Instructions/Access.h"

namespace tilerig {

struct Observation;
struct Sights;

struct Replacement {
  const proto::Tensor *tensor;
  Tensor stored;          // the values, as the program stores them; changes copy out of it
  Tensor *seen = nullptr; // gets what the program computed, if somebody wants to see it
};

// Who writes to the memories in a stage of the device, by numbers, and in which order.
class WriteOrder {
public:
  virtual ~WriteOrder() = default;
  virtual std::vector<Moment> momentsOf(const std::vector<Watched> &pieces) const = 0;
  virtual AccessList writesOf(uint32_t writer) const = 0;
};

// Of a tensor that is to replace one of the program's.
Status checkReplacement(const Program &program, const std::string &name, DType dtype, const Shape &shape);

// Refuses what the program does not have, in words. `sights` are those of the same observation.
Result<std::vector<Replacement>> replacementsOf(const Program &program, const Observation &observation,
                                                Sights &sights);

// What to do after which writers; where somebody wants to see what was computed, that first. `order`: none in
// a stage of the host, at whose end all is done.
std::vector<Change> changesOf(const Replacement &replacement, const WriteOrder *order, Memories &memories);

} // namespace tilerig
