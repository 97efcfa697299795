// Shapes of the results of a Loop that runs in the framework as a whole, because tensors in its body have sizes that only
// data decide. They are known if each variable that the loop carries grows by Concat: exporters write a list of Python
// whose tensors are stacked as a tensor that begins empty, to which each step appends a tensor.
//
// If the loop's condition never ends it, a result has a known size, initial size + steps * length of the appended
// tensors; the number of steps may itself be a size that only data decide. Else that is a bound of the size.
#pragma once

#include "compiler/Graph/Import/GraphImporter.h"

namespace tilerig::compiler {

struct LoopResult {
  mlir::Type element;
  Sizes sizes;
  // The axis that grows, if its size may be less than stated because the condition can end the loop.
  std::optional<size_t> boundedAxis;
};

// Nullopt if nothing is known of a result.
std::optional<std::vector<LoopResult>> growingLoopResults(GraphImporter &around, const NodeReader &node);

// Whether they are known and have bounds.
bool isBoundedGrowingLoop(GraphImporter &around, const NodeReader &node);

} // namespace tilerig::compiler
