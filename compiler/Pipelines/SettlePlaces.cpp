#include "compiler/Pipelines/SettlePlaces.h"

#include "compiler/Layer/Facts/Cards.h"
#include "compiler/Layer/Partition/PlaceLayers.h"
#include "compiler/Pipelines/RunPasses.h"
#include "compiler/Planning/Strategy/Hints.h"
#include "compiler/Tile/Plan/MatchStrategy.h"

namespace tilerig::compiler {

namespace {

// Those entries of the strategy file that state where a layer runs: on the host or on the accelerator.
Result<StrategyFile> placesIn(const StrategyFile &strategy) {
  StrategyFile places;
  for (StrategyLayer layer : strategy.layers) {
    TILERIG_TRY(const Hints hints, hintsOf(layer));
    if (hints.onHost)
      places.layers.push_back(std::move(layer));
  }
  return places;
}

Result<WantedPlaces> wantedPlaces(mlir::func::FuncOp function, const Machine &machine,
                                  const StrategyFile &strategy) {
  WantedPlaces wanted;
  TILERIG_TRY(const StrategyFile places, placesIn(strategy));
  if (places.layers.empty())
    return wanted;
  const std::vector<Card> cards = cardsOf(function, machine);
  DeviceNetwork network;
  for (const Card &card : cards)
    network.layers.push_back({.name = card.kind, .kind = card.kind, .onnxNodes = card.nodes});
  TILERIG_TRY(const StrategyFile matched, matchStrategy(places, network));
  for (const StrategyLayer &layer : matched.layers) {
    TILERIG_TRY(const Hints hints, hintsOf(layer));
    wanted[cards[static_cast<size_t>(layer.id - 1)].layer] =
        *hints.onHost ? LayerPlace::host : LayerPlace::accelerator;
  }
  return wanted;
}

} // namespace

Status settlePlaces(mlir::ModuleOp module, const std::string &model, const Machine &machine,
                    const StrategyFile &strategy) {
  auto function = module.lookupSymbol<mlir::func::FuncOp>("main");
  TILERIG_TRY(const WantedPlaces wanted, wantedPlaces(function, machine, strategy));
  TILERIG_TRY(const bool hasMoved, placeLayers(function, machine, wanted));
  return hasMoved ? runPasses(module, model, std::string("func.func(partition-layers)")) : success();
}

} // namespace tilerig::compiler
