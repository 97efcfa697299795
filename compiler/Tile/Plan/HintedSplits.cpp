#include "compiler/Tile/Plan/HintedSplits.h"

#include "isa/Timing/Pod.h"

#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

bool cutsImage(const DeviceOp &deviceOp, const Split &split) {
  for (size_t axis = 0; axis < split.parts.size(); ++axis)
    if (axis != deviceOp.outputAxis && split.parts[axis] > 1)
      return true;
  return false;
}
bool cutsWeights(const DeviceOp &deviceOp, const Split &split) {
  return deviceOp.outputAxis && split.parts[*deviceOp.outputAxis] > 1;
}

} // namespace

std::string unmetHint(const Hints &hints, const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors,
                      const Split &split) {
  if (hints.flattening && deviceOp.kind != DeviceOpKind::conv)
    return "the layer is not a convolution";
  const bool flattens = hints.flattening.value_or(Flattening::none) != Flattening::none;
  if (flattens && !canFlatten(deviceOp, tensors))
    return "the convolution's windows cannot be copied to the rows of a matrix: it has groups, or padding "
           "and floating-point inputs";
  if (hints.mapping && deviceOp.kind != DeviceOpKind::matmul && !flattens)
    return "the layer is not a matrix product";
  if (hints.cutsWeights && !deviceOp.outputAxis)
    return "the layer has no weights";
  if (hints.splitsDepth != (split.chain > 1))
    return hints.splitsDepth
               ? "the depth of the layer's sums cannot be split (hint split_k): the layer is not a matrix "
                 "product, adds another tensor, has pinned weights, or has too little depth for two tiles"
               : "the depth of the layer's sums would be split, but the hint split_k is not given";
  if (hints.tiles && *hints.tiles != split.tiles())
    return fmt::format("with its hints, the layer's result cannot be split among {} tiles", *hints.tiles);
  if (hints.cutsImage && *hints.cutsImage != cutsImage(deviceOp, split))
    return "the layer's result can only be split along its output channels";
  if (hints.cutsWeights && *hints.cutsWeights != cutsWeights(deviceOp, split))
    return *hints.cutsWeights ? "the layer's output channels cannot be split"
                              : "the layer's result can only be split along its output channels";
  return "";
}

std::vector<Split> splitsFor(const Hints &hints, const DeviceOp &deviceOp, std::span<const int64_t> shape,
                             unsigned tiles, std::string &reason) {
  if (hints.parts.empty())
    return possibleSplits(deviceOp, shape, tiles);
  if (std::string whyNot = whyNotParts(hints.parts, hints.sizes, deviceOp, shape, tiles); !whyNot.empty()) {
    reason = std::move(whyNot);
    return {};
  }
  return {Split{.parts = hints.parts, .sizes = hints.sizes}};
}

std::vector<EngineMapping> engineMappingsFor(const Hints &hints, const DeviceOp &deviceOp,
                                             const std::vector<DeviceTensor> &tensors,
                                             const Machine &machine) {
  std::vector<EngineMapping> engineMappings;
  const auto add = [&](Flattening flattening) {
    for (const Mapping mapping : {Mapping::lamm, Mapping::samm1, Mapping::samm2})
      if (!hints.mapping || *hints.mapping == mapping)
        engineMappings.push_back({mapping, flattening});
  };
  const Flattening flattening = hints.flattening.value_or(Flattening::none);
  if (deviceOp.kind == DeviceOpKind::matmul || flattening != Flattening::none)
    add(flattening);
  else
    engineMappings.push_back({});
  // Im2col is tried, too, if a direct convolution would leave lanes of the POD (matrix engine) idle at every
  // position of the kernel.
  if (!hints.flattening && canFlatten(deviceOp, tensors)) {
    const DeviceTensor &image = tensors[deviceOp.operands[0].tensor];
    if (image.shape.back() % rateOf(image.type, machine.pod).k != 0) {
      add(Flattening::whole);
      add(Flattening::overlapped);
    }
  }
  return engineMappings;
}

} // namespace tilerig::compiler
