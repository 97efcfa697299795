// Imports operators on sequences of tensors whose length and positions are known when compiling, as exporters write them
// for lists of Python. A sequence is a value without type that only lists its tensors; none is left after the import.
#pragma once

#include "compiler/Graph/Import/Operators.h"

namespace tilerig::compiler {

bool isSequence(mlir::Value value);
bool isSequenceOperator(const std::string &type);
ImportedValues importSequenceOperator(const NodeReader &node, mlir::OpBuilder &builder);
// Refuses a value that a subgraph returns if it is a sequence, where only tensors are allowed.
Status checkIsTensor(const NodeReader &node, mlir::Value value);
// Removes the values that stand for sequences. They must not be read any more, except by one another.
void removeSequences(mlir::Block &block);

} // namespace tilerig::compiler
