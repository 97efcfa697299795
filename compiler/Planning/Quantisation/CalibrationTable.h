// The result of a calibration as a JSON file, so that it can be reused without the samples:
//
//   {"file_type": "Calibration",
//    "samples": "64 samples of pictures.npz",          information for users
//    "tensors": {"conv1": {"type": "int8", "method": "entropy", "min": -1.5, "max": 2.25,
//                          "scale": 0.014705882407724857, "zero_point": -26}, ...}}
//
// Scale and zero point are computed from type, min and max. A file with another scale or zero point is
// refused, since it is unknown which of the values is wrong. Numbers are written with so many digits that
// reading gives the same bits.
#pragma once

#include "compiler/Planning/Quantisation/ActivationParameters.h"
#include "compiler/Planning/Quantisation/RangeMethod.h"

#include <map>
#include <string>

namespace tilerig::compiler {

struct CalibratedTensor {
  QuantisedType type = QuantisedType::int8;
  RangeMethod method;
  ValueRange range;

  QuantisationParameters parameters() const { return asymmetricParameters(range, type); }
  bool operator==(const CalibratedTensor &) const = default;
};

struct CalibrationTable {
  std::string samples; // description of the calibration samples for users; may be empty
  std::map<std::string, CalibratedTensor, std::less<>> tensors;

  std::string print() const;
  static Result<CalibrationTable> parse(std::string_view text);
  Status save(const std::string &path) const;
  static Result<CalibrationTable> read(const std::string &path);

  // The row of a tensor in the calibration table. If the table has none, returns an error that suggests the
  // most similar name.
  Result<CalibratedTensor> get(const std::string &name) const;

  bool operator==(const CalibrationTable &) const = default;
};

} // namespace tilerig::compiler
