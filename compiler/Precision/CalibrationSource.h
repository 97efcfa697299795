// Where the compiler has its calibration statistics from. It asks through this interface and does not know
// the reference: `tilerig check` answers in process, `tilerig compile` by starting `tilerig reference`
// (ReferenceCalibration.h).
#pragma once

#include "compiler/Precision/TensorStatistics.h"

#include <span>
#include <string>

namespace tilerig {

class CalibrationSource {
public:
  virtual ~CalibrationSource() = default;

  // What these tensors hold, over all samples, where the model is computed in fp32: inputs of the model, and
  // values that its nodes compute, all of which the model says are floats. An error names sample and tensor.
  virtual Result<StatisticsByName> statistics(std::span<const std::string> tensors) = 0;
  // The samples in words, "64 samples of pictures.npz": users are told, and a table keeps it.
  virtual std::string describe() const = 0;
};

} // namespace tilerig
