// Broken hardware as one of the bugs of the catalogue: what is broken where, as a fault file.
#pragma once

#include "isa/Bugs/Draw.h"
#include "isa/Program/Program.h"

namespace tilerig {

struct PlantedDefect {
  std::string faultFile; // JSON, as README.md beside this file states it
  PlantedBug bug;
};

// For a bug of the stage `hardware`, so that the layer that is chosen feels it. The program stays what it is.
Result<PlantedDefect> plantDefect(const BugChoice &choice, uint64_t seed, const Program &program);

} // namespace tilerig
