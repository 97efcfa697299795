// Synthetic outliers: mixtures of the measurements of two rows, in which each number comes from either row at
// random.
//
// A model learns to tell such mixtures from real rows. This helps to detect unknown bugs, because they often
// show traces of known bugs in new combinations. After S. Yun and others (CutMix, 2019), who mix pictures,
// and D. Hendrycks and others (Deep anomaly detection with outlier exposure, 2019), who train on outliers.
#pragma once

#include "classifier/Data/Rows.h"
#include "classifier/Training/Augment.h"

namespace tilerig::classifier {

struct Mixture {
  size_t first = 0, second = 0; // indices of the two rows that are mixed
  Changes changes;              // features of the mixture, and channels that are missing in it
  std::bitset<verify::numChannels> ofSecond = {}; // input channels taken from the second row
};

// Draws two training rows, of different classes if possible, and mixes them. The same measurements are hidden
// in both rows.
Mixture drawMixture(const Rows &rows, std::span<const size_t> training, Chance chance);

} // namespace tilerig::classifier
