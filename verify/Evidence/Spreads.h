// Compares the variance of each channel in the target with that in the reference. If right values were only
// read at other positions, the variance of a channel stays the same; if a channel was computed with wrong
// weights, it changes.
#pragma once

#include "verify/Evidence/WrongElements.h"

#include <cmath>

namespace tilerig::verify {

// A number, and its standard error as estimated from the differences between channels.
struct Estimate {
  double value = 0, standardError = 0;

  bool isSignificant() const { return std::fabs(value) > 4 * standardError; }
};

struct Spreads {
  // Median over channels of |ln(variance of target / variance of reference)|; the border of the image is left
  // out.
  double change = 0;
  // Correlation over channels of ln(variance of target / variance of reference) in the upper half of the
  // image with that in the lower half. It is high if weights are wrong, because these affect both halves
  // alike.
  double agreement = 0;
  // How much ln(variance of target / variance of reference), over all channels, is larger in the last row
  // (column) than in the first. It is positive if the image has been shifted towards its end, with zeros at
  // its front.
  Estimate downwards, rightwards;
  // Shares of the channels, rows and columns that have a wrong element.
  double wrongChannels = 0, wrongRows = 0, wrongColumns = 0;
};

// Measures how the variances of a tensor with at least four axes differ; for other tensors all fields are
// zero.
Spreads spreadsOf(const WrongElements &wrong);

// Share of the wrong elements that lie in channels which are wrong throughout, provided that other channels
// are right.
double shareInReplacedChannels(const WrongElements &wrong);

} // namespace tilerig::verify
