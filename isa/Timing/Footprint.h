// What a stream costs the memory that it goes through.
//
// A memory sees runs of neighbouring bytes. A long run passes at full width; a short one costs as much as the
// least that the memory moves: an access of the OCM (16 bytes on tr64, four of them a cycle, from any
// address), a granule of DDR (64 bytes, aligned). So a stream that steps over its innermost elements, such as
// a transposing copy, takes four elements a cycle, whatever their size. An element that repeats (stride 0
// innermost) is read once and kept.
#pragma once

#include "isa/Instructions/Operands.h"
#include "isa/Machine/Machine.h"
#include "isa/Timing/Count.h"

namespace tilerig {

struct Runs {
  Count count, bytes; // so many runs of so many neighbouring bytes
};

// Sizes multiplied; 0 for an absent stream.
Count elementsOf(const Stream &stream);
Runs runsOf(const Stream &stream);
// Bytes that are asked for, repeats from stride 0 left out: the least that any memory must move.
Count usefulBytes(const Stream &stream);
// Bytes of whole OCM accesses.
Count ocmBytes(const Stream &stream, const Tile &tile);
// The same for a stream whose two innermost dimensions may be walked in either order: the POD takes blocks.
Count ocmBytesOfBlocks(const Stream &stream, const Tile &tile);
// Bytes of whole DDR granules; every run pays for each granule it touches, alignment counted exactly.
Count ddrBytes(const Stream &stream, const Ddr &ddr);
// The most that one row of a table (sizes 1 1 R X Y) costs, whichever of the R it is.
Count ddrBytesOfAnyRow(const Stream &table, const Ddr &ddr);

// An image of rows, columns and channels read through a window, every tap of every position anew: nothing
// keeps rows.
struct WindowReads {
  Count rows, columns; // positions of the window
  uint32_t kernelH = 1, kernelW = 1;
  Count channels; // of every tap
};
Count ocmBytesOfWindows(const Stream &image, const Window &window, const WindowReads &reads,
                        const Tile &tile);

} // namespace tilerig
