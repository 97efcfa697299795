#include "reference/Tools/Report.h"

#include "isa/Base/Support/Json.h"
#include "isa/Base/Support/Printable.h"
#include "isa/Base/Tensor/SeededTensor.h"

#include "reference/Run/Floats.h"
#include "reference/Tools/Inputs.h"

#include <cmath>
#include <fmt/core.h>

namespace tilerig::reference {

namespace {

// Statistics of a tensor's elements that are not NaN; the members are none if the tensor is empty or its type
// is complex.
struct Statistics {
  std::optional<double> low, high, mean;
  uint64_t nans = 0;
};

Statistics statisticsOf(const Tensor &tensor) {
  if (tensor.dtype() == DType::f16 || tensor.dtype() == DType::bf16)
    return statisticsOf(widened(tensor));
  Statistics statistics;
  dispatch(tensor.dtype(), [&]<class T>() {
    if constexpr (std::is_arithmetic_v<T>) {
      double sum = 0;
      for (T element : tensor.as<T>()) {
        auto value = static_cast<double>(element);
        if (std::isnan(value)) {
          ++statistics.nans;
          continue;
        }
        sum += value;
        statistics.low = std::min(statistics.low.value_or(value), value);
        statistics.high = std::max(statistics.high.value_or(value), value);
      }
      if (statistics.low)
        statistics.mean = sum / static_cast<double>(tensor.elementCount() - statistics.nans);
    }
  });
  return statistics;
}

// JSON has no infinity or NaN, so these are written as text.
Json numberJson(std::optional<double> number) {
  if (!number)
    return nullptr;
  if (std::isinf(*number))
    return *number < 0 ? "-inf" : "inf";
  if (std::isnan(*number))
    return "nan";
  return *number;
}

std::string typeText(const Tensor &tensor) {
  return fmt::format("{} {}", nameOf(tensor.dtype()), showShape(tensor.shape()));
}

Json tensorJson(const std::string &name, const Tensor &tensor) {
  return {{"name", name}, {"dtype", nameOf(tensor.dtype())}, {"shape", tensor.shape()}};
}

Json outputJson(const std::string &name, const Tensor &tensor) {
  Statistics statistics = statisticsOf(tensor);
  Json json = tensorJson(name, tensor);
  json["min"] = numberJson(statistics.low);
  json["max"] = numberJson(statistics.high);
  json["mean"] = numberJson(statistics.mean);
  json["nan"] = statistics.nans;
  return json;
}

std::string outputText(const std::string &name, const Tensor &tensor) {
  std::string text = fmt::format("output '{}': {}", name, typeText(tensor));
  Statistics statistics = statisticsOf(tensor);
  if (statistics.low)
    text += fmt::format(", min {:.6g}, max {:.6g}, mean {:.6g}", *statistics.low, *statistics.high,
                        *statistics.mean);
  if (statistics.nans)
    text += fmt::format(", {} NaN", statistics.nans);
  return text;
}

std::string plural(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string simulationText(const SimulatedInt8 &simulation) {
  return fmt::format("int8 is simulated: {} and {} rounded to 8 bits, ranges calibrated with {} ({})\n",
                     plural(simulation.stored, "value"), plural(simulation.weights, "weight tensor"),
                     simulation.fromInputs ? "these inputs" : plural(simulation.samples, "sample"),
                     simulation.method);
}

Json simulationJson(const SimulatedInt8 &simulation) {
  return {{"samples", simulation.samples},
          {"from_inputs", simulation.fromInputs},
          {"method", simulation.method},
          {"stored", simulation.stored},
          {"weights", simulation.weights}};
}

} // namespace

std::string asText(const Report &report) {
  std::string text;
  if (report.seed && !report.inputs.empty()) {
    for (const auto &[name, tensor] : report.inputs)
      text += printable(fmt::format("input '{}': {}", name, typeText(tensor))) + "\n";
    text += fmt::format("random inputs from seed {}: {}\n", *report.seed, seededDistribution);
  }
  if (report.simulation)
    text += simulationText(*report.simulation);
  for (const NamedTensor &output : report.outputs)
    text += printable(outputText(output.name, output.tensor)) + "\n";
  text += fmt::format("{} in {:.1f} ms", plural(report.nodes, "node"), report.wallMilliseconds);
  if (report.repeat > 1)
    text += fmt::format(", the median of {} runs", report.repeat);
  text += "\n";
  if (!report.outputFile.empty())
    text += fmt::format("{}: {}\n", report.outputFile, plural(report.outputs.size(), "tensor"));
  if (!report.captureFile.empty())
    text += fmt::format("{}: {} captured\n", report.captureFile, plural(report.captured, "tensor"));
  return text;
}

std::string asJson(const Report &report) {
  Json json = {{"model", report.model},
               {"precision", report.precision},
               {"arithmetic", report.arithmetic},
               {"threads", report.threads},
               {"nodes", report.nodes},
               {"repeat", report.repeat},
               {"wall_ms", report.wallMilliseconds}};
  json["simulated_int8"] = report.simulation ? simulationJson(*report.simulation) : Json();
  json["seed"] = report.seed ? Json(*report.seed) : Json();
  json["distribution"] = report.seed ? Json(seededDistribution) : Json();
  json["inputs"] = Json::array();
  for (const auto &[name, tensor] : report.inputs)
    json["inputs"].push_back(tensorJson(name, tensor));
  json["outputs"] = Json::array();
  for (const NamedTensor &output : report.outputs)
    json["outputs"].push_back(outputJson(output.name, output.tensor));
  json["output_file"] = report.outputFile.empty() ? Json() : Json(report.outputFile);
  json["capture_file"] = report.captureFile.empty() ? Json() : Json(report.captureFile);
  json["captured"] = report.captured;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace tilerig::reference
