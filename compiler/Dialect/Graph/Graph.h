// C++ declarations of the dialect `graph`: see GraphBase.td.
#pragma once

#include <mlir/Bytecode/BytecodeOpInterface.h>
#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Dialect.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/Interfaces/InferTypeOpInterface.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>

#include "compiler/Dialect/Graph/GraphDialect.h.inc"
#include "compiler/Dialect/Graph/GraphEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/Dialect/Graph/GraphAttributes.h.inc"

#define GET_OP_CLASSES
#include "compiler/Dialect/Graph/GraphOps.h.inc"
