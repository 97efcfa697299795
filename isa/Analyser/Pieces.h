// The bytes of a tensor's pieces, as runs.
//
// Pieces come from the metadata and may have more dimensions than a Region; they passed verifyProgram, so
// their elements lie apart.
#pragma once

#include "isa/Instructions/Region.h"
#include "isa/Program/Program.h"

#include <algorithm>

namespace tilerig {

// The bytes of an element as it is stored.
unsigned storedBytes(const proto::Tensor &tensor);
// The dimensions of a piece with more than one step, outermost in memory first; `run` comes in as the bytes
// of an element and grows by the dimensions that are contiguous.
std::vector<Steps> nestedDims(const proto::Piece &piece, uint64_t &run);

// Calls visit(ByteRange) for every run of a piece, ascending, until it returns false.
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
