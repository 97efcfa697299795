// Memory traffic of streams: the bytes that a memory has to move for a stream.
//
// A memory transfers runs of contiguous bytes. A long run is moved at full width; a short run costs as much
// as the smallest transfer: an access of the OCM (16 bytes on tr64, four of them per cycle, at any address)
// or a granule of DDR (64 bytes, aligned). A stream with a stride between its innermost elements, such as a
// transposing copy, therefore moves four elements per cycle, whatever their size. An element that repeats
// (stride 0 innermost) is read once and kept.
#pragma once

#include "isa/Instructions/Operands.h"
#include "isa/Machine/Machine.h"
#include "isa/Timing/Count.h"

namespace tilerig {

struct Runs {
  Count count, bytes; // number of a stream's runs, and bytes of each run
};

// Number of elements of a stream, the product of its sizes; 0 for an absent stream.
Count elementsOf(const Stream &stream);
Runs runsOf(const Stream &stream);
// The bytes of a stream's distinct elements, not counting repeats from stride 0: a lower bound for any
// memory.
Count usefulBytes(const Stream &stream);
// The bytes that an OCM (on-chip memory) moves for a stream, in whole accesses.
Count ocmBytes(const Stream &stream, const Tile &tile);
// Like ocmBytes(), but with the two innermost dimensions in whichever order is cheaper: the POD (matrix
// engine) moves whole blocks, so it can choose the order.
Count ocmBytesOfBlocks(const Stream &stream, const Tile &tile);
// The bytes that DDR moves for a stream, in whole granules. Every run counts each granule that it touches,
// given the actual address of the run.
Count ddrBytes(const Stream &stream, const Ddr &ddr);
// An upper bound of the bytes that DDR moves to read one row of a table, whichever row it is. The table has R
// rows and is accessed as a tensor of the shape [1, 1, R, X, Y].
Count ddrBytesOfAnyRow(const Stream &table, const Ddr &ddr);

// Reads of an image (rows, columns, channels) through a window. For every position of the window, all its
// taps are read from memory anew, because no rows are buffered.
struct WindowReads {
  Count rows, columns; // number of window positions along each axis
  uint32_t kernelH = 1, kernelW = 1;
  Count channels; // number of channels that each tap of a window reads
};
Count ocmBytesOfWindows(const Stream &image, const Window &window, const WindowReads &reads,
                        const Tile &tile);

} // namespace tilerig
