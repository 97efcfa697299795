// Converts operands to the element type that a layer needs. Constants are converted at once; other values get
// a conversion layer, one for each value and type.
#pragma once

#include "compiler/Layer/IR/Layer.h"

#include <map>
#include <mlir/IR/Builders.h>

namespace tilerig::compiler {

class Conversions {
public:
  // The value converted to the given element type. A conversion layer is inserted directly behind the
  // definition of the value.
  mlir::Value as(mlir::Value value, mlir::Type element);

private:
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> convertedValues;
};

} // namespace tilerig::compiler
