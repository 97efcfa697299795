// From samples to a table: the whole of a calibration.
#pragma once

#include "compiler/Precision/AlignRanges.h"
#include "compiler/Precision/CalibrationSource.h"
#include "compiler/Precision/CalibrationTable.h"

#include <set>

namespace tilerig {

struct CalibrationRequest {
  std::map<std::string, QuantisedType> tensors; // whose ranges are wanted, and how they will be stored
  RangeMethod method;
  std::vector<SharingGroup> groups;  // tensors that get one range
  std::set<std::string> masked = {}; // that stay floats and may be infinite: their range is that of the rest
  // Where tensors stand between the first layer (0) and the last (1); 0 where none is given.
  std::map<std::string, double> depths = {};
};

// A row for every tensor of the request. Members of a group that are no tensors of it are left out.
Result<CalibrationTable> calibrate(CalibrationSource &source, const CalibrationRequest &request);

} // namespace tilerig
