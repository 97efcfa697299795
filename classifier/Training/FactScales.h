// How facts lie over the rows that are trained on, by which networks read them: means, deviations, and the
// places where hinges stand (Models/Kinds.h: readFacts).
#pragma once

#include "classifier/Data/Rows.h"
#include "classifier/Models/Kinds.h"

#include <vector>

namespace tilerig::classifier {

struct FactScales {
  std::vector<float> mean, factor;        // [numFacts]; the factor is one over the deviation
  std::vector<float> hinges, hingeFactor; // [numHinges, numFacts]
};

// Hinges stand at even shares of the values that are not 0: zero says that there is nothing to say.
FactScales scalesOf(const Rows &rows, const std::vector<size_t> &training);

} // namespace tilerig::classifier
