// Imports an ONNX file as a module of the dialect `graph`.
//
// The module has one function, `main`, whose arguments and results carry the names of the model's inputs and
// outputs. Nodes become operations in the form of the newest operator set (see GraphBase.td). Shape
// computations are evaluated during import, so that shapes are static. A node without an operation of its own
// becomes an opaque operation, if the types of its results are known.
#pragma once

#include "compiler/Graph/Import/OnnxFile.h"

#include <map>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/OwningOpRef.h>
#include <optional>

namespace tilerig::compiler {

struct ImportOptions {
  // By input name: shapes for inputs that the model leaves open, or to override the model's shapes.
  std::map<std::string, Shape> inputShapes;
  // Size of the first axis of every input that is not in `inputShapes`. It replaces the size that the model
  // declares, whether that is fixed or open.
  std::optional<int64_t> batch = {};
  // Names of nodes that must not run on the accelerator, because their layers need more memory than a tile has. They
  // become opaque operations.
  std::vector<std::string> tooLarge = {};
};

// Constants of the module share the memory of the file, which the module keeps alive.
Result<mlir::OwningOpRef<mlir::ModuleOp>> importModel(mlir::MLIRContext &context, const OnnxFile &file,
                                                      const ImportOptions &options);

} // namespace tilerig::compiler
