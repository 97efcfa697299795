// The pass place-layers.
#include "compiler/Layer/IR/LayerKind.h"
#include "compiler/Layer/Partition/Layers.h"
#include "compiler/Layer/Partition/PartitionLayers.h"
#include "compiler/Layer/Partition/PlaceLayers.h"
#include "compiler/Passes/PassErrors.h"
#include "compiler/Passes/Passes.h"
#include "compiler/Passes/Remarks.h"
#include "compiler/Planning/Strategy/Hints.h"
#include "compiler/Planning/Strategy/MatchStrategy.h"

namespace tilerig::compiler {

#define GEN_PASS_DEF_PLACELAYERS
#include "compiler/Passes/Passes.h.inc"

namespace {

// Selects those entries of the strategy file that request where a layer runs: on the host or on the
// accelerator.
Result<StrategyFile> placesIn(const StrategyFile &strategy) {
  StrategyFile places;
  for (StrategyLayer layer : strategy.layers) {
    TILERIG_TRY(const Hints hints, hintsOf(layer));
    if (hints.onHost)
      places.layers.push_back(std::move(layer));
  }
  return places;
}

Result<WantedPlaces> wantedPlaces(mlir::func::FuncOp function, const StrategyFile &strategy) {
  WantedPlaces wanted;
  TILERIG_TRY(const StrategyFile places, placesIn(strategy));
  if (places.layers.empty())
    return wanted;
  const std::vector<mlir::Operation *> layers = layersOf(function);
  std::vector<StrategyTarget> targets;
  for (mlir::Operation *const layer : layers) {
    const auto nodes = graph::nodeNames(layer->getLoc());
    targets.push_back(strategyTarget(kindOf(layer), {nodes.begin(), nodes.end()}));
  }
  TILERIG_TRY(const StrategyFile matched, matchStrategy(places, targets));
  for (const StrategyLayer &layer : matched.layers) {
    TILERIG_TRY(const Hints hints, hintsOf(layer));
    wanted[layers[static_cast<size_t>(layer.id - 1)]] =
        *hints.onHost ? LayerPlace::host : LayerPlace::accelerator;
  }
  return wanted;
}

struct PlaceLayersPass : impl::PlaceLayersBase<PlaceLayersPass> {
  using PlaceLayersBase::PlaceLayersBase;
  PlaceLayersPass(Machine machine, StrategyFile strategy)
      : PlaceLayersBase({machine.name, ""}), machine(std::move(machine)), strategy(std::move(strategy)) {}

  void runOnOperation() override {
    if (const Status done = run(); !done) {
      emitError(getOperation().getLoc(), done.error());
      signalPassFailure();
    }
  }

  Status run() {
    if (!machine) {
      TILERIG_TRY(machine, loadMachine(machineName));
    }
    if (!strategyPath.empty()) {
      TILERIG_TRY(strategy, readStrategy(strategyPath));
    }
    TILERIG_TRY(const WantedPlaces wanted, wantedPlaces(getOperation(), strategy));
    TILERIG_TRY(const bool hasMoved, placeLayers(getOperation(), *machine, wanted));
    reportPlaces();
    return hasMoved ? partitionLayers(getOperation()) : success();
  }

  // Emits a remark for each layer that runs on the host, or that could run on the host, with the reason for
  // its place.
  void reportPlaces() {
    for (mlir::Operation *const layer : layersOf(getOperation())) {
      const bool isHost = placeOf(layer) == LayerPlace::host;
      const llvm::StringRef place = tierOf(layer);
      if (isHost || layer->hasAttr(placementAttribute))
        mlir::remark::analysis(layer->getLoc(), remarkOf(getArgumentName(), place))
            << mlir::remark::add("{0} runs on the {1}: {2}", kindOf(layer), place, reasonOfPlace(layer));
    }
  }

  // Machine to compile for; if empty, run() loads the machine that the pass option names.
  std::optional<Machine> machine;
  StrategyFile strategy;
};

} // namespace

std::unique_ptr<mlir::Pass> createPlaceLayers(Machine machine, StrategyFile strategy) {
  return std::make_unique<PlaceLayersPass>(std::move(machine), std::move(strategy));
}

} // namespace tilerig::compiler
