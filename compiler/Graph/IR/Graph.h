// C++ declarations of the dialect `graph`: see GraphBase.td.
#pragma once

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

} // namespace tilerig::compiler::graph

namespace tilerig::compiler {

// Name of the attribute that holds the ONNX name of an argument or result of the function.
inline constexpr llvm::StringLiteral nameAttribute = "graph.name";

} // namespace tilerig::compiler
