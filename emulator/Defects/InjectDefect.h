// Turns a hardware bug of the bug catalogue (isa/Bugs) into a fault file.
#pragma once

#include "isa/Bugs/Draw.h"
#include "isa/Program/Program.h"

namespace tilerig::emulator {

struct InjectedDefect {
  std::string faultFile; // text of a fault file; README.md in this folder states its format
  InjectedBug bug;
};

// Turns a bug that the catalogue lists under the stage `hardware` into a fault file with a defect that
// affects the chosen layer. The program is not changed.
Result<InjectedDefect> injectDefect(const BugChoice &choice, uint64_t seed, const Program &program);

} // namespace tilerig::emulator
