// Imports nodes whose operands or results have sizes that are known only at run time (OpenTensors.h).
//
// Where the rows of an operator's result depend only on the same rows of its operands, the operator is computed at the
// bound, like any other. Everything else becomes a part for the framework, which cuts the operands to the sizes that
// they have at run time, runs the node, and fills its results up again.
#pragma once

#include "compiler/Graph/Import/GraphImporter.h"

namespace tilerig::compiler {

// Whether a tensor that the node reads is open, or made of open sizes.
bool readsOpen(GraphImporter &around, const NodeReader &node);
ImportedValues importOpen(GraphImporter &around, const NodeReader &node);

// The value as a tensor with the given sizes at their bounds, which are at least those of the value.
Result<mlir::Value> filledTo(const NodeReader &node, mlir::Value value, llvm::ArrayRef<int64_t> shape);

} // namespace tilerig::compiler
