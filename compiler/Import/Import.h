// From an ONNX file to the dialect `graph`.
//
// A module with one function, `main`, whose arguments and results carry the names of the model's inputs and
// outputs. Nodes become operations in their newest form (see GraphBase.td); what only computes shapes is
// computed on the way, so that everything has a static shape. What has no operation of its own becomes an
// opaque one, as far as the model states the types of its results.
#pragma once

#include "compiler/Import/OnnxFile.h"

#include <map>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/OwningOpRef.h>
#include <optional>

namespace tilerig {

struct ImportOptions {
  // Shapes of inputs that the model leaves open, or that are wanted otherwise, by name.
  std::map<std::string, Shape> inputShapes;
  // Of every other input: its first size, open or not.
  std::optional<int64_t> batch = {};
};

// The operations' constants show the file, which the module keeps alive.
Result<mlir::OwningOpRef<mlir::ModuleOp>> importModel(mlir::MLIRContext &context, const OnnxFile &file,
                                                      const ImportOptions &options);

// The attribute that names arguments and results of the function.
inline constexpr llvm::StringLiteral nameAttribute = "graph.name";

} // namespace tilerig
