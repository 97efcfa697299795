// How operations of level `graph` become layers; a file for each family.
#pragma once

#include "compiler/Lowering/LayerBuilder.h"

namespace tilerig {

// None where the operation is of another family. An error says why there is no layer for it.
std::optional<Lowered> lowerEinsum(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerElementwise(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerImages(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerIndexing(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerMovement(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerOnHost(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerProducts(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerQuantised(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerRows(mlir::Operation *operation, LayerBuilder &to);

// What stands in the way of a layer. The place is the operation's, which whoever asked knows.
inline Error noLayer(std::string why) { return unsupported("", std::move(why)); }

inline Lowered lowered(mlir::Value value) { return llvm::SmallVector<mlir::Value>{value}; }

} // namespace tilerig
