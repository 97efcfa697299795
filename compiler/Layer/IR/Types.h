// Checks which element types may be combined in a layer.
#pragma once

#include "compiler/Layer/IR/Layer.h"

namespace tilerig::compiler::layer {

mlir::Type elementOf(mlir::Value value);

// The element type as a quantised type; null if it is not quantised.
mlir::quant::QuantizedType quantisedOf(mlir::Type element);
// The type in which the machine stores such elements; empty for types that the machine does not have.
std::optional<ElementType> storedAs(mlir::Type element);
// Whether instructions can use tensors of this type: the machine stores it, or (truth values and 64-bit
// integers) stores their values in another type. Tensors of other types can only be used by the host.
bool isForInstructions(mlir::Type element);
// Whether this is a float type that instructions can use.
bool isFloatForInstructions(mlir::Type element);

// The reason why no instruction computes this function on integers of this type; empty if an instruction
// does.
std::string_view missingInstruction(BinaryOp op);

// Whether a layer stores its result in the type of its first operand, because it only moves or selects
// elements and computes nothing.
bool keepsStoredType(mlir::Operation *operation);

// Verifies that the result of an operation has the element type of the first operand; for a concat, verifies
// this for all other inputs, too.
llvm::LogicalResult keepsType(mlir::Operation *operation);
// Verifies that the elements of a constant have the element type of its result; if that type is quantised,
// they must be integers of its storage type.
llvm::LogicalResult holdsItsType(ConstantOp constant);
// Verifies the types of a convolution or matrix product: those of operands, bias, addend and result, and the
// type to which the sum is requantised before the addend is added.
llvm::LogicalResult verifyProductTypes(mlir::Operation *operation, mlir::Value bias, mlir::Value addend,
                                       std::optional<mlir::Type> middle);

} // namespace tilerig::compiler::layer
