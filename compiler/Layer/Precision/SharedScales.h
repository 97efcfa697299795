// Groups of values that must have the same scale because layers copy integers between them (a union-find
// structure).
#pragma once

#include "compiler/Layer/IR/Layer.h"
#include "compiler/Layer/Precision/Ranges.h"

namespace tilerig::compiler {

class SharedScales {
public:
  SharedScales(mlir::Block &block, const Ranges &ranges);

  // The common range of all values that share a scale with `value`.
  ValueRange rangeOf(mlir::Value value) const;

private:
  void join(mlir::Value a, mlir::Value b);
  void joinConcatenated(layer::ConcatOp concat);
  void widen(mlir::Value value, ValueRange range);
  mlir::Value leaderOf(mlir::Value value) const;

  llvm::DenseMap<mlir::Value, mlir::Value> leaders;
  llvm::DenseMap<mlir::Value, ValueRange> ranges; // range of each group, by the value that represents it
};

} // namespace tilerig::compiler
