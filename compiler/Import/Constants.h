// Tensors of the host as attributes of MLIR, and back.
#pragma once

#include "isa/Tensor/Tensor.h"

#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>
#include <optional>
#include <vector>

namespace tilerig {

// The element type; none for those that MLIR's builtin types do not have.
mlir::Type elementTypeOf(mlir::MLIRContext &context, DType type);
std::optional<DType> dtypeOfElement(mlir::Type element);

// Small ones become dense elements, which folds see through; large ones a resource called `name` that shows
// the tensor's bytes.
mlir::ElementsAttr attributeOf(mlir::MLIRContext &context, const Tensor &tensor, llvm::StringRef name);
// Shows the attribute's bytes, or has them spread out where the attribute holds one for all.
Tensor tensorOf(mlir::ElementsAttr attribute);

// The elements of a tensor of any float type; none of anything else.
std::optional<std::vector<double>> doublesIn(const Tensor &tensor);
// A tensor of such, each rounded to the type once.
Tensor floatTensor(DType type, Shape shape, const std::vector<double> &values);

} // namespace tilerig
