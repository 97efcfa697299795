// Converts programs to modules of the dialect `isa` and back. A module contains everything in a program file
// except the proof of freedom from races; a program that is read from a module has to be proved free of races
// again.
#pragma once

#include "compiler/Isa/IR/Isa.h"
#include "isa/Program/Program.h"

#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/OwningOpRef.h>

namespace tilerig::compiler::isa {

// The MLIR location for the instructions of a layer: it names the layer's ONNX nodes, in execution order.
mlir::Location locationOf(mlir::MLIRContext *context, const proto::Layer &layer);
// The MLIR locations of all layers of a program, by layer number. For a number that no layer has, `of`
// returns an unknown location.
class LayerLocations {
public:
  LayerLocations(mlir::MLIRContext *context, const proto::Metadata &metadata);
  // Takes the MLIR locations of the layers from the program's isa.layer operations.
  explicit LayerLocations(ProgramOp program);
  mlir::Location of(uint32_t layer) const { return layer < all.size() ? all[layer] : unknown; }

private:
  std::vector<mlir::Location> all;
  mlir::Location unknown;
};

// Creates all operations for a program except the instructions: the `isa.stage` of a device stage has no
// `isa.tile` yet.
ProgramOp createProgram(mlir::OpBuilder &builder, const Program &program);
// Adds the instructions of all tiles to a device stage.
void createTiles(StageOp stage, const DeviceStage &work, const LayerLocations &locations);
mlir::OwningOpRef<mlir::ModuleOp> moduleOf(mlir::MLIRContext &context, const Program &program);

// The machine for which a program was compiled, from the machine description in its module.
Result<Machine> machineOf(ProgramOp program);
// Converts a module to a program, which has no proof of freedom from races yet. Refuses invalid programs.
// Constants are copied.
Result<Program> programOf(ProgramOp program);

} // namespace tilerig::compiler::isa
