// Finds accuracy that is lost to a precision, without any bug: tensors of the emitted ONNX model that are far
// from the original model's.
//
// The measure is the signal-to-noise ratio of each tensor, in decibels. A tensor whose ratio is below a
// threshold is called poor. Accuracy is lost at a layer if its result has a ratio that is much lower than the
// ratios of all the tensors that the layer reads.
#pragma once

#include "verify/Records/Record.h"

#include <optional>

namespace tilerig::verify {

// A signal-to-noise ratio below this is poor: the noise has a tenth of the signal's power.
inline constexpr double poorDecibels = 10;
// Loss of signal-to-noise ratio from a layer's inputs to its result: the noise becomes four times larger.
inline constexpr double lostDecibels = 6;

struct NoisyTensor {
  std::string name;
  double decibels = 0;
};

// The tensor with the lowest signal-to-noise ratio; empty if no tensor differs from the original model's.
std::optional<NoisyTensor> noisiest(const std::vector<Json> &records);

// Returns a record of the kind `accuracy` if any tensor is poor, that is, if its signal-to-noise ratio is
// below a limit (`below_db`). It counts the poor tensors (`poor`) and all tensors (`of`). It names the worst
// tensor (`worst`, `worst_db`) and the layers where accuracy is lost (`lost_at`, the worst first, by the
// names that a precision file takes), and says what the user can do (`advice`).
std::optional<Json> accuracyRecord(const std::vector<Json> &records);
// Formats a record of the kind `accuracy` (accuracy lost to the precision) as two lines of text.
std::string describeAccuracy(const Json &record);

} // namespace tilerig::verify
