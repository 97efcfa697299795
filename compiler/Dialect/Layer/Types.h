// Which element types go together in a layer.
#pragma once

#include "compiler/Dialect/Layer/Layer.h"

namespace tilerig::layer {

mlir::Type elementOf(mlir::Value value);

// A quantised type; null for any other.
mlir::quant::QuantizedType quantisedOf(mlir::Type element);
// How it is stored: i8, u8 or i9; none for other types, and for quantised ones that the machine does not
// have.
std::optional<ElementType> storedAs(mlir::Type element);

// Whether a layer's result is stored as its first operand is: it moves elements, or picks some.
bool keepsStoredType(mlir::Operation *operation);

// The result has the element type of the first operand, and further operands do too.
llvm::LogicalResult keepsType(mlir::Operation *operation);
// The elements are of the type, or the integers of a quantised one.
llvm::LogicalResult holdsItsType(ConstantOp constant);
// Operands, bias, addend and middle of a sum of products; its result is the operation's.
llvm::LogicalResult verifyProductTypes(mlir::Operation *operation, mlir::Value bias, mlir::Value addend,
                                       std::optional<mlir::Type> middle);

} // namespace tilerig::layer
