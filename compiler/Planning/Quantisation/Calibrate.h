// Runs a calibration: computes a calibration table from input samples.
#pragma once

#include "compiler/Planning/Quantisation/AlignRanges.h"
#include "compiler/Planning/Quantisation/CalibrationSource.h"
#include "compiler/Planning/Quantisation/CalibrationTable.h"

#include <set>

namespace tilerig::compiler {

struct CalibrationRequest {
  std::map<std::string, QuantisedType> tensors; // names of the tensors to calibrate, with their storage types
  RangeMethod method;
  std::vector<SharingGroup> groups; // groups of tensors that share one range
  // float tensors that may contain infinities, which the calibration ignores
  std::set<std::string> masked = {};
  // For each tensor, its position in the network: 0 at the first layer, 1 at the last. Tensors that are not
  // in the map are at position 0.
  std::map<std::string, double> depths = {};
};

// Returns a table with a row for every tensor of the request. Names in `groups` that are not tensors of the
// request are ignored.
Result<CalibrationTable> calibrate(CalibrationSource &source, const CalibrationRequest &request);

} // namespace tilerig::compiler
