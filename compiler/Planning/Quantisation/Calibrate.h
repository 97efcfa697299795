// Runs a calibration: from samples to a calibration table.
#pragma once

#include "compiler/Planning/Quantisation/AlignRanges.h"
#include "compiler/Planning/Quantisation/CalibrationSource.h"
#include "compiler/Planning/Quantisation/CalibrationTable.h"

#include <set>

namespace tilerig::compiler {

struct CalibrationRequest {
  std::map<std::string, QuantisedType> tensors; // tensors to calibrate, with their storage types
  RangeMethod method;
  std::vector<SharingGroup> groups;  // groups of tensors that share one range
  std::set<std::string> masked = {}; // float tensors that may be infinite: infinities are ignored
  // Position of each tensor in the network, between the first layer (0) and the last (1); 0 for tensors that
  // are not in the map.
  std::map<std::string, double> depths = {};
};

// Returns a table with a row for every tensor of the request. Names in `groups` that are not tensors of the
// request are ignored.
Result<CalibrationTable> calibrate(CalibrationSource &source, const CalibrationRequest &request);

} // namespace tilerig::compiler
