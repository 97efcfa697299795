// Finds the tiles and instructions that compute a layer or a wrong element, from the tensor's placement and
// the program's debug map.
#pragma once

#include "isa/Base/Support/Json.h"
#include "isa/Program/Program.h"

namespace tilerig::verify {

// Adds to the record the `tile` that keeps each of the elements with the largest errors (null for elements in
// DDR). Also adds the ranges of `instructions` that belong to the tensor's layer on these tiles, or on all
// tiles if the tensor is in DDR.
void addInstructionPlaces(const Program &program, const std::string &tensor, Json &record);
// Adds to the record the field `tiles`: for each stage and tile the range from the first to the last
// instruction that belongs to the tensor's layer.
void addTiles(const Program &program, const std::string &tensor, Json &record);

} // namespace tilerig::verify
