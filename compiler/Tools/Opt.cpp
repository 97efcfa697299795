// `tilerig-opt`: MLIR's standard pass driver with our dialects and passes, for tests and debugging.
#include "compiler/Dialect/Tile/ExpandTiles.h"
#include "compiler/Passes/Passes.h"
#include "compiler/Passes/Pipelines.h"

#include <mlir/Tools/mlir-opt/MlirOptMain.h>
#include <mlir/Transforms/Passes.h>

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<tilerig::graph::GraphDialect, tilerig::layer::LayerDialect, tilerig::isa::IsaDialect,
                  tilerig::tile::TileDialect, mlir::func::FuncDialect, mlir::quant::QuantDialect>();
  mlir::registerTransformsPasses();
  tilerig::registerPasses();
  tilerig::tile::registerPasses();
  tilerig::registerPipelines();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "tilerig optimiser driver\n", registry));
}
