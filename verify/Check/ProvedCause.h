// What is proved about a run, whatever its numbers say: by the analyser, which found accesses that nothing
// orders or a wait that never ends, or by a trap of the emulator. Where something is proved, no classifier is
// asked.
#pragma once

#include "isa/Bugs/Bug.h"
#include "verify/Check/Check.h"

#include <optional>
#include <string>

namespace tilerig::verify {

struct ProvedCause {
  BugClass bugClass = BugClass::noError;
  std::string by;     // "analyser" or "trap"
  std::string reason; // the first problem or fault: both instructions, their layers and the bytes
};

// Nothing where the program is proved and ran without a fault, or where what the analyser found is no matter
// of order (a read of memory that nothing wrote): that may come of several classes of bugs.
std::optional<ProvedCause> provedCauseOf(const CheckRun &run);

} // namespace tilerig::verify
