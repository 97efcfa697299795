// Lookup tables that implement functions on quantised tensors.
#pragma once

#include "compiler/Layer/IR/Types.h"

#include <vector>

namespace tilerig::compiler::layer {

// The lookup table of a function: the resulting integer of type `to` for each integer of type `from`,
// beginning with the lowest. If the function is null, the table only converts between the types.
std::vector<int32_t> tableOf(FunctionAttr function, mlir::Type from, mlir::Type to);

// Whether a function does no more than clamp its operand (identity, relu or clip). Such a function can be
// applied to the integers themselves if operand and result have the same quantised type.
bool isBound(FunctionAttr function);

} // namespace tilerig::compiler::layer
