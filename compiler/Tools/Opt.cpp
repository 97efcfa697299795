// `tilerig-opt`: MLIR's standard pass driver with our dialects and passes, for tests and debugging.
#include "compiler/Passes/Passes.h"
#include "compiler/Pipelines/Pipelines.h"
#include "compiler/Tile/IR/Tile.h"

#include <mlir/Tools/mlir-opt/MlirOptMain.h>
#include <mlir/Transforms/Passes.h>

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<tilerig::compiler::graph::GraphDialect, tilerig::compiler::layer::LayerDialect,
                  tilerig::compiler::isa::IsaDialect, tilerig::compiler::tile::TileDialect,
                  mlir::func::FuncDialect, mlir::quant::QuantDialect>();
  mlir::registerTransformsPasses();
  tilerig::compiler::registerPasses();
  tilerig::compiler::registerPipelines();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "tilerig optimiser driver\n", registry));
}
