// Calibration statistics from runs of `tilerig reference`, one process for each sample. Captured values are
// stored in a temporary folder until they are counted, for one sample at a time.
#pragma once

#include "compiler/Planning/Quantisation/CalibrationSource.h"
#include "compiler/Planning/Quantisation/Samples.h"

#include <memory>

namespace tilerig::compiler {

struct ReferenceCommand {
  std::string program;  // path of tilerig-reference
  std::string model;    // path of the ONNX model
  unsigned threads = 0; // threads of the reference interpreter; 0: its default
};

class ReferenceCalibration final : public CalibrationSource {
public:
  // `inputs`: names of the model's inputs. The reference does not compute them, so they cannot be captured.
  ReferenceCalibration(ReferenceCommand command, std::vector<std::string> inputs,
                       std::unique_ptr<Samples> samples);

  // Runs all samples; shows a progress bar if the compiler runs on a terminal.
  Result<StatisticsByName> statistics(std::span<const std::string> tensors) override;
  std::string describe() const override { return samples->describe(); }

private:
  Status runSample(uint64_t sample, const std::string &folder, StatisticsByName &result);

  ReferenceCommand command;
  std::vector<std::string> inputs;
  std::unique_ptr<Samples> samples;
};

} // namespace tilerig::compiler
