// Compares the variance of each channel on both sides. Reading from another place keeps the variance of a
// channel; computing with other coefficients changes it.
#pragma once

#include "verify/Evidence/WrongElements.h"

#include <cmath>

namespace tilerig::verify {

// A number with its standard error over channels.
struct Estimate {
  double value = 0, standardError = 0;

  bool isSignificant() const { return std::fabs(value) > 4 * standardError; }
};

struct Spreads {
  // Median over channels of |ln(variance of target / variance of reference)|, without the border.
  double change = 0;
  // Correlation over channels of that change in the upper half of the image with that in the lower half. It
  // is high if coefficients differ, which affects both halves alike, and low by chance.
  double agreement = 0;
  // Change of the variance, over all channels, at the last row (column) less that at the first: positive if
  // the image has moved towards its end and zeros have come in at its front.
  Estimate downwards, rightwards;
  double wrongChannels = 0, wrongRows = 0, wrongColumns = 0; // shares that have a wrong element
};

// For a tensor with an image; for others all fields are zero.
Spreads spreadsOf(const WrongElements &wrong);

// Share of the wrong elements that lie in channels which are wrong throughout, provided that other channels
// are right.
double shareInReplacedChannels(const WrongElements &wrong);

} // namespace tilerig::verify
