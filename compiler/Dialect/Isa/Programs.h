// Between programs and modules of the dialect: what a module says is all that a program file holds, but its
// proof, which whoever reads a module has to make anew.
#pragma once

#include "compiler/Dialect/Isa/Isa.h"
#include "isa/Program/Program.h"

#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/OwningOpRef.h>

namespace tilerig::isa {

// Where the instructions of a layer come from: its ONNX nodes, in order.
mlir::Location locationOf(mlir::MLIRContext *context, const proto::Layer &layer);
// Of all layers, by number; what names another one has no location.
class LayerLocations {
public:
  LayerLocations(mlir::MLIRContext *context, const proto::Metadata &metadata);
  explicit LayerLocations(ProgramOp program); // as its layers have them
  mlir::Location of(uint32_t layer) const { return layer < all.size() ? all[layer] : unknown; }

private:
  std::vector<mlir::Location> all;
  mlir::Location unknown;
};

// Everything but instructions: an `isa.stage` without `isa.tile` for each device stage, in order.
ProgramOp createProgram(mlir::OpBuilder &builder, const Program &program);
// The instructions of a device stage.
void createTiles(StageOp stage, const DeviceStage &work, const LayerLocations &locations);
mlir::OwningOpRef<mlir::ModuleOp> moduleOf(mlir::MLIRContext &context, const Program &program);

// The machine that a module names.
Result<Machine> machineOf(ProgramOp program);
// Refuses what is no program of Verify.h. Constants are copied. Without a proof.
Result<Program> programOf(ProgramOp program);

} // namespace tilerig::isa
