// What is proved about a run, whatever its numbers say: by the analyser, whose every finding can happen, or
// by a trap of the emulator. A finding implies a class of bugs, or leaves a few of them possible:
//
//   a wait that never ends, a signal that nothing waits for     synchronisation
//   accesses that nothing orders                                synchronisation; serialisation as well where
//                                                               two neighbours that change places mend it;
//                                                               memory_allocation and memory_mapping as well
//                                                               where a layer would read what it does not
//                                                               depend on
//   bytes read that nothing a layer depends on ever writes      memory_mapping, splitting, data_access
//   constants written                                           memory_mapping, memory_allocation
//   an output not written                                       memory_mapping, splitting
//   an instruction that writes what it still reads              memory_allocation, data_access
//   a trap of a proved program, but for one about a value       hardware
//
// One bug is behind all findings, so a class has to be possible for each of them.
#pragma once

#include "isa/Bugs/Bug.h"
#include "verify/Check/Finding.h"
#include "verify/Check/TensorSources.h"

#include <optional>

namespace tilerig::verify {

struct ProvedCause {
  std::vector<BugClass> classes; // at least one; several: which of them is not proved
  FoundBy by = FoundBy::analyser;
  std::string layer; // the latest one of the finding that implies the classes; may be empty

  bool isOneClass() const { return classes.size() == 1; }
};

// `findings` are the analyser's and `sources` those of the tensors that the program keeps. Nothing where no
// class is implied.
std::optional<ProvedCause> causeOfFindings(const Program &program, const std::vector<Finding> &findings,
                                           const TensorSources &sources);
// Of a program that is proved.
std::optional<ProvedCause> causeOfTraps(const Program &program, const std::vector<Finding> &traps);

} // namespace tilerig::verify
