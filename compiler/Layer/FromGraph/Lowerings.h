// Lowering of operations of level `graph` to layers; each family of operations has its own file.
#pragma once

#include "compiler/Layer/IR/LayerBuilder.h"

namespace tilerig::compiler {

// Functions that lower the operations of one family to layers. Each function returns nullopt for an operation
// of another family, and an error with the reason for an operation of its family that cannot become layers.
std::optional<Lowered> lowerEinsum(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerElementwise(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerImages(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerIndexing(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerMovement(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerOnHost(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerProducts(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerQuantised(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerRows(mlir::Operation *operation, LayerBuilder &to);
std::optional<Lowered> lowerSampling(mlir::Operation *operation, LayerBuilder &to);

// Whether all operations that read a tensor of plain integers, perhaps after others that only pass integers on,
// interpret them with scales or zero points.
bool isReadByScales(mlir::Value integers);
// Whether the framework has an operator of this name; `domain` is empty for ONNX's own domain.
bool isFrameworkOperator(llvm::StringRef domain, llvm::StringRef name);
// Lowers an operation that can become neither layers of the accelerator nor calls of host kernels to a layer
// that the framework runs.
Lowered lowerInFramework(mlir::Operation *operation, LayerBuilder &to);

// The error for an operation that cannot become layers, with the reason. The caller adds the name of the
// operation.
inline Error noLayer(std::string why) { return unsupported("", std::move(why)); }

inline Lowered lowered(mlir::Value value) { return llvm::SmallVector<mlir::Value>{value}; }

} // namespace tilerig::compiler
