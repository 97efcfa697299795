// Splits for sequences of operations that repeat, such as the steps of an unrolled recurrent layer.
//
// Coordinate descent changes one operation at a time. In a long chain of small operations it ends in a local
// minimum: each operation would have to exchange data with its neighbours if it alone had another split. So the
// operations of such a chain are also split alike, in several ways, for the planner to compare.
#pragma once

#include "compiler/Tile/Plan/SplitCandidates.h"

namespace tilerig::compiler {

// The candidates that a step may have, as indices; empty if it may have any.
using AlikeSplits = std::vector<std::ptrdiff_t>;

// For each way to split repeated operations (RepeatedSteps.h) alike, the candidates of every step. All are divided
// into the same number of parts along their last axis, and into as many parts as possible along their first. Returns
// nothing if no operations repeat.
std::vector<std::vector<AlikeSplits>> alikeSplits(const SplitProblem &problem,
                                                  std::span<const SplitCandidates> candidates);

} // namespace tilerig::compiler
