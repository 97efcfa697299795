// Programs at another place in DDR.
//
// What a program has in DDR it names by address: streams, constants, and pieces of tensors, each of which
// says itself that it is there. So no list of relocations travels with a program, and no instruction adds a
// base: moving a program is adding one number to all of them. Distances stay as they are, and with them what
// overlaps, what is ordered, what is written before it is read, and every cycle; so does the proof, which is
// bound to the moved content.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig {

// No granule of DDR and no page of constants is cut otherwise than before.
inline constexpr uint64_t ddrBaseBytes = 4096;

// The program with all that it has in DDR moved up by `base`. Refuses one that was not compiled to be moved
// (Metadata.ddr_relocatable), a base that is no multiple of ddrBaseBytes, and one from which on the program
// does not fit. Its proof is one that holds, as whoever read it has seen.
Result<Program> relocated(Program program, uint64_t base);

} // namespace tilerig
