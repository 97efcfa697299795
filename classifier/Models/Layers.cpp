#include "classifier/Models/Layers.h"

#include "verify/Evidence/Channels.h"
#include "verify/Evidence/Densities.h"
#include "verify/Evidence/Sample.h"

#include <numeric>

namespace tilerig::classifier {

std::string_view nameOf(Input input) {
  constexpr std::string_view names[numInputs] = {"channels", "picture", "features"};
  return names[static_cast<size_t>(input)];
}

Shape shapeOf(Input input) {
  constexpr auto side = static_cast<int64_t>(verify::evidenceSide);
  switch (input) {
  case Input::channels:
    return {static_cast<int64_t>(verify::numChannels), side, side};
  case Input::picture:
    return {static_cast<int64_t>(verify::picturePlanes), side, side};
  case Input::features:
    return {static_cast<int64_t>(verify::numFeatures)};
  }
  return {};
}

Value flatten(Layers &layers, const Value &x) {
  return layers.reshape(x,
                        {std::accumulate(x.shape.begin(), x.shape.end(), int64_t{1}, std::multiplies<>())});
}

} // namespace tilerig::classifier
