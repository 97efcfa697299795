// How widely the values of channels are spread on both sides, wherever they lie: what is read from another
// place keeps its spread, and what is computed from other coefficients does not.
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
  // By how much the variance has changed, |ln(target / reference)|, of channels without the border: their
  // median.
  double change = 0;
  // Correlation of that change in the upper half of the image with that in the lower half, over channels: of
  // other coefficients both halves tell, chance is another one in each.
  double agreement = 0;
  // The change of the variance of all channels at the last row (column) less that at the first one: above
  // zero where the image has moved towards its end, and zeros have come in at its front.
  Estimate downwards, rightwards;
  double wrongChannels = 0, wrongRows = 0, wrongColumns = 0; // shares of those with a wrong element
};

// Of a tensor with an image; of others all is zero.
Spreads spreadsOf(const WrongElements &wrong);

// The share of the wrong elements that lie in channels with other values throughout, while other channels are
// right.
double shareInReplacedChannels(const WrongElements &wrong);

} // namespace tilerig::verify
