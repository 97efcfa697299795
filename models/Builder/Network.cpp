#include "models/Builder/Network.h"

#include <functional>
#include <numeric>

namespace tilerig::models {

// Whether a weight is removed by folding. The scale of a scaffold is multiplied into the preceding weights;
// its shift remains as their bias.
static bool disappears(const Network &network, std::string_view name) {
  constexpr std::string_view scale = ".weight";
  return network.measurements.contains(std::string(name)) ||
         (name.ends_with(scale) &&
          network.scaffolds.contains(std::string(name.substr(0, name.size() - scale.size()))));
}

int64_t countElements(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies());
}

int64_t countParameters(const Network &network) {
  int64_t count = 0;
  for (const WeightRecipe &weight : network.weights)
    if (!disappears(network, weight.name))
      count += countElements(weight.shape);
  return count;
}

} // namespace tilerig::models
