// The verdict on a network: a decision over all layers that compute wrong results from right inputs.
//
// A bug of the compiler is usually in one layer. Broken hardware shows in every layer that uses it, with other traces in each: a dead
// lane loses channels in one layer and rows in another. So the evidence of all layers is combined: each class gets the mean
// logarithm of its probability in the layers, and what the number of wrong layers and their tiles say about it. Layers share their
// evidence, so their logarithms count as those of only a few independent ones.
//
// A mistake that the compiler repeats in many layers looks the same in each of them, and keeps its class. If only a few layers are wrong,
// they have bugs of their own, and the first one's is the verdict.
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
  // Whether the layer gives nearly all wrong elements if it is computed again with a change that is typical of the named class.
  bool isReproduced = false;
};

// Whether so many layers have a verdict that one cause is decided over all of them.
bool areMany(const std::vector<LayerVerdict> &wrongLayers);

// The layer of the verdict is the first wrong one or, if only a few are wrong, the first one that allows a verdict. Empty if no layer is wrong.
std::optional<LayerVerdict> verdictOfNetwork(const std::vector<LayerVerdict> &wrongLayers);

// What the verdict on a network has explained.
struct ExplainedCause {
  std::string layer;             // empty: a pass of the compiler, which the layers of the device do not show
  std::vector<BugClass> classes; // those that it may be
  bool isProved = false;
};
// What is left: other layers that are wrong by themselves, each with the verdict on its first wrong result. If a few layers are wrong, each
// has a bug of its own: bugs of the compiler are in one layer, and those of hardware in many. Of many layers, only those are left whose
// wrong elements are reproduced by a change of another class; beside a proved cause, those with a class that a race cannot look like.
std::vector<LayerVerdict> otherBugs(const std::vector<LayerVerdict> &wrongLayers,
                                    const ExplainedCause &cause);

} // namespace tilerig::verify
