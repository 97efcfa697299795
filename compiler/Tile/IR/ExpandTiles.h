// Lowers level `tile` to level `isa`: as a function and as the pass `expand-tiles`.
#pragma once

#include "compiler/Tile/IR/Tile.h"

namespace tilerig::compiler::tile {

// Replaces every sequence (the tasks of all tiles in a stage) by one instruction list for each tile, and
// assigns semaphores and counts to signals, waits and syncs. Buffers are removed.
void expandTiles(isa::ProgramOp program);
void registerPasses();

} // namespace tilerig::compiler::tile
