// Regions: groups of layers that run together on the accelerator or on the host, in turn. Plain data, without
// MLIR.
//
// All layers of a region run before the next region begins. Each change between accelerator and host costs a
// call and transfers, so there should be few regions. Therefore layers need not run in the order in which the
// model lists them: a region takes every layer that runs in its place and whose inputs are all available.
#pragma once

#include "isa/Base/Support/Error.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tilerig::compiler {

enum class LayerPlace { accelerator, host };

struct PlacedLayer {
  LayerPlace place = LayerPlace::accelerator;
  std::vector<size_t> readsFrom; // indices of the earlier layers whose results the layer reads
};

struct LayerRegion {
  LayerPlace place = LayerPlace::accelerator;
  std::vector<size_t> layers; // indices, ascending
  bool operator==(const LayerRegion &) const = default;
};

// Forms as few regions (groups of layers in one place) as possible, and returns them in execution order.
std::vector<LayerRegion> formRegions(std::span<const PlacedLayer> layers);

// Checks that every layer is in exactly one region, which runs in the place of the layer (accelerator or
// host) and not before the regions of the layers that it reads from; and that consecutive regions alternate
// between the two places.
Status verifyRegions(std::span<const PlacedLayer> layers, std::span<const LayerRegion> regions);

} // namespace tilerig::compiler
