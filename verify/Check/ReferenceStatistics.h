// Calibration statistics from the reference interpreter, in process: no files are written and no command is
// started.
#pragma once

#include "compiler/Planning/Quantisation/CalibrationSource.h"
#include "verify/Check/ReferenceRun.h"

#include <vector>

namespace tilerig::verify {

class ReferenceStatistics final : public compiler::CalibrationSource {
public:
  // `description` names the calibration samples in messages to the user.
  ReferenceStatistics(ReferenceRun model, std::vector<TensorMap> samples, std::string description)
      : model(std::move(model)), samples(std::move(samples)), description(std::move(description)) {}

  Result<compiler::StatisticsByName> statistics(std::span<const std::string> tensors) override;
  std::string describe() const override { return description; }

private:
  ReferenceRun model;
  std::vector<TensorMap> samples;
  std::string description;
};

} // namespace tilerig::verify
