// Draws the parameters of a bug that the user has not chosen, at random, and records them as the ground truth
// about the mutant (the program with the bug).
#pragma once

#include "isa/Base/Support/SplitMix64.h"
#include "isa/Bugs/Choice.h"

#include <functional>

namespace tilerig {

// Draws the parameters for one attempt to inject a bug into one layer. A value that the choice states is
// taken if the layer allows it; all other values are drawn from the seed. The same sequence of calls gives
// the same values on every host.
class BugDraw {
public:
  BugDraw(const BugChoice &choice, uint64_t seed) : choice(choice), random(seed) {}

  const Bug &bug() const { return *choice.bug; }
  // Draws an integer from low .. high, or takes the value given in the choice. If the given value is outside
  // this range, or if the range is empty, the error is `unsupported`: the bug cannot occur in this layer.
  Result<int64_t> number(std::string_view name, int64_t low, int64_t high);
  // Like number(), but never 0: for bugs that shift something.
  Result<int64_t> nonZero(std::string_view name, int64_t low, int64_t high);
  // Draws a random index in 0 .. count - 1.
  Result<size_t> index(std::string_view name, size_t count);
  // Draws a random index in 0 .. count - 1 that is not `other`.
  Result<size_t> indexBut(std::string_view name, size_t count, size_t other);
  // Draws one of the values in `possible` at random.
  Result<int64_t> among(std::string_view name, const std::vector<int64_t> &possible);
  // Draws one of the words that the parameter can have as a value and for which `allowed` returns true.
  using Allows = std::function<bool(std::string_view)>;
  Result<std::string_view> word(std::string_view name, const Allows &allowed);

  // All parameters drawn so far with their values. The layer is not among them.
  const std::map<std::string, int64_t, std::less<>> &picked() const { return values; }

private:
  Result<int64_t> oneOf(std::string_view name, int64_t low, int64_t high,
                        const std::function<bool(int64_t)> &allowed);
  const BugParameter &parameterNamed(std::string_view name) const;

  const BugChoice &choice;
  SplitMix64 random;
  std::map<std::string, int64_t, std::less<>> values;
};

// An injected bug. Its choice states the layer and all parameters, so printBugChoice gives a text that
// injects the same bug again, whatever the seed.
struct InjectedBug {
  BugChoice choice;
  uint64_t seed = 0;
  uint32_t layer = 0; // index of the layer in the program's metadata
  std::string layerName;
};

// The layers to try, in an order drawn from the seed: those with the name that the choice states, the one
// with the "#number" that it states, or all layers if it states none. `names` are indexed by layer.
Result<std::vector<uint32_t>> layersToTry(const BugChoice &choice, uint64_t seed,
                                          std::span<const std::string> names);
// The layer as the text of a bug's choice names it: by name, or as "#number" if the name is empty or not unique.
std::string nameInChoice(uint32_t layer, std::span<const std::string> names);
// The seed for the random parameters of a bug in one layer. Each layer has a seed of its own, so that its
// parameters do not depend on which layers were tried before.
uint64_t seedOfLayer(uint64_t seed, uint32_t layer);

// Tries the layers one after another until the bug can be injected into one. `inject` must change nothing
// when it returns `unsupported`; any other error ends the search. If the bug can be injected into no layer,
// returns the error for the last layer.
using InjectIntoLayer = std::function<Status(uint32_t layer, BugDraw &draw)>;
Result<InjectedBug> injectSomewhere(const BugChoice &choice, uint64_t seed,
                                    std::span<const std::string> names, const InjectIntoLayer &inject);

} // namespace tilerig
