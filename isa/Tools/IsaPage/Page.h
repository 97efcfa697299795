// Generators of two texts from the instruction tables: the reference page, and operation definitions for the
// compiler's MLIR dialect. Both depend on the tables alone, so a build always prints the same text.
#pragma once

#include <string>

namespace tilerig {

// The text of the reference page of all instructions, isa/ISA.md.
std::string isaPage();
// TableGen (ODS) definitions for MLIR: an enum attribute for each enumeration, an attribute for each group of
// fields, and an operation for each instruction, with its fields as attributes.
std::string isaTablegen();

} // namespace tilerig
