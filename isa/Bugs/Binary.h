// Bugs in finished programs: single instructions that are missing, late, early or wrong, while everything
// else is unchanged.
#pragma once

#include "isa/Bugs/Draw.h"
#include "isa/Program/Program.h"

namespace tilerig {

// Injects a bug of the stage `binary` into a layer of the program, removes the program's proof that it is
// free of races, and records the injected bug in the metadata. Refuses bugs whose stage is not `binary`.
Result<InjectedBug> injectIntoProgram(const BugChoice &choice, uint64_t seed, Program &program);

// Records an injected bug in the program's metadata, removes the proof that the program is free of races, and
// permits execution without such a proof.
void noteBug(const InjectedBug &injected, Program &program);
std::vector<std::string> layerNames(const Program &program);

} // namespace tilerig
