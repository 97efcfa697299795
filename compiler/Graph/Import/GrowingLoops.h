// Shapes of the results of a Loop that runs whole in the framework, because sizes in its body depend on data. They
// are known if each loop variable grows by Concat. PyTorch's exporter writes such loops for Python lists that are
// stacked later: a tensor is empty at first, and each step appends a tensor of known length.
//
// A result then has the size: initial size + steps * appended length; the number of steps may depend on data. If the
// loop's condition can end it earlier, this is an upper bound of the size.
#pragma once

#include "compiler/Graph/Import/GraphImporter.h"

namespace tilerig::compiler {

struct LoopResult {
  mlir::Type element;
  Sizes sizes;
  // The axis that grows, if its size may be less than stated because the condition can end the loop.
  std::optional<size_t> boundedAxis;
};

// Nullopt if the shape of any result is not known.
std::optional<std::vector<LoopResult>> growingLoopResults(GraphImporter &around, const NodeReader &node);

// Whether the shapes of all results are known, and all sizes have upper bounds.
bool isBoundedGrowingLoop(GraphImporter &around, const NodeReader &node);

} // namespace tilerig::compiler
