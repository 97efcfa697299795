// The verdict on a network: a decision over all layers that compute wrong results from right inputs.
//
// A bug of the compiler is usually in one layer. Broken hardware shows in every layer that uses it, with other traces in each: a dead
// lane loses channels in one layer and rows in another. So the evidence of all layers is combined: each class gets the mean
// logarithm of its probability in the layers, and what the number of wrong layers and their tiles say about it. Layers share their
// evidence, so their logarithms count as those of only a few independent ones.
//
// A mistake that the compiler repeats in many layers looks the same in each of them, and keeps its class.
#pragma once

#include "verify/Verdict/Verdict.h"

#include <optional>
#include <string>
#include <vector>

namespace tilerig::verify {

// From this number of wrong layers on, a bug in one layer is unlikely.
inline constexpr size_t manyLayers = 4;

struct LayerVerdict {
  std::string layer;
  Verdict verdict;
  // The tile that holds nearly all wrong elements of the layer's result. Empty if there is none, or if the result is not divided
  // among tiles.
  std::optional<uint32_t> tile = {};
};

// The layer of the verdict is the first wrong one. Empty if no layer is wrong.
std::optional<LayerVerdict> verdictOfNetwork(const std::vector<LayerVerdict> &wrongLayers);

} // namespace tilerig::verify
