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
  // `inputs` are those of the model: the reference does not compute them, so they are no captured values.
  ReferenceCalibration(ReferenceCommand command, std::vector<ModelInput> inputs,
                       std::unique_ptr<Samples> samples);

  // With a progress bar on a terminal.
  Result<StatisticsByName> statistics(std::span<const std::string> tensors) override;
  std::string describe() const override { return samples->describe(); }

private:
  Status runSample(uint64_t sample, const std::string &folder, StatisticsByName &result);
  const ModelInput *findInput(const std::string &name) const;
  Status addFrom(const std::string &file, const std::vector<std::string> &names,
                 StatisticsByName &result) const;

  ReferenceCommand command;
  std::vector<ModelInput> inputs;
  std::unique_ptr<Samples> samples;
};

} // namespace tilerig
