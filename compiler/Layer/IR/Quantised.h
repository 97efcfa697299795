// Lookup tables that implement functions on quantised tensors.
#pragma once

#include "compiler/Layer/IR/Types.h"

#include <vector>

namespace tilerig::compiler::layer {

// The table of a function: for each integer of type `from`, starting with the lowest, the resulting
// integer of type `to`. A null function is the identity.
std::vector<int32_t> tableOf(FunctionAttr function, mlir::Type from, mlir::Type to);

// Whether a function does no more than clamp its operand (identity, relu or clip). Such a function can be
// applied to the integers themselves if operand and result have the same quantised type.
bool isBound(FunctionAttr function);

} // namespace tilerig::compiler::layer
