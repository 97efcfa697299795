// Enumerates the bytes of a tensor's pieces as contiguous runs. A piece is a box of the tensor's elements
// that is stored in one memory.
//
// Pieces come from the metadata and may have more dimensions than a Region. They have passed verifyProgram,
// so no two elements of a piece overlap.
#pragma once

#include "isa/Instructions/Region.h"
#include "isa/Program/StoredType.h"

#include <algorithm>

namespace tilerig {

// The dimensions of a piece that have more than one element, sorted by descending stride. The caller sets
// `run` to the size of an element in bytes; contiguous inner dimensions are folded into `run` and left out.
std::vector<Steps> nestedDims(const proto::Piece &piece, uint64_t &run);

// Calls visit(ByteRange) for every contiguous run of a piece, ascending, until `visit` returns false. Returns
// whether all runs were visited.
template <class Visitor>
bool forEachRun(const proto::Tensor &tensor, const proto::Piece &piece, Visitor &&visit) {
  uint64_t run = storedBytes(tensor);
  const std::vector<Steps> dims = nestedDims(piece, run);
  uint64_t extent = run;
  for (auto [stride, count] : dims)
    extent += (count - 1) * stride;
  return detail::visitRuns(piece.address(), run, dims, extent, piece.address(), piece.address() + extent,
                           visit);
}

} // namespace tilerig
