// C++ declarations of the dialect `layer`: see LayerBase.td.
#pragma once

#include "compiler/Layer/IR/Kinds.h"

#include <mlir/Bytecode/BytecodeOpInterface.h>
#include <mlir/Dialect/Quant/IR/Quant.h>
#include <mlir/Dialect/Quant/IR/QuantTypes.h>
#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Dialect.h>
#include <mlir/IR/DialectImplementation.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>

#include "compiler/Layer/IR/LayerDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/Layer/IR/LayerAttributes.h.inc"

#define GET_OP_CLASSES
#include "compiler/Layer/IR/LayerOps.h.inc"
