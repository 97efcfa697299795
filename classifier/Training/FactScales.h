// Statistics of the facts (the single numbers of the evidence) over the training rows, with which networks
// normalise the facts: means, deviations, and positions of the hinges (readFacts in Models/Kinds.h).
#pragma once

#include "classifier/Data/Rows.h"
#include "classifier/Models/Kinds.h"

#include <vector>

namespace tilerig::classifier {

struct FactScales {
  std::vector<float> mean, factor;        // [numFacts] each; factor is 1 / standard deviation
  std::vector<float> hinges, hingeFactor; // [numHinges, numFacts] each; hingeFactor repeats factor
};

// Computes the statistics. The hinges of a fact are evenly spaced quantiles of its non-zero values, because
// zero means that a fact does not apply.
FactScales scalesOf(const Rows &rows, const std::vector<size_t> &training);

} // namespace tilerig::classifier
