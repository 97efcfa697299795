#include "compiler/Tile/FromLayer/LowerToTile.h"

#include "compiler/Passes/PassErrors.h"
#include "compiler/Passes/Passes.h"
#include "compiler/Tile/FromLayer/FormDeviceOps.h"
#include "compiler/Tile/IR/TileModule.h"

namespace tilerig::compiler {

#define GEN_PASS_DEF_LOWERTOTILE
#include "compiler/Passes/Passes.h.inc"

namespace {

struct LowerToTilePass : impl::LowerToTileBase<LowerToTilePass> {
  using LowerToTileBase::LowerToTileBase;
  explicit LowerToTilePass(TileLowering lowering)
      : LowerToTileBase({lowering.machine.name, lowering.program.tiles, "", lowering.name}),
        requested(std::move(lowering)) {}

  void runOnOperation() override {
    if (const Status done = run(); !done) {
      emitError(getOperation().getLoc(), done.error());
      signalPassFailure();
    }
  }

  Result<TileLowering> lowering() {
    if (requested)
      return *requested;
    TileLowering lowering{.name = networkName};
    if (lowering.name.empty())
      lowering.name = getOperation().getName().value_or("network").str();
    TILERIG_TRY(lowering.machine, loadMachine(machineName));
    lowering.program.tiles = tiles ? unsigned(tiles) : lowering.machine.network.tiles;
    if (!strategyPath.empty()) {
      TILERIG_TRY(lowering.program.strategy, readStrategy(strategyPath));
    }
    return lowering;
  }

  Status run() {
    TILERIG_TRY(const TileLowering how, lowering());
    TILERIG_TRY(const DeviceNetwork network, formDeviceOps(getOperation(), how));
    TileLevel level;
    TILERIG_TRY(const GeneratedProgram generated, generateProgram(network, how.machine, how.program, &level));
    TILERIG_TRY(mlir::OwningOpRef<mlir::ModuleOp> tasks,
                tile::moduleOf(getContext(), generated.program, level));
    // The operation isa.program now has the name of the network, so the module's own name is removed.
    getOperation().removeSymNameAttr();
    getOperation()->setLoc(tasks->getLoc());
    mlir::Block &body = *getOperation().getBody();
    body.clear();
    body.getOperations().splice(body.end(), tasks->getBody()->getOperations());
    return success();
  }

  // The machine and the options to use; if empty, they are read from the pass's textual options.
  std::optional<TileLowering> requested;
};

} // namespace

std::unique_ptr<mlir::Pass> createLowerToTile(TileLowering lowering) {
  return std::make_unique<LowerToTilePass>(std::move(lowering));
}

} // namespace tilerig::compiler
