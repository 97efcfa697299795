#include "compiler/Planning/Partition/Regions.h"

#include <algorithm>
#include <cassert>
#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

constexpr size_t nowhere = SIZE_MAX;

// Assigns each layer to the earliest possible region (group of layers that run together). Regions alternate
// between accelerator and host, beginning with `first`. A layer that reads the result of a layer in the other
// place must be in a later region than that layer. So there are as many regions as the longest chain of such
// reads requires, and no other assignment has fewer.
std::vector<LayerRegion> alternatingRegions(std::span<const PlacedLayer> layers, LayerPlace first) {
  std::vector<size_t> regionOf(layers.size());
  std::vector<LayerRegion> regions;
  for (size_t i = 0; i < layers.size(); ++i) {
    regionOf[i] = layers[i].place == first ? 0 : 1;
    for (const size_t before : layers[i].readsFrom) {
      assert(before < i);
      regionOf[i] =
          std::max(regionOf[i], regionOf[before] + (layers[before].place == layers[i].place ? 0 : 1));
    }
    while (regions.size() <= regionOf[i])
      regions.push_back({(regions.size() % 2 == 0) == (first == LayerPlace::accelerator)
                             ? LayerPlace::accelerator
                             : LayerPlace::host,
                         {}});
    regions[regionOf[i]].layers.push_back(i);
  }
  // Only the first region (group of layers in one place) can be empty. Each later region contains a layer
  // that reads the result of a layer in the region before.
  if (!regions.empty() && regions.front().layers.empty())
    regions.erase(regions.begin());
  return regions;
}

} // namespace

std::vector<LayerRegion> formRegions(std::span<const PlacedLayer> layers) {
  std::vector<LayerRegion> one = alternatingRegions(layers, LayerPlace::accelerator),
                           other = alternatingRegions(layers, LayerPlace::host);
  return other.size() < one.size() ? other : one;
}

Status verifyRegions(std::span<const PlacedLayer> layers, std::span<const LayerRegion> regions) {
  std::vector<size_t> regionOf(layers.size(), nowhere);
  const auto wrong = [](size_t region, const std::string &problem) {
    return internalError(fmt::format("region {}", region), problem);
  };
  for (size_t r = 0; r < regions.size(); ++r) {
    if (regions[r].layers.empty())
      return wrong(r, "is empty");
    if (r > 0 && regions[r].place == regions[r - 1].place)
      return wrong(r, "the region runs in the same place as the region before it");
    for (const size_t layer : regions[r].layers) {
      if (layer >= layers.size() || regionOf[layer] != nowhere)
        return wrong(r, fmt::format("layer {} does not exist, or is in two regions", layer));
      if (layers[layer].place != regions[r].place)
        return wrong(r, fmt::format("layer {} runs in another place than its region", layer));
      regionOf[layer] = r;
    }
  }
  for (size_t i = 0; i < layers.size(); ++i) {
    if (regionOf[i] == nowhere)
      return internalError(fmt::format("layer {}", i), "the layer does not belong to any region");
    for (const size_t before : layers[i].readsFrom)
      if (regionOf[before] > regionOf[i])
        return wrong(regionOf[i],
                     fmt::format("layer {} runs before layer {}, whose result it reads", i, before));
  }
  return success();
}

} // namespace tilerig::compiler
