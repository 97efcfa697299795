#include "compiler/Layer/Partition/PlaceLayers.h"

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Layer/Partition/HostForm.h"
#include "compiler/Layer/Partition/Layers.h"
#include "compiler/Planning/Partition/ChoosePlaces.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

// Fixed cost in nanoseconds of each group of layers on the accelerator: one DDR latency before its first read
// has arrived, and one for its last write.
uint64_t passageOf(const Machine &machine) {
  return 2 * uint64_t{machine.ddr.latencyCycles} * 1000 / machine.clockMegahertz;
}

class Placer {
public:
  Placer(mlir::func::FuncOp function, const Machine &machine, const WantedPlaces &wanted)
      : layers(layersOf(function)), machine(machine), wanted(wanted) {}

  Result<bool> run() {
    TILERIG_CHECK_OK(collect());
    // Without host layers all layers are in one region (group of layers in one place). Moving a layer to the
    // host would only add regions.
    if (std::ranges::none_of(costed,
                             [](const CostedLayer &layer) { return layer.placed.place == LayerPlace::host; }))
      return false;
    const std::vector<ChosenPlace> chosen = choosePlaces(costed, passageOf(machine));
    bool hasMoved = false;
    for (size_t i = 0; i < layers.size(); ++i) {
      const bool moves = chosen[i].place == LayerPlace::host && forms[i];
      mlir::Operation *layer = moves ? moveToHost(layers[i], *forms[i]).getOperation() : layers[i];
      if (const std::string reason = reasonOf(i, chosen[i]); !reason.empty())
        layer->setDiscardableAttr(placementAttribute, mlir::StringAttr::get(layer->getContext(), reason));
      hasMoved |= moves;
    }
    return hasMoved;
  }

private:
  Status collect() {
    const std::vector<PlacedLayer> placed = placedLayers(layers);
    llvm::DenseMap<mlir::Value, size_t> numbers;
    const auto use = [&](mlir::Value value) {
      return TensorUse{numbers.try_emplace(value, numbers.size()).first->second, storedBytes(value)};
    };
    for (size_t i = 0; i < layers.size(); ++i) {
      CostedLayer costedLayer{.placed = placed[i]};
      forms.push_back(hostFormOf(layers[i]));
      TILERIG_CHECK_OK(obey(i, costedLayer));
      if (!llvm::isa<layer::HostOp>(layers[i]))
        costedLayer.acceleratorNanoseconds = acceleratorNanoseconds(layers[i], machine);
      costedLayer.hostOperations = operationsOnHost(layers[i], forms[i]);
      for (const mlir::Value operand : layers[i]->getOperands())
        costedLayer.inputs.push_back(use(operand));
      for (const mlir::Value result : layers[i]->getResults())
        costedLayer.outputs.push_back(use(result));
      costed.push_back(std::move(costedLayer));
    }
    return success();
  }

  Status obey(size_t i, CostedLayer &to) {
    const auto hint = wanted.find(layers[i]);
    to.isFree = forms[i].has_value() && hint == wanted.end();
    if (hint == wanted.end())
      return success();
    const bool isHosts = to.placed.place == LayerPlace::host, wantsHost = hint->second == LayerPlace::host;
    if (wantsHost && !isHosts && !forms[i])
      return unsupported(placeOfError(i),
                         "the host has no kernel for this layer with its element types and its order of axes",
                         "remove the hint 'host'");
    if (!wantsHost && isHosts)
      return unsupported(placeOfError(i), "the accelerator does not support this layer",
                         "remove the hint 'accelerator'");
    to.placed.place = hint->second;
    return success();
  }
  std::string placeOfError(size_t i) const {
    return fmt::format("layer {} ('{}')", i + 1, graph::nodeName(layers[i]->getLoc()));
  }

  static double microseconds(uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; }

  // The reason why the layer runs on the host or on the accelerator, as an annotation; empty if it could run
  // in one of the two places only.
  std::string reasonOf(size_t i, const ChosenPlace &chosen) const {
    if (wanted.contains(layers[i]))
      return "the strategy file requests it";
    if (!chosen.times)
      return "";
    return fmt::format("both can run it; the expected time of the network is {:.2f} us with it on the "
                       "accelerator, {:.2f} us with it on the host",
                       microseconds(chosen.times->onAccelerator), microseconds(chosen.times->onHost));
  }

  std::vector<mlir::Operation *> layers;
  const Machine &machine;
  const WantedPlaces &wanted;
  std::vector<std::optional<HostForm>> forms;
  std::vector<CostedLayer> costed;
};

} // namespace

Result<bool> placeLayers(mlir::func::FuncOp function, const Machine &machine, const WantedPlaces &wanted) {
  return Placer(function, machine, wanted).run();
}

} // namespace tilerig::compiler
