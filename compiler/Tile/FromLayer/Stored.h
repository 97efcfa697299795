// The types in which the device stores elements of MLIR types, and the last step of an instruction (function,
// scale, conversion to the type of the result).
#pragma once

#include "compiler/Layer/IR/Types.h"
#include "compiler/Tile/Ops/ConstantBytes.h"
#include "isa/Base/Support/Error.h"
#include "isa/Instructions/Operands.h"

#include <vector>

namespace tilerig::compiler {

// Element type in which the device stores an MLIR type: u8 for i1, i32 for i64; nullopt for types without a
// counterpart.
std::optional<ElementType> storageOf(mlir::Type element);
// Whether the type is boolean (0 or 1): i1 before the precision is decided, u8 afterwards.
bool isTruth(mlir::Type element);
// Scale and zero point of a quantised type with a single scale. A boolean has scale 1. For all other types
// the scale is 0, which stands for no scale.
Affine affineOf(mlir::Type element);

// The last step of an instruction that stores elements of type `result`: the activation function, and the
// conversion of its value to that type.
Finish finishOf(layer::FunctionAttr function, mlir::Type result);

// The bit pattern that represents a real number in the given element type.
uint32_t bitsOf(double real, mlir::Type element);

// The elements of a constant in the device's storage type.
Result<ConstantBytes> storedBytesOf(layer::ConstantOp constant);
// The elements of a constant in 32 bits each, i32 for integers and fp32 for floats, as an epilogue adds them
// to accumulators.
Result<std::vector<std::byte>> accumulatorBytesOf(layer::ConstantOp constant);

} // namespace tilerig::compiler
