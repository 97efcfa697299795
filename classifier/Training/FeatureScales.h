// Statistics of the features (the single numbers that a classifier reads) over the training rows, by which
// networks normalise the features: means, deviations, and positions of the hinges (readFeatures in
// Models/Kinds.h).
#pragma once

#include "classifier/Data/Rows.h"
#include "classifier/Models/Kinds.h"

#include <vector>

namespace tilerig::classifier {

struct FeatureScales {
  // Mean and 1 / standard deviation of each feature: shape [numFeatures].
  std::vector<float> mean, factor;
  // Each feature is also passed to `numHinges` piecewise linear functions of the form
  // max(0, (feature - position) · factor): their positions and factors, both of shape [numHinges, numFeatures].
  // The factor is 1 / standard deviation of the feature.
  std::vector<float> hinges, hingeFactor;
};

// Computes the statistics. The hinges of a feature are evenly spaced quantiles of its non-zero values,
// because zero means that a feature does not apply.
FeatureScales scalesOf(const Rows &rows, const std::vector<size_t> &training);

} // namespace tilerig::classifier
