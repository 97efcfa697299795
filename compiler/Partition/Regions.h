// Which layers run in one go on the accelerator, and which on the host in between: plain data, without MLIR.
//
// Accelerator and host take turns. Every turn is a region: all that is in it runs before the next one begins,
// and each change of place costs a call and transfers. So there should be few regions, whatever the order in
// which the model lists its layers: a region takes every layer of its place that waits for nothing outside.
#pragma once

#include "isa/Support/Error.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tilerig {

enum class LayerPlace { accelerator, host };

struct PlacedLayer {
  LayerPlace place = LayerPlace::accelerator;
  std::vector<size_t> readsFrom; // layers in front of it, by index
};

struct LayerRegion {
  LayerPlace place = LayerPlace::accelerator;
  std::vector<size_t> layers; // ascending
  bool operator==(const LayerRegion &) const = default;
};

// As few regions as there can be, in the order in which they run.
std::vector<LayerRegion> formRegions(std::span<const PlacedLayer> layers);

// Every layer is in one region of its place, behind or with all that it reads; neighbours differ in place.
Status verifyRegions(std::span<const PlacedLayer> layers, std::span<const LayerRegion> regions);

} // namespace tilerig
