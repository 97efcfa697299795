#include "models/Builder/Network.h"

#include <functional>
#include <numeric>

namespace tilerig::models {

// Whether a weight is removed when scaffolds (normalisations that exist only for calibration) are folded. The
// scale of a scaffold is multiplied into the weights of the layer before it; its shift remains, as the bias
// of that layer.
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
