// Rows that are none: the evidence of two, of which each number is that of the one or of the other by chance.
//
// A bug that nobody knows shows what known ones show, in another company. So while a model learns to name
// classes it also learns to tell rows from mixtures of rows of two classes: what it then knows of numbers
// that go together holds for bugs that it never saw. After S. Yun and others (CutMix, 2019), who mix
// pictures, and D. Hendrycks and others (Deep anomaly detection with outlier exposure, 2019), who learn what
// is none of the known.
#pragma once

#include "classifier/Data/Rows.h"
#include "classifier/Training/Augment.h"

namespace tilerig::classifier {

struct Mixture {
  size_t first = 0, second = 0;                   // rows
  Changes changes;                                // facts of both; channels that are missing
  std::bitset<verify::numChannels> ofSecond = {}; // channels
};

// Of two rows out of `training`, of different classes if there are any. Both lack the same.
Mixture drawMixture(const Rows &rows, std::span<const size_t> training, Chance chance);

} // namespace tilerig::classifier
