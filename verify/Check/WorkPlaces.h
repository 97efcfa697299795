// Which tiles, and which of their instructions, work for a layer, and which made an element that is wrong:
// from where the program keeps the tensor, and from its debug map.
#pragma once

#include "isa/Program/Program.h"
#include "verify/Inputs/StrictJson.h"

namespace tilerig::verify {

// Adds to each of the record's worst elements the `tile` that keeps it (none in DDR), and to the record the
// ranges of `instructions` that work for its layer: on those tiles, or on all where DDR keeps the tensor.
void addWorkPlaces(const Program &program, const std::string &tensor, Json &record);
// Adds `tiles`: of every stage and tile the instructions from the first to the last that works for the
// tensor's layer.
void addTiles(const Program &program, const std::string &tensor, Json &record);

} // namespace tilerig::verify
