#include "compiler/Reports/Cost/LayerTable.h"

#include "isa/Base/Support/Json.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <fmt/ranges.h>

namespace tilerig::compiler {

namespace {

std::string joined(const std::vector<std::string> &words) { return fmt::format("{}", fmt::join(words, "+")); }

// For each layer, the total cycles of its stages in the program `apart`, in which every stage contains one
// layer only.
std::vector<uint64_t> cyclesAlone(const GeneratedProgram &apart, const Json &statistics) {
  std::vector<uint64_t> cycles(apart.forecasts.size());
  const Json &stages = statistics.at("stages");
  for (size_t i = 0; i < stages.size(); ++i)
    cycles[apart.stageLayers[i]] += stages[i].at("cycles").get<uint64_t>();
  return cycles;
}

// What cycles on the critical path are spent on, the largest part first.
std::vector<std::pair<std::string, uint64_t>> partsOf(const Json &byWork) {
  std::vector<std::pair<std::string, uint64_t>> parts;
  for (const auto &[work, cycles] : byWork.items())
    parts.emplace_back(work, cycles.get<uint64_t>());
  std::ranges::stable_sort(parts, std::greater(), &std::pair<std::string, uint64_t>::second);
  return parts;
}

Status checkBound(const std::string &subject, uint64_t cycles, uint64_t bound) {
  if (cycles >= bound)
    return success();
  return internalError(subject, fmt::format("{} cycles are less than the lower bound of {}", cycles, bound));
}

// A column of the table that is printed as text; numbers are right-aligned.
struct Column {
  std::string title;
  bool isText = false;
  std::string (*cell)(const LayerRow &row);
};

std::string percent(double share) { return fmt::format("{:.1f}", 100 * share); }

const std::vector<Column> &columns() {
  static const std::vector<Column> all = {
      {"layer", false, [](const LayerRow &row) { return row.id ? std::to_string(row.id) : "total"; }},
      {"name", true, [](const LayerRow &row) { return row.name; }},
      {"kind", true, [](const LayerRow &row) { return row.kind; }},
      {"where", true, [](const LayerRow &row) { return row.where; }},
      {"strategy", true, [](const LayerRow &row) { return row.strategy; }},
      {"tiles", false, [](const LayerRow &row) { return std::to_string(row.tiles); }},
      {"cycles", false, [](const LayerRow &row) { return std::to_string(row.cycles); }},
      {"alone", false, [](const LayerRow &row) { return std::to_string(row.alone); }},
      {"predicted", false, [](const LayerRow &row) { return std::to_string(row.predicted); }},
      {"error_percent", false, [](const LayerRow &row) { return percent(row.error()); }},
      {"critical", false, [](const LayerRow &row) { return std::to_string(row.critical); }},
      {"bound", false, [](const LayerRow &row) { return std::to_string(row.roofline.bound); }},
      {"parallel", false, [](const LayerRow &row) { return std::to_string(row.roofline.parallel); }},
      {"serial", false, [](const LayerRow &row) { return std::to_string(row.roofline.serial); }},
      {"estimate", false, [](const LayerRow &row) { return std::to_string(row.roofline.estimate); }},
      {"utilisation_percent", false, [](const LayerRow &row) { return percent(row.utilisation); }},
      {"ocm_peak_bytes", false, [](const LayerRow &row) { return std::to_string(row.ocmPeakBytes); }},
      {"ddr_bytes", false, [](const LayerRow &row) { return std::to_string(row.ddrBytes); }},
      {"energy_pj", false, [](const LayerRow &row) { return fmt::format("{:.0f}", row.energyPj); }},
  };
  return all;
}

// The last row of the table, for the whole program. `alone`, `predicted` and the roofline estimates treat
// each layer as if it ran alone, so their sums over all layers are shown. All other numbers of the row are
// measured or computed for the whole program.
LayerRow totals(const LayerTable &table) {
  LayerRow total;
  total.name = table.model;
  for (const LayerRow &row : table.rows) {
    total.alone += row.alone;
    total.predicted += row.predicted;
    total.critical += row.critical;
    total.roofline.parallel += row.roofline.parallel;
    total.roofline.serial += row.roofline.serial;
    total.roofline.estimate += row.roofline.estimate;
  }
  total.tiles = table.tiles;
  total.cycles = table.cycles;
  total.roofline.bound = table.bound;
  total.utilisation = table.utilisation;
  total.ocmPeakBytes = table.ocmPeakBytes;
  total.ddrBytes = table.ddrBytes;
  total.energyPj = table.energyPj;
  return total;
}

std::string quoted(const std::string &text) {
  if (text.find_first_of(",\"\n") == std::string::npos)
    return text;
  std::string result = "\"";
  for (const char letter : text)
    result += letter == '"' ? "\"\"" : std::string(1, letter);
  return result + '"';
}

Json primitivesJson(const LayerDemand &demand) {
  Json all = Json::object();
  for (size_t i = 0; i < numPrimitives; ++i)
    if (const PrimitiveDemand &primitive = demand.primitives[i]; primitive.instructions > 0)
      all[std::string(nameOf(static_cast<Primitive>(i)))] = {{"instructions", primitive.instructions},
                                                             {"cycles", primitive.cycles},
                                                             {"least_cycles", primitive.leastCycles},
                                                             {"macs", primitive.macs}};
  return all;
}

Json partsJson(const LayerRow &row) {
  Json parts = Json::object();
  for (const auto &[work, cycles] : row.criticalBy)
    parts[work] = cycles;
  return parts;
}

Json rowJson(const LayerRow &row) {
  return {{"id", row.id},
          {"name", row.name},
          {"kind", row.kind},
          {"where", row.where},
          {"strategy", row.strategy},
          {"tiles", row.tiles},
          {"cycles", row.cycles},
          {"alone_cycles", row.alone},
          {"predicted_cycles", row.predicted},
          {"error", row.error()},
          {"critical_cycles", row.critical},
          {"critical_cycles_by", partsJson(row)},
          {"lost_cycles", row.lost()},
          {"bound_cycles", row.roofline.bound},
          {"bound_by", row.boundBy.empty() ? Json() : Json(row.boundBy)},
          {"parallel_cycles", row.roofline.parallel},
          {"serial_cycles", row.roofline.serial},
          {"estimate_cycles", row.roofline.estimate},
          {"utilisation", row.utilisation},
          {"ocm_peak_bytes", row.ocmPeakBytes},
          {"ddr_bytes", row.ddrBytes},
          {"energy_pj", row.energyPj},
          {"primitives", primitivesJson(row.demand)}};
}

// The layers that lose most cycles, and what they spend their cycles on the critical path on.
std::string losses(const LayerTable &table) {
  constexpr size_t mostRows = 10;
  std::vector<const LayerRow *> rows;
  for (const LayerRow &row : table.rows)
    if (row.lost() > 0)
      rows.push_back(&row);
  std::ranges::stable_sort(rows, std::greater(), &LayerRow::lost);
  if (rows.empty())
    return {};
  size_t width = 0;
  for (size_t i = 0; i < std::min(rows.size(), mostRows); ++i)
    width = std::max(width, rows[i]->name.size());
  std::string text = "cycles on the critical path beyond the lower bound of a layer:\n";
  uint64_t rest = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const LayerRow &row = *rows[i];
    if (i >= mostRows) {
      rest += row.lost();
      continue;
    }
    std::vector<std::string> parts;
    for (const auto &[work, cycles] : row.criticalBy)
      parts.push_back(fmt::format("{} {}", work, cycles));
    text += fmt::format("{:>5}  {:<{}}  {:>8} lost, bound {}{}{}; spent on: {}\n", row.id, row.name, width,
                        row.lost(), row.roofline.bound, row.boundBy.empty() ? "" : " by ", row.boundBy,
                        fmt::join(parts, ", "));
  }
  if (rows.size() > mostRows)
    text += fmt::format("{} other layers: {} lost\n", rows.size() - mostRows, rest);
  return text;
}

Json figuresJson(const ErrorFigures &figures) {
  return {{"median", figures.median}, {"p95", figures.p95}, {"layers", figures.layers}};
}

Json syncJson(const LayerTable &table) {
  const SyncCounts &sync = table.sync;
  return {{"dependencies", table.dependencies.total},
          {"follow_from_others", table.dependencies.thinned},
          {"edges", sync.edges},
          {"same_engine", sync.sameEngine},
          {"before_removal", sync.before()},
          {"removed", sync.implied},
          {"after_removal", sync.after()},
          {"local_syncs", sync.locals},
          {"semaphore_waits", sync.semaphores},
          {"signals", sync.signals},
          {"relays", sync.relays},
          {"barriers", sync.barriers}};
}

} // namespace

Result<LayerTable> layerTable(const GeneratedProgram &apart, const Json &statistics,
                              const Json &statisticsApart) {
  const Program &program = apart.program;
  const std::vector<uint64_t> alone = cyclesAlone(apart, statisticsApart);
  LayerTable table{
      .model = program.metadata.model(), .machine = program.machine.name, .tiles = program.tiles};
  table.cycles = statistics.at("cycles");
  table.bound = statistics.at("bound_cycles");
  table.utilisation = statistics.at("utilisation");
  table.ddrBytes = statistics.at("ddr_bytes");
  table.energyPj = statistics.at("energy_pj");
  TILERIG_CHECK_OK(checkBound(table.model, table.cycles, table.bound));
  for (size_t i = 0; i < apart.forecasts.size(); ++i) {
    const LayerForecast &forecast = apart.forecasts[i];
    const StrategyLayer &strategy = apart.strategy.layers[i];
    const Json &measured = statistics.at("layers").at(i);
    const proto::Layer &layer = program.metadata.layers(static_cast<int>(i));
    LayerRow row{.id = i + 1,
                 .name = layer.name(),
                 .kind = layer.kind(),
                 .where = layer.where(),
                 .strategy = joined(strategy.applied),
                 .tiles = strategy.tiles.value_or(0),
                 .runs = forecast.runs,
                 .cycles = measured.at("cycles"),
                 .alone = alone[i],
                 .predicted = forecast.cycles,
                 .roofline = rooflineOf(forecast.demand),
                 .critical = measured.at("critical_cycles"),
                 .criticalBy = partsOf(measured.at("critical_cycles_by")),
                 .boundBy =
                     measured.at("bound_by").is_null() ? "" : measured.at("bound_by").get<std::string>(),
                 .ocmPeakBytes = forecast.ocmBytes,
                 .ddrBytes = measured.at("ddr_bytes"),
                 .energyPj = measured.at("energy_pj"),
                 .demand = forecast.demand};
    if (row.alone)
      row.utilisation = static_cast<double>(row.demand.peakCycles) / static_cast<double>(row.alone);
    TILERIG_CHECK_OK(
        checkBound(fmt::format("layer {} ('{}')", row.id, row.name), row.alone, row.roofline.bound));
    TILERIG_CHECK_OK(checkBound(fmt::format("the predicted time of layer {} ('{}')", row.id, row.name),
                                row.predicted, row.roofline.bound));
    table.ocmPeakBytes = std::max(table.ocmPeakBytes, row.ocmPeakBytes);
    table.rows.push_back(std::move(row));
  }
  return table;
}

ErrorFigures errorFigures(std::vector<double> errors) {
  if (errors.empty())
    return {};
  for (double &error : errors)
    error = std::abs(error);
  std::ranges::sort(errors);
  // The error that the fraction `share` of all errors does not exceed (quantile by nearest rank); `share` is
  // 0.5 for the median.
  const auto at = [&](double share) {
    const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(errors.size())));
    return errors[std::max<size_t>(rank, 1) - 1];
  };
  return {at(0.5), at(0.95), errors.size()};
}
ErrorFigures predictionErrors(const LayerTable &table) {
  std::vector<double> errors;
  for (const LayerRow &row : table.rows)
    if (row.runs)
      errors.push_back(row.error());
  return errorFigures(std::move(errors));
}
ErrorFigures estimateErrors(const LayerTable &table) {
  std::vector<double> errors;
  for (const LayerRow &row : table.rows)
    if (row.runs && row.where != "host")
      errors.push_back(row.estimateError());
  return errorFigures(std::move(errors));
}

std::string asText(const LayerTable &table) {
  std::vector<LayerRow> rows = table.rows;
  rows.push_back(totals(table));
  std::vector<std::vector<std::string>> cells(rows.size() + 1);
  std::string text = fmt::format("{} on {} tiles of {}: {} cycles, {} expected; {}\n", table.model,
                                 table.tiles, table.machine, table.cycles, table.expected, table.note);
  for (const Column &column : columns()) {
    size_t width = column.title.size();
    for (const LayerRow &row : rows)
      width = std::max(width, column.cell(row).size());
    const auto put = [&](size_t line, const std::string &cell) {
      cells[line].push_back(column.isText ? fmt::format("{:<{}}", cell, width)
                                          : fmt::format("{:>{}}", cell, width));
    };
    put(0, column.title);
    for (size_t i = 0; i < rows.size(); ++i)
      put(i + 1, column.cell(rows[i]));
  }
  for (const std::vector<std::string> &line : cells)
    text += fmt::format("{}\n", fmt::join(line, "  "));
  text += losses(table);
  const ErrorFigures predicted = predictionErrors(table), estimated = estimateErrors(table);
  text += fmt::format(
      "errors of the cycles of {} layers, each run alone: prediction {} % (median), {} % (95th percentile); "
      "estimate {} %, {} %\n",
      predicted.layers, percent(predicted.median), percent(predicted.p95), percent(estimated.median),
      percent(estimated.p95));
  const SyncCounts &sync = table.sync;
  text += fmt::format(
      "synchronisation: {} dependencies between engines, of which {} are implied by others and {} "
      "need a wait ({} local syncs, {} semaphore waits)\n",
      sync.before(), sync.implied, sync.after(), sync.locals, sync.semaphores);
  return text;
}

std::string asCsv(const LayerTable &table) {
  std::vector<std::string> titles;
  for (const Column &column : columns())
    titles.push_back(column.title);
  std::string text = fmt::format("{}\n", fmt::join(titles, ","));
  std::vector<LayerRow> rows = table.rows;
  rows.push_back(totals(table));
  for (const LayerRow &row : rows) {
    std::vector<std::string> cells;
    for (const Column &column : columns())
      cells.push_back(quoted(column.cell(row)));
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

Json asJson(const LayerTable &table) {
  Json layers = Json::array();
  for (const LayerRow &row : table.rows)
    layers.push_back(rowJson(row));
  const LayerRow total = totals(table);
  return {{"model", table.model},
          {"machine", table.machine},
          {"tiles", table.tiles},
          {"run", table.note},
          {"cycles", table.cycles},
          {"expected_cycles", table.expected},
          {"alone_cycles", total.alone},
          {"predicted_cycles", total.predicted},
          {"bound_cycles", table.bound},
          {"utilisation", table.utilisation},
          {"ocm_peak_bytes", table.ocmPeakBytes},
          {"ddr_bytes", table.ddrBytes},
          {"energy_pj", table.energyPj},
          {"prediction_error", figuresJson(predictionErrors(table))},
          {"estimate_error", figuresJson(estimateErrors(table))},
          {"synchronisation", syncJson(table)},
          {"layers", layers}};
}

} // namespace tilerig::compiler
