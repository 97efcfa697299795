// Accuracy that a precision costs without any bug: where the model as emitted, which states every bit that
// the device has to give, is far from the model itself.
//
// The figure is the ratio of signal to noise of each tensor, in decibels. A tensor is poor below
// `poorDecibels`. It is a place of loss where all that it is computed from is better by `lostDecibels` or
// more: that layer, and not those before it, cost the accuracy.
#pragma once

#include "verify/Records/Record.h"

#include <optional>

namespace tilerig::verify {

inline constexpr double poorDecibels = 10; // noise of a tenth of the signal's power
inline constexpr double lostDecibels = 6;  // four times the noise

struct NoisyTensor {
  std::string name;
  double decibels = 0;
};

// The tensor with the lowest figure; none where no tensor differs from the model's.
std::optional<NoisyTensor> noisiest(const std::vector<Json> &records);

// Of the kind `accuracy`, where any tensor is poor: `poor` (how many), `of`, `below_db`, `worst` and
// `worst_db`, `lost_at`, which are the layers at places of loss by the names that a precision file takes, the
// worst first, and `advice`.
std::optional<Json> accuracyRecord(const std::vector<Json> &records);
// For people, in two lines.
std::string describeAccuracy(const Json &record);

} // namespace tilerig::verify
