// C++ declarations of the dialect `tile`: see TileOps.td.
#pragma once

#include "compiler/Isa/IR/Isa.h"

#include <mlir/Bytecode/BytecodeOpInterface.h>
#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Dialect.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/IR/OpImplementation.h>

#include "compiler/Tile/IR/TileDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/Tile/IR/TileTypes.h.inc"

#include "compiler/Tile/IR/TileInterfaces.h.inc"

#define GET_OP_CLASSES
#include "compiler/Tile/IR/TileOps.h.inc"

namespace tilerig::compiler::tile {

// Name of the operation of dialect `tile` that holds an instruction of this kind, for example "tile.send".
llvm::StringRef taskNameOf(const Instruction &instruction);
const Instruction &instructionOf(Task task);

} // namespace tilerig::compiler::tile
