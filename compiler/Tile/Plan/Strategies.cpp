#include "compiler/Tile/Plan/Strategies.h"

#include <fmt/core.h>
#include <set>

namespace tilerig::compiler {

namespace {

std::vector<std::string> appliedTo(const DeviceOp &deviceOp, const OpPlan &plan, bool inBlock) {
  std::vector<std::string> applied;
  bool cutsImage = false, cutsWeights = false;
  for (size_t axis = 0; axis < plan.split.parts.size(); ++axis)
    (axis == deviceOp.outputAxis ? cutsWeights : cutsImage) |= plan.split.parts[axis] > 1;
  if (cutsImage)
    applied.push_back("split_io");
  if (cutsWeights)
    applied.push_back("split_wb");
  else if (deviceOp.outputAxis)
    applied.push_back("dupl_wb");
  if (plan.split.chain > 1)
    applied.push_back("split_k");
  if (plan.isPinned)
    applied.push_back("wb_pin_ocm");
  const auto [mapping, flattening] = plan.engineMapping;
  if (deviceOp.kind == DeviceOpKind::conv)
    applied.push_back(flattening == Flattening::none    ? "DIRECTCONV"
                      : flattening == Flattening::whole ? "FLATTEN_MM"
                                                        : "FLATTEN_MM_OVERLAP");
  if (deviceOp.kind == DeviceOpKind::matmul || flattening != Flattening::none)
    applied.push_back(mapping == Mapping::lamm ? "LAMM" : mapping == Mapping::samm1 ? "SAMM1" : "SAMM2");
  if (inBlock)
    applied.push_back("fusion_block");
  else if (plan.numSteps > 1)
    applied.push_back("serialize");
  return applied;
}

} // namespace

std::vector<StrategyTarget> strategyTargets(const DeviceNetwork &network) {
  std::vector<StrategyTarget> targets;
  for (const NetworkLayer &layer : network.layers)
    targets.push_back(strategyTarget(layer.kind, layer.onnxNodes));
  return targets;
}

Result<std::vector<Hints>> hintsFor(const StrategyFile &matched, const DeviceNetwork &network) {
  std::vector<Hints> hints(network.layers.size());
  std::vector<bool> isOnAccelerator(network.layers.size());
  for (const NetworkStep &step : network.steps)
    if (const DeviceOp *deviceOp = std::get_if<DeviceOp>(&step))
      isOnAccelerator[deviceOp->layer] = true;
  for (const StrategyLayer &layer : matched.layers) {
    const auto at = static_cast<size_t>(layer.id - 1);
    TILERIG_TRY(hints[at], hintsOf(layer));
    if (!hints[at].empty() && !isOnAccelerator[at])
      return invalidInput(
          fmt::format("layer {} ('{}')", layer.id, layer.lastOnnxOp),
          "the layer runs on the host, so only the hints 'host' and 'accelerator' are allowed",
          "remove the other hints, or see with tilerig compile --report why the layer runs there");
  }
  return hints;
}

StrategyFile strategyOf(const DeviceNetwork &network, const TilePlan &plan, const StrategyFile &matched) {
  StrategyFile file;
  std::vector<std::set<int64_t>> readers(network.layers.size());
  for (const NetworkStep &step : network.steps)
    if (const DeviceOp *deviceOp = std::get_if<DeviceOp>(&step))
      for (const Operand &operand : deviceOp->operands)
        if (const DeviceTensor &tensor = network.tensors[operand.tensor];
            !tensor.constant() && tensor.layer != deviceOp->layer)
          readers[tensor.layer].insert(deviceOp->layer + 1);
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const StrategyTarget target = strategyTarget(network.layers[i].kind, network.layers[i].onnxNodes);
    StrategyLayer layer{.id = static_cast<int64_t>(i) + 1,
                        .op = target.op,
                        .firstOnnxOp = target.first,
                        .lastOnnxOp = target.last};
    layer.toLayerIds.assign(readers[i].begin(), readers[i].end());
    for (const StrategyLayer &matchedLayer : matched.layers)
      if (matchedLayer.id == layer.id)
        layer.hints = matchedLayer.hints;
    file.layers.push_back(std::move(layer));
  }
  for (size_t i = 0; i < network.steps.size(); ++i)
    if (const DeviceOp *deviceOp = std::get_if<DeviceOp>(&network.steps[i])) {
      StrategyLayer &layer = file.layers[deviceOp->layer];
      layer.applied = appliedTo(*deviceOp, plan.deviceOps[i], plan.blockOf(i));
      layer.tiles = plan.deviceOps[i].split.tiles();
      layer.parts = plan.deviceOps[i].split.parts;
      layer.sizes = plan.deviceOps[i].split.sizes;
    }
  for (size_t i = 0; i < plan.blocks.size(); ++i)
    for (size_t step = plan.blocks[i].first; step <= plan.blocks[i].last; ++step)
      file.layers[std::get<DeviceOp>(network.steps[step]).layer].fusionBlock = static_cast<int64_t>(i) + 1;
  return file;
}

} // namespace tilerig::compiler
