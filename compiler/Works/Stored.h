// How the device stores what the level `layer` computes with, and how instructions finish a result.
#pragma once

#include "compiler/Dialect/Layer/Types.h"
#include "isa/Instructions/Operands.h"
#include "isa/Support/Error.h"

#include <memory>
#include <vector>

namespace tilerig {

// i1 is stored as u8 and i64 as i32; none for other types that the machine lacks.
std::optional<ElementType> storageOf(mlir::Type element);
// 0 or 1, before the precision is decided and afterwards.
bool isTruth(mlir::Type element);
// Of a quantised type with one scale, and of truths, which stand for themselves; zero for others.
Affine affineOf(mlir::Type element);

// A function, and how its result becomes an element of the type.
Finish finishOf(layer::FunctionAttr function, mlir::Type result);

// Bits of a real number as an element of the type.
uint32_t bitsOf(double real, mlir::Type element);

using Bytes = std::shared_ptr<const std::vector<std::byte>>;
// The elements of a constant as they are stored.
Result<Bytes> storedBytesOf(layer::ConstantOp constant);
// The same as 32 bits each, i32 for integers and fp32 for floats: what an epilogue adds to.
Result<std::vector<std::byte>> accumulatorBytesOf(layer::ConstantOp constant);

} // namespace tilerig
