// Bugs in finished programs: single instructions that are missing, late, early or wrong, while everything
// else is unchanged.
#pragma once

#include "isa/Bugs/Draw.h"
#include "isa/Program/Program.h"

namespace tilerig {

// Plants a bug of the stage `binary` in a layer of the program, removes the program's proof, and records the
// planted bug in the metadata. Refuses bugs whose stage is not `binary`.
Result<PlantedBug> plantInProgram(const BugChoice &choice, uint64_t seed, Program &program);

// Records a planted bug in the program's metadata, removes the proof, and permits execution without a proof.
void noteBug(const PlantedBug &planted, Program &program);
std::vector<std::string> layerNames(const Program &program);

} // namespace tilerig
