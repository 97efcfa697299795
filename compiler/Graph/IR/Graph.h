// C++ declarations of the dialect `graph`: see GraphBase.td.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <mlir/Bytecode/BytecodeOpInterface.h>
#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Dialect.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/Interfaces/InferTypeOpInterface.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>

#include "compiler/Graph/IR/Traits.h"
#include "isa/Base/Tensor/Tensor.h"

#include "compiler/Graph/IR/GraphDialect.h.inc"
#include "compiler/Graph/IR/GraphEnums.h.inc"
#include "compiler/Graph/IR/GraphInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/Graph/IR/GraphAttributes.h.inc"

#define GET_OP_CLASSES
#include "compiler/Graph/IR/GraphOps.h.inc"

namespace tilerig::compiler::graph {

// The subgraphs of an opaque operation, with the names of their attributes, in the order of their operands.
llvm::SmallVector<std::pair<mlir::StringAttr, BodyAttr>> bodiesOf(mlir::DictionaryAttr attributes);

// Domain of opaque operations that stand for several ONNX nodes, which their attribute `graph` has: all operands are
// captured by this subgraph, and its outputs are the results.
inline constexpr llvm::StringLiteral partDomain = "tilerig";

} // namespace tilerig::compiler::graph

namespace tilerig::compiler {

// Names of attributes: `tooLargeAttribute` marks an opaque operation that must not run on the accelerator, because its
// layers would need more memory than a tile has; `nameAttribute` holds the ONNX name of an argument or result of the
// function.
inline constexpr llvm::StringLiteral tooLargeAttribute = "graph.too_large";
inline constexpr llvm::StringLiteral nameAttribute = "graph.name";
// Name of the attribute of a result of the function whose shape depends on data: the name of the result that has its
// sizes. The function returns the tensor at the greatest sizes that it can have; the model's tensor is its beginning.
inline constexpr llvm::StringLiteral sizesAttribute = "graph.sizes";

} // namespace tilerig::compiler
