// How widely the values of channels are spread on both sides, wherever they lie: what is read from another
// place keeps its spread, and what is computed from other coefficients does not.
#pragma once

#include "verify/Evidence/WrongElements.h"

namespace tilerig::verify {

struct Spreads {
  // Median of |ln(target / reference)| of the variances of channels, the border of the image left out.
  double change = 0;
  // ln of that quotient at the last rows (columns) less that at the first ones: above zero where the image
  // has moved towards its end, and zeros have come in at its front.
  double downwards = 0, rightwards = 0;
  double wrongChannels = 0, wrongRows = 0, wrongColumns = 0; // shares of those with a wrong element
};

// Of a tensor with an image; of others all is zero.
Spreads spreadsOf(const WrongElements &wrong);

// The share of the wrong elements that lie in channels that are wrong throughout while others are right.
double shareInWholeChannels(const WrongElements &wrong);

} // namespace tilerig::verify
