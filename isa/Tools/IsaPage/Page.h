// The two texts that are made from the instruction tables: the reference page for people, and operation
// definitions for the compiler's dialect. Both follow from the tables alone, so the same build always prints
// the same.
#pragma once

#include <string>

namespace tilerig {

// isa/ISA.md
std::string isaPage();
// TableGen (ODS) definitions of MLIR: an enum attribute for each enumeration, an attribute for each group of
// fields, an operation for each instruction with its fields as attributes.
std::string isaTablegen();

} // namespace tilerig
