// The pass lower-to-tile: lowers layers to tasks on the tiles of a machine.
#pragma once

#include "compiler/Layer/Facts/NodeTypes.h"
#include "compiler/Tile/Emit/AssembleProgram.h"

#include <memory>
#include <mlir/Pass/Pass.h>

namespace tilerig::compiler {

// The machine for which layers are lowered to tasks, and the options to use.
struct TileLowering {
  std::string name; // of the network
  Machine machine = {};
  NodeTypes nodeTypes = {};
  ProgramOptions program = {};
};

std::unique_ptr<mlir::Pass> createLowerToTile(TileLowering lowering);

} // namespace tilerig::compiler
