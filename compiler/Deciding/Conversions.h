// Operands in the type that a layer wants: constants are converted, other values get a conversion, once for
// each type.
#pragma once

#include "compiler/Dialect/Layer/Layer.h"

#include <map>
#include <mlir/IR/Builders.h>

namespace tilerig {

class Conversions {
public:
  // The value in that element type, made right behind the value itself.
  mlir::Value as(mlir::Value value, mlir::Type element);

private:
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> made;
};

} // namespace tilerig
