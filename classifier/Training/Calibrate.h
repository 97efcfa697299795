// What is decided after training, on rows that were not trained on: how sure the model may be, and when it
// has to say that it knows nothing like this.
//
// The temperature (C. Guo and others: On calibration of modern neural networks, 2017) is the one under which
// those rows are likeliest; where it is known that there is a bug (verify/Verdict/Verdict.h), under that
// condition.
//
// The score of the unknown is a line in two numbers: the largest logit (D. Hendrycks and others, 2022) and
// the distance of the features to what was trained on (K. Lee and others: A simple unified framework for
// detecting out-of-distribution samples, 2018; FeatureSpace.h). Which of them says more is decided by bugs
// that are kept out for that; other ones judge it. Its zero is where 95 of 100 known rows pass.
#pragma once

#include "classifier/Training/FeatureSpace.h"

#include <array>

namespace tilerig::classifier {

inline constexpr size_t numUnknownScores = 2;
using UnknownScores = std::array<double, numUnknownScores>;

struct Calibration {
  double temperature = 1;
  FeatureSpace space;
  UnknownScores weights{};
  double bias = 0;

  UnknownScores scores(std::span<const float> logits, std::span<const float> features) const;
  double unknown(std::span<const float> logits, std::span<const float> features) const; // above 0: unknown
};

// Refused where there are no rows to calibrate on.
Result<Calibration> calibrate(const Rows &rows, const KnownRows &training, const KnownRows &calibration,
                              const KnownRows &unknown);

// By classes of the rows.
double fitTemperature(const Rows &rows, const KnownRows &known);

} // namespace tilerig::classifier
