#include "verify/Check/LostAccuracy.h"

#include "isa/Base/Support/Printable.h"
#include "verify/Records/Figures.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <limits>
#include <map>

namespace tilerig::verify {

namespace {

// Signal-to-noise ratio of a tensor of the emitted ONNX model against the original model; empty if the
// tensors are equal or were not compared.
std::optional<double> decibelsOf(const Json &record) {
  const Json noise = record.value("noise", Json());
  const Json figure = noise.is_object() ? noise.value("sqnr_db", Json()) : Json();
  if (figure.is_number())
    return figure.get<double>();
  if (figure == "-inf")
    return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

struct RatedTensor {
  const Json *record;
  double decibels;
};

std::vector<RatedTensor> ratedTensors(const std::vector<Json> &records) {
  std::vector<RatedTensor> tensors;
  for (const Json &record : records)
    if (isLayer(record))
      if (const auto decibels = decibelsOf(record))
        tensors.push_back({&record, *decibels});
  std::ranges::stable_sort(tensors, {}, &RatedTensor::decibels);
  return tensors;
}

// Whether accuracy is lost at the layer that computes a tensor, according to the signal-to-noise ratio of
// each tensor (`figures`). A tensor without a ratio counts as exact.
bool isPlaceOfLoss(const RatedTensor &tensor, const std::map<std::string, double> &figures) {
  const Json sources = tensor.record->value("sources", Json::array());
  return std::ranges::all_of(sources, [&](const Json &source) {
    const auto entry = figures.find(source.get<std::string>());
    return entry == figures.end() || entry->second >= tensor.decibels + lostDecibels;
  });
}

std::string layerOf(const Json &record) {
  const Json layer = record.value("layer", Json());
  return layer.is_string() ? layer.get<std::string>() : record["name"].get<std::string>();
}

} // namespace

std::optional<NoisyTensor> noisiest(const std::vector<Json> &records) {
  const std::vector<RatedTensor> tensors = ratedTensors(records);
  if (tensors.empty())
    return std::nullopt;
  return NoisyTensor{(*tensors.front().record)["name"], tensors.front().decibels};
}

std::optional<Json> accuracyRecord(const std::vector<Json> &records) {
  const std::vector<RatedTensor> tensors = ratedTensors(records);
  std::map<std::string, double> figures;
  for (const RatedTensor &tensor : tensors)
    figures[(*tensor.record)["name"]] = tensor.decibels;
  const auto poor = std::ranges::count_if(
      tensors, [](const RatedTensor &tensor) { return tensor.decibels < poorDecibels; });
  if (poor == 0)
    return std::nullopt;
  Json lostAt = Json::array();
  for (const RatedTensor &tensor : tensors)
    if (tensor.decibels < poorDecibels && isPlaceOfLoss(tensor, figures))
      if (const Json layer = layerOf(*tensor.record); std::ranges::find(lostAt, layer) == lostAt.end())
        lostAt.push_back(layer);
  const RatedTensor &worst = tensors.front();
  return Json{{"record", "accuracy"},
              {"poor", poor},
              {"of", std::ranges::count_if(records, isLayer)},
              {"below_db", poorDecibels},
              {"worst", (*worst.record)["name"]},
              {"worst_db", number(worst.decibels)},
              {"lost_at", std::move(lostAt)},
              {"advice", "calibrate on real inputs (--calibration), clip outliers with \"method\": "
                         "\"percentile:99.9\", or set these layers to \"fp16\" in a file for --precision"}};
}

std::string describeAccuracy(const Json &record) {
  constexpr size_t shown = 5;
  std::vector<std::string> layers = record["lost_at"];
  const size_t more = layers.size() > shown ? layers.size() - shown : 0;
  layers.resize(layers.size() - more);
  for (std::string &layer : layers)
    layer = printable(layer);
  const std::string at = layers.empty() ? "gradually"
                                        : fmt::format("at {}{}", fmt::join(layers, ", "),
                                                      more ? fmt::format(" and {} more", more) : "");
  return fmt::format(
      "warning: the precision costs accuracy (this is not a bug): {} of {} tensors have a signal-to-noise "
      "ratio below {} dB against the original model; the lowest is '{}' with {} dB; accuracy is lost {}\n"
      "         {}\n",
      record["poor"].get<uint64_t>(), record["of"].get<uint64_t>(), poorDecibels,
      printable(record["worst"].get<std::string>()),
      record["worst_db"].is_number() ? fmt::format("{:.1f}", record["worst_db"].get<double>())
                                     : record["worst_db"].get<std::string>(),
      at, record["advice"].get<std::string>());
}

} // namespace tilerig::verify
