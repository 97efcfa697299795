// Outputs of the network that the device stores as 8-bit integers and the host dequantises.
//
// The function returns the quantised tensor. An attribute of this result states how the host makes the
// model's float32 output of it: the host reads the elements in order as a tensor of shape `shape`, whose axis
// order[i] is axis i of the output.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <optional>

namespace tilerig::compiler::layer {

struct DequantisedOutput {
  llvm::SmallVector<int64_t> shape, order;
};

// How the host dequantises an output of the function; nullopt for an output that the device already returns
// in the form in which users see it.
std::optional<DequantisedOutput> dequantisedOutput(mlir::func::FuncOp function, unsigned result);
void setDequantisedOutput(mlir::func::FuncOp function, unsigned result, const DequantisedOutput &output);

} // namespace tilerig::compiler::layer
