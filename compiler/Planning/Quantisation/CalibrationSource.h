// Interface through which the compiler gets calibration statistics, independent of the reference: `tilerig
// check` implements it in process, `tilerig compile` by starting `tilerig reference`
// (ReferenceCalibration.h).
#pragma once

#include "compiler/Planning/Quantisation/TensorStatistics.h"

#include <span>
#include <string>

namespace tilerig::compiler {

class CalibrationSource {
public:
  virtual ~CalibrationSource() = default;

  // Statistics of the named tensors over all samples, with the model computed in fp32. The tensors are inputs
  // of the model or values that its nodes compute, declared as floats. An error names the sample and the
  // tensor.
  virtual Result<StatisticsByName> statistics(std::span<const std::string> tensors) = 0;
  // Describes the calibration samples, for example "64 samples of pictures.npz", for users and for the
  // calibration table.
  virtual std::string describe() const = 0;
};

} // namespace tilerig::compiler
