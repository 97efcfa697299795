// Statistics from runs of `tilerig reference`, a process for each sample. The values that it captures lie in
// a temporary folder until they are counted, those of one sample at a time.
#pragma once

#include "compiler/Precision/CalibrationSource.h"
#include "compiler/Precision/Samples.h"

#include <memory>

namespace tilerig {

struct ReferenceCommand {
  std::string program;  // tilerig-reference
  std::string model;    // .onnx
  unsigned threads = 0; // 0: as many as it takes by itself
};

class ReferenceCalibration final : public CalibrationSource {
public:
  // `inputs` are the names of the model's: the reference does not compute them, so they cannot be captured.
  ReferenceCalibration(ReferenceCommand command, std::vector<std::string> inputs,
                       std::unique_ptr<Samples> samples);

  // With a progress bar on a terminal.
  Result<StatisticsByName> statistics(std::span<const std::string> tensors) override;
  std::string describe() const override { return samples->describe(); }

private:
  Status runSample(uint64_t sample, const std::string &folder, StatisticsByName &result);

  ReferenceCommand command;
  std::vector<std::string> inputs;
  std::unique_ptr<Samples> samples;
};

} // namespace tilerig
