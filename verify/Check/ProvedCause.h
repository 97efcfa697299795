// Derives the possible classes of a bug from what is proved about a run without looking at its results. The
// proof is either a finding of the analyser (each finding can really happen) or a trap of the emulator. A
// finding implies one class, or leaves several possible:
//
//   a wait that never ends, a signal that nothing waits for     synchronisation
//   accesses that nothing orders                                synchronisation, or serialisation if swapping
//                                                               two neighbours repairs the program;
//                                                               memory_allocation and memory_mapping too if a
//                                                               layer would read data that it does not depend
//                                                               on
//   a read of bytes that are never written by a layer on        memory_mapping, splitting, data_access
//   which the reader depends
//   a write to constants                                        memory_mapping, memory_allocation
//   an output that is not written                               memory_mapping, splitting
//   an instruction that writes what it still reads              memory_allocation, data_access
//   a trap of a proved program, unless it is about a value      hardware
//
// One bug is assumed to cause all findings, so a class must be possible for each of them.
#pragma once

#include "isa/Bugs/Bug.h"
#include "verify/Check/TensorSources.h"
#include "verify/Findings/MissingOrder.h"

#include <optional>

namespace tilerig::verify {

struct ProvedCause {
  std::vector<BugClass> classes; // possible classes of the bug; at least one class
  FoundBy by = FoundBy::analyser;
  // The layer that lacks the missing synchronisation, if that is known; otherwise the last layer in the finding that proves the
  // classes. Empty if the finding names no layer.
  std::string layer;
  // If only synchronisation is missing: what makes the program provable, and the finding to which it belongs.
  std::optional<MissingOrder> missing = {};
  std::optional<Finding> lacking = {};

  bool isOneClass() const { return classes.size() == 1; }
};

// What the findings of the analyser prove about the class of the bug. `sources` are the tensors from which
// each tensor that the program keeps is computed. Empty if the findings imply no class.
std::optional<ProvedCause> causeOfFindings(const Program &program, const std::vector<Finding> &findings,
                                           const TensorSources &sources);
// What the traps that occurred in the run of a program prove about the class of the bug, if the program is
// proved free of races. Empty if they imply no class.
std::optional<ProvedCause> causeOfTraps(const Program &program, const std::vector<Finding> &traps);

} // namespace tilerig::verify
