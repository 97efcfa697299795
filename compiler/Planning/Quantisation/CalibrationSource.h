// Interface through which the compiler gets calibration statistics, so that it does not depend on the
// reference interpreter, which computes them. `tilerig check` runs the reference in its own process; `tilerig
// compile` starts `tilerig reference` (ReferenceCalibration.h).
#pragma once

#include "compiler/Planning/Quantisation/TensorStatistics.h"

#include <span>
#include <string>

namespace tilerig::compiler {

class CalibrationSource {
public:
  virtual ~CalibrationSource() = default;

  // Runs the model on all samples in fp32 and returns statistics of the values of the named tensors. The
  // tensors are float inputs of the model or float values that its nodes compute. Errors name the sample and
  // the tensor.
  virtual Result<StatisticsByName> statistics(std::span<const std::string> tensors) = 0;
  // Describes the calibration samples, for example "64 samples of pictures.npz", for users and for the
  // calibration table.
  virtual std::string describe() const = 0;
};

} // namespace tilerig::compiler
