// C++ declarations of the dialect `isa`, a program as operations: see IsaOps.td, and InstructionOp.h for
// instructions.
#pragma once

#include "compiler/Isa/IR/InstructionOp.h"

#include <mlir/Bytecode/BytecodeOpInterface.h>
#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/Dialect.h>
#include <mlir/IR/OpDefinition.h>

#include "compiler/Isa/IR/IsaDialect.h.inc"

#define GET_OP_CLASSES
#include "compiler/Isa/IR/IsaOps.h.inc"
