// Lowers level `tile` to level `isa`; the pass lower-to-isa does the same.
#pragma once

#include "compiler/Tile/IR/Tile.h"

namespace tilerig::compiler::tile {

// Replaces every sequence (the tasks of all tiles in a stage) by one instruction list for each tile, and
// assigns semaphores and counts to signals, waits and syncs. Buffers are removed.
void lowerToIsa(isa::ProgramOp program);

} // namespace tilerig::compiler::tile
