#include "reference/Simulate/Int8.h"

#include "reference/Simulate/StoredValues.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/core.h>

namespace tilerig::reference {

namespace {

// Statistics of a value over the calibration samples: overall extremes, and sums of each sample's extremes.
struct Seen {
  double low = 0, high = 0, sumOfLows = 0, sumOfHighs = 0;
  size_t samples = 0;

  void add(double least, double most) {
    low = samples ? std::min(low, least) : least;
    high = samples ? std::max(high, most) : most;
    sumOfLows += least;
    sumOfHighs += most;
    ++samples;
  }
};
using SeenByName = std::map<std::string, Seen, std::less<>>;

Status addTo(SeenByName &seen, const std::string &name, const Tensor &value) {
  const auto entry = seen.find(name);
  if (entry == seen.end() || value.dtype() != DType::f32 || value.elementCount() == 0)
    return success();
  const auto elements = value.as<float>();
  if (!std::ranges::all_of(elements, [](float x) { return std::isfinite(x); }))
    return invalidInput(fmt::format("tensor '{}'", name),
                        "some elements are NaN or infinite, so the tensor has no range",
                        "calibrate with inputs that are typical of this network");
  const auto [least, most] = std::ranges::minmax(elements);
  entry->second.add(least, most);
  return success();
}

// The relative depth of every value, by the longest path from an input: 0 for results of the first operators,
// 1 for the last.
std::map<std::string, double, std::less<>> depthsOf(const Graph &graph) {
  std::vector<unsigned> before(graph.values.size());
  unsigned last = 1;
  for (const Node &node : graph.nodes) {
    unsigned depth = 0;
    for (const ValueId id : node.inputs)
      if (id != absent)
        depth = std::max(depth, before[static_cast<size_t>(id)]);
    for (const ValueId id : node.outputs)
      if (id != absent)
        before[static_cast<size_t>(id)] = depth + 1;
    last = std::max(last, depth + 1);
  }
  std::map<std::string, double, std::less<>> depths;
  for (size_t i = 0; i < before.size(); ++i)
    depths[graph.values[i].name] = before[i] < 2 ? 0 : (before[i] - 1.0) / (last - 1.0);
  return depths;
}

ByteGrid gridOf(const Seen &seen, const Calibration &calibration, double depth) {
  if (!calibration.averages)
    return ByteGrid::over(seen.low, seen.high);
  const double factor = (1 + (calibration.ramp - 1) * depth) / static_cast<double>(seen.samples);
  return ByteGrid::over(seen.sumOfLows * factor, seen.sumOfHighs * factor);
}

} // namespace

Result<Calibration> parseCalibration(const std::string &text) {
  if (text == "min-max")
    return Calibration();
  if (text == "average")
    return Calibration{.averages = true};
  constexpr std::string_view ramped = "average:";
  double ramp = 0;
  if (text.starts_with(ramped)) {
    const char *const end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data() + ramped.size(), end, ramp);
    if (error == std::errc() && read == end && ramp >= 1 && ramp <= 16)
      return Calibration{.averages = true, .ramp = ramp};
  }
  return usageError("", fmt::format("unknown calibration method '{}'", text),
                    "write min-max, average, or average:R with R from 1 to 16");
}

Result<Int8Simulation> Int8Simulation::calibrate(const Model &model, std::span<const NamedTensors> samples,
                                                 const Calibration &calibration, const RunOptions &options,
                                                 Threads &threads) {
  const Graph &graph = model.graph;
  const StoredValues stored = findStoredValues(graph);
  const auto nameOf = [&](ValueId id) { return graph.values[static_cast<size_t>(id)].name; };
  SeenByName seen;
  for (const ValueId id : stored.rounded)
    seen[nameOf(id)];
  RunOptions capturing = options;
  capturing.progress = {};
  capturing.capture = [&](const std::string &name, const Tensor &value) { return addTo(seen, name, value); };
  TILERIG_TRY(const Interpreter interpreter, Interpreter::create(model, capturing, threads));
  for (const NamedTensors &sample : samples) {
    for (const auto &[name, tensor] : sample)
      TILERIG_CHECK_OK(addTo(seen, name, tensor));
    TILERIG_TRY([[maybe_unused]] const NamedTensors outputs, interpreter.run(sample));
  }
  const auto depths = depthsOf(graph);
  Int8Simulation simulation;
  for (const auto &[name, its] : seen)
    if (its.samples > 0)
      simulation.grids[name] = gridOf(its, calibration, depths.at(name));
  for (const auto &[id, axis] : stored.weights)
    simulation.weights[nameOf(id)] = axis;
  return simulation;
}

void Int8Simulation::applyTo(Model &model, RunOptions &options) const {
  const auto store = [this](const std::string &name, Tensor value) {
    if (value.dtype() != DType::f32)
      return value;
    if (const auto grid = grids.find(name); grid != grids.end())
      return roundedTo(grid->second, std::move(value));
    const auto axis = weights.find(name);
    return axis == weights.end() ? value : roundedWeights(std::move(value), axis->second);
  };
  for (auto &[id, tensor] : model.graph.initialisers)
    tensor = store(model.graph.values[static_cast<size_t>(id)].name, std::move(tensor));
  options.store = store;
}

} // namespace tilerig::reference
