// Conversion between host tensors and MLIR constant attributes.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>
#include <optional>
#include <vector>

namespace tilerig::compiler {

// The MLIR element type for a data type; null if MLIR has no builtin type for it.
mlir::Type elementTypeOf(mlir::MLIRContext &context, DType type);
std::optional<DType> dtypeOfElement(mlir::Type element);

// The tensor as an attribute. Small tensors become dense elements, which MLIR's folders can read. Large ones
// become a resource called `name` that shares the tensor's memory.
mlir::ElementsAttr attributeOf(mlir::MLIRContext &context, const Tensor &tensor, llvm::StringRef name);
// The attribute as a tensor. It shares the memory of attributes that attributeOf() made of large tensors; others are
// copied, and a splat attribute, which stores one element for all, is expanded.
Tensor tensorOf(mlir::ElementsAttr attribute);

// The elements of a tensor of any float type, as doubles; empty for other types.
std::optional<std::vector<double>> doublesIn(const Tensor &tensor);
// Makes a tensor of a float type from numbers; each value is rounded to the type once.
Tensor floatTensor(DType type, Shape shape, const std::vector<double> &values);

} // namespace tilerig::compiler
