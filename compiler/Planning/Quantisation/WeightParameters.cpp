#include "compiler/Planning/Quantisation/WeightParameters.h"

#include "compiler/Planning/Quantisation/Floats.h"
#include "compiler/Planning/Quantisation/Scale.h"
#include "isa/Numerics/Quantise.h"

#include <cmath>
#include <fmt/core.h>

namespace tilerig::compiler {

static constexpr int32_t largestWeight = 127;
static constexpr double largestBias = 1 << 30;

namespace {

// A tensor as a sequence of rows: `length` contiguous elements that belong to one channel. Row r belongs to
// channel r mod channels.
struct Rows {
  size_t channels = 1, length = 0;

  Rows(const Tensor &tensor, std::optional<size_t> axis) : length(tensor.elementCount()) {
    if (!axis)
      return;
    channels = static_cast<size_t>(tensor.shape()[*axis]);
    length = 1;
    for (size_t i = *axis + 1; i < tensor.rank(); ++i)
      length *= static_cast<size_t>(tensor.shape()[i]);
  }
  // Calls visit(channel, offset of the first element) for each row of a tensor with `elements` elements.
  template <class F>
  void each(size_t elements, F visit) const {
    for (size_t offset = 0, row = 0; offset < elements; offset += length, ++row)
      visit(row % channels, offset);
  }
};

} // namespace

static Result<Tensor> finiteFloats(const Tensor &tensor, const std::string &place) {
  auto floats = asFloats(tensor);
  if (!floats)
    return floats.error().within(place);
  const std::span<const float> values = floats->as<float>();
  const auto bad = std::ranges::find_if(values, [](float x) { return !std::isfinite(x); });
  if (bad != values.end())
    return invalidInput(place, fmt::format("element {} is {}", bad - values.begin(), *bad),
                        "8-bit layers need finite weights and biases: give this layer a float precision");
  return floats;
}

static Status checkShapes(const LayerWeights &layer) {
  if (layer.channelAxis && *layer.channelAxis >= layer.weights.rank())
    return internalError(layer.name, fmt::format("weights of shape {} have no dimension {}",
                                                 showShape(layer.weights.shape()), *layer.channelAxis));
  if (layer.weights.elementCount() == 0)
    return invalidInput(layer.name, "the weights have no elements");
  if (layer.bias && layer.channelAxis &&
      static_cast<int64_t>(layer.bias->elementCount()) != layer.weights.shape()[*layer.channelAxis])
    return invalidInput(layer.name,
                        fmt::format("the layer has {} biases for {} channels", layer.bias->elementCount(),
                                    layer.weights.shape()[*layer.channelAxis]));
  if (!(layer.inputScale >= leastScale) || !std::isfinite(layer.inputScale))
    return internalError(layer.name,
                         fmt::format("the scale {} of the layer's input is not valid", layer.inputScale));
  return success();
}

static std::vector<float> scalesOf(std::span<const float> weights, const Rows &rows) {
  std::vector<float> largest(rows.channels);
  rows.each(weights.size(), [&](size_t channel, size_t offset) {
    for (const float w : weights.subspan(offset, rows.length))
      largest[channel] = std::max(largest[channel], std::fabs(w));
  });
  const float overall = *std::ranges::max_element(largest);
  std::vector<float> scales;
  for (const float size : largest)
    scales.push_back(scaleOf(size > 0 ? size : overall > 0 ? overall : 1, largestWeight));
  return scales;
}

// The scale of products of inputs and weights, rounded as the machine rounds it.
static float unitOf(float inputScale, float scale) { return inputScale * scale; }

static bool holds(float unit, float bias) {
  return unit >= leastScale && std::fabs(static_cast<double>(bias)) / unit <= largestBias;
}

// The smallest scale of weights that is at least `scale` and large enough that the quantised bias does not
// exceed `largestBias`; infinite if there is none.
static float widenedFor(float bias, float inputScale, float scale) {
  const double unit = std::max<double>(std::fabs(static_cast<double>(bias)) / largestBias, leastScale);
  float wider = std::max(scale, static_cast<float>(unit / inputScale));
  while (std::isfinite(wider) && !holds(unitOf(inputScale, wider), bias))
    wider = std::nextafter(wider, std::numeric_limits<float>::infinity());
  return wider;
}

// For each scale, the largest magnitude of the biases of those channels that use the scale.
static std::vector<float> largestBiases(std::span<const float> bias, size_t scales) {
  std::vector<float> largest(scales);
  for (size_t i = 0; i < bias.size(); ++i)
    largest[i % scales] = std::max(largest[i % scales], std::fabs(bias[i]));
  return largest;
}

static Status widenScales(const LayerWeights &layer, std::span<const float> bias, QuantisedWeights &result) {
  const std::vector<float> largest = largestBiases(bias, result.scales.size());
  for (size_t i = 0; i < largest.size(); ++i) {
    const float from = result.scales[i];
    if (holds(unitOf(layer.inputScale, from), largest[i]))
      continue;
    const float to = widenedFor(largest[i], layer.inputScale, from);
    if (!std::isfinite(to) || !std::isfinite(unitOf(layer.inputScale, to)))
      return invalidInput(layer.name,
                          fmt::format("no scale can represent a bias of magnitude {}", largest[i]),
                          "give this layer a float precision");
    result.scales[i] = to;
    result.widened.push_back({i, from, to});
  }
  return success();
}

static Tensor integersOf(const Tensor &weights, const Rows &rows, std::span<const float> scales) {
  constexpr Landing landing{.zeroPoint = 0, .low = -largestWeight, .high = largestWeight};
  Tensor integers(DType::i8, weights.shape());
  const std::span<const float> from = weights.as<float>();
  const std::span<int8_t> to = integers.mutableAs<int8_t>();
  rows.each(from.size(), [&](size_t channel, size_t offset) {
    quantise(from.subspan(offset, rows.length), scales[channel], landing, to.subspan(offset, rows.length));
  });
  return integers;
}

static std::vector<int32_t> integersOf(std::span<const float> bias, float inputScale,
                                       std::span<const float> scales) {
  std::vector<int32_t> integers;
  for (size_t i = 0; i < bias.size(); ++i)
    integers.push_back(
        roundTo<int32_t>(static_cast<double>(bias[i]) / unitOf(inputScale, scales[i % scales.size()])));
  return integers;
}

Result<QuantisedWeights> quantiseWeights(const LayerWeights &layer) {
  TILERIG_CHECK_OK(checkShapes(layer));
  TILERIG_TRY(const Tensor weights, finiteFloats(layer.weights, layer.name + ": weights"));
  Tensor bias;
  if (layer.bias) {
    TILERIG_TRY(bias, finiteFloats(*layer.bias, layer.name + ": bias"));
  }
  const Rows rows(weights, layer.channelAxis);
  QuantisedWeights result;
  result.scales = scalesOf(weights.as<float>(), rows);
  TILERIG_CHECK_OK(widenScales(layer, bias.as<float>(), result));
  result.weights = integersOf(weights, rows, result.scales);
  result.bias = integersOf(bias.as<float>(), layer.inputScale, result.scales);
  return result;
}

} // namespace tilerig::compiler
