#include "compiler/Precision/Calibrate.h"

namespace tilerig {

Result<CalibrationTable> calibrate(CalibrationSource &source, const CalibrationRequest &request) {
  std::vector<std::string> names;
  for (const auto &[name, type] : request.tensors)
    names.push_back(name);
  TRY(const StatisticsByName statistics, source.statistics(names));
  RangesByName ranges;
  for (const std::string &name : names) {
    const auto found = statistics.find(name);
    if (found == statistics.end())
      return internalError("tensor '" + name + "'", "the calibration left it out");
    TRY(ranges[name], chooseRange(name, found->second, request.method));
  }
  alignRanges(ranges, request.groups);
  CalibrationTable table;
  table.samples = source.describe();
  for (const auto &[name, type] : request.tensors)
    table.tensors[name] = {type, request.method, ranges.at(name)};
  return table;
}

} // namespace tilerig
