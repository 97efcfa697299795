// Relocation of programs to another base address in DDR.
//
// Streams, constants and pieces of tensors contain absolute DDR addresses and state that they are in DDR.
// Relocation adds one number to all of them, so a program needs no relocation table, and no instruction adds
// a base at run time. Relative positions do not change. Overlaps, order, initialisation and timing are
// therefore preserved, and so is the proof, which is bound to the content after the move.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig {

// A program can be relocated only by multiples of this number of bytes, so that DDR granules and the memory
// pages of constants keep their boundaries.
inline constexpr uint64_t ddrBaseBytes = 4096;

// Returns the program with everything in DDR moved up by `base`. Refuses a program that was not compiled to
// be moved (Metadata.ddr_relocatable), a `base` that is no multiple of ddrBaseBytes, and a `base` at which
// the program does not fit. If the program has a proof, it must be valid.
Result<Program> relocated(Program program, uint64_t base);

} // namespace tilerig
