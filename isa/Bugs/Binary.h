// Bugs of finished programs: instructions that are missing, late, early or wrong, with everything else as it
// is.
#pragma once

#include "isa/Bugs/Draw.h"
#include "isa/Program/Program.h"

namespace tilerig {

// Plants a bug of the stage `binary` in a layer of the program, which then has no proof until somebody proves
// it anew, and says of itself what was planted. Refuses bugs of other stages.
Result<PlantedBug> plantInProgram(const BugChoice &choice, uint64_t seed, Program &program);

// What the program says of itself from then on.
void noteBug(const PlantedBug &planted, Program &program);
std::vector<std::string> layerNames(const Program &program);

} // namespace tilerig
