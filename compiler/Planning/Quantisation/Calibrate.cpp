#include "compiler/Planning/Quantisation/Calibrate.h"

#include "compiler/Planning/Quantisation/RangeSearch.h"

namespace tilerig::compiler {

namespace {

Result<ValueRange> rangeOf(const std::string &name, const TensorStatistics &statistics,
                           const CalibrationRequest &request) {
  if (request.masked.contains(name) && statistics.nonFinite() > 0)
    return statistics.count() > 0 ? minMaxRange(statistics) : ValueRange();
  const auto depth = request.depths.find(name);
  return chooseRange(name, statistics, request.method, depth != request.depths.end() ? depth->second : 0);
}

} // namespace

Result<CalibrationTable> calibrate(CalibrationSource &source, const CalibrationRequest &request) {
  std::vector<std::string> names;
  for (const auto &[name, type] : request.tensors)
    names.push_back(name);
  TILERIG_TRY(const StatisticsByName statistics, source.statistics(names));
  RangesByName ranges;
  for (const std::string &name : names) {
    const auto entry = statistics.find(name);
    if (entry == statistics.end())
      return internalError("tensor '" + name + "'", "the calibration run measured no range of this tensor");
    TILERIG_TRY(ranges[name], rangeOf(name, entry->second, request));
  }
  alignRanges(ranges, request.groups);
  CalibrationTable table;
  table.samples = source.describe();
  for (const auto &[name, type] : request.tensors)
    table.tensors[name] = {type, request.method, ranges.at(name)};
  return table;
}

} // namespace tilerig::compiler
