// Functions of quantised tensors, as the tables that stand in for them.
#pragma once

#include "compiler/Dialect/Layer/Types.h"

#include <vector>

namespace tilerig::layer {

// What each integer of 8 bits of type `from`, the lowest first, becomes as an integer of type `to`. No
// function is the identity.
std::vector<int32_t> tableOf(FunctionAttr function, mlir::Type from, mlir::Type to);

// Whether a function only bounds its operand, so that between equal types the integers are bounded: no other
// scale is needed in front of it.
bool isBound(FunctionAttr function);

} // namespace tilerig::layer
