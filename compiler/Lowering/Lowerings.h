// Lowering of operations of level `graph` to layers; each family of operations has its own file.
#pragma once

#include "compiler/Lowering/LayerBuilder.h"

namespace tilerig::compiler {

// Each returns nothing if the operation is of another family, and an error with the reason if no layer can do
// it.
std::optional<Lowered> lowerEinsum(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerElementwise(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerImages(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerIndexing(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerMovement(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerOnHost(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerProducts(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerQuantised(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerRows(mlir::Operation *operation, LayerBuilder &to);

// The reason why an operation has no layer. The caller adds the place, which is the operation.
inline Error noLayer(std::string why) { return unsupported("", std::move(why)); }

inline Lowered lowered(mlir::Value value) { return llvm::SmallVector<mlir::Value>{value}; }

} // namespace tilerig::compiler
