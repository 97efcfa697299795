// The activation functions of recurrent layers, which a layer names in its attributes.
#pragma once

#include "compiler/Graph/Transforms/ElementBuilder.h"

#include <vector>

namespace tilerig::compiler {

struct CellFunction {
  std::string name;           // as in ONNX: "Sigmoid", "ScaledTanh", …
  double alpha = 0, beta = 0; // parameters; 0 if the function has none

  bool operator==(const CellFunction &) const = default;
};

// The functions of a layer. `alphas` and `betas` have a number for each function that has such a parameter, in
// the order of the functions. Where a list is too short, a parameter has ONNX's default.
std::vector<CellFunction> cellFunctions(mlir::ArrayAttr names, llvm::ArrayRef<float> alphas,
                                        llvm::ArrayRef<float> betas);

// Whether ONNX has an activation function of this name.
bool isKnown(const CellFunction &function);
// Applies a known function.
mlir::Value apply(const CellFunction &function, mlir::Value value, ElementBuilder &to);

} // namespace tilerig::compiler
