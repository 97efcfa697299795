// From level `tile` to level `isa`, as a function and as the pass `expand-tiles`.
#pragma once

#include "compiler/Dialect/Tile/Tile.h"

namespace tilerig::tile {

// Every sequence becomes lists of instructions: signals, waits and syncs get their semaphores and counts.
// Buffers have said what they had to say, and go.
void expandTiles(isa::ProgramOp program);
void registerPasses();

} // namespace tilerig::tile
