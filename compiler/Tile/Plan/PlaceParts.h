// Choice of the tiles that have the parts of a split.
#pragma once

#include "compiler/Tile/Plan/ChooseSplits.h"
#include "compiler/Tile/Plan/SplitProblem.h"

namespace tilerig::compiler {

// Chooses the tiles for the parts of all splits (Split::order), for networks in which operations repeat
// (RepeatedSteps.h). Splits in bands and chains keep the order of the tiles' numbers.
//
// - Consecutive tiles are close to each other in both directions of the mesh, so that the exchange between the tiles
//   of a repeated operation takes few hops.
// - Each group of repeated operations (RepeatedGroups.h), such as a recurrent layer, has tiles of its own as long as
//   there are some, so that two layers can run at the same time.
// - An operation that has fewer parts than there are tiles gets the tiles on which most of its operands are.
void placeParts(const SplitProblem &problem, Choices &choices);

} // namespace tilerig::compiler
