// What is decided after training, on rows that were not trained on: how sure the model may be, and when it
// has to say that it knows nothing like this.
//
// The temperature (C. Guo and others: On calibration of modern neural networks, 2017) is the one under which
// those rows are likeliest; where it is known that there is a bug (verify/Verdict/Verdict.h), under that
// condition, of models that know what no error is.
//
// The score of the unknown is the sum of three numbers: how small the largest logit is (D. Hendrycks and
// others: Scaling out-of-distribution detection for real-world settings, 2022), how much rather than of that
// class a row is a mixture of others (Mixtures.h), and how far its features are from what was trained on
// (FeatureSpace.h). Each counts by how it differs between known rows. Its zero is where 95 of 100 known bugs
// pass.
#pragma once

#include "classifier/Training/FeatureSpace.h"

#include <array>

namespace tilerig::classifier {

inline constexpr size_t numUnknownScores = 3;
using UnknownScores = std::array<double, numUnknownScores>;

struct Calibration {
  double temperature = 1;
  FeatureSpace space;
  UnknownScores weights{};
  double bias = 0;

  UnknownScores scores(const Answers &answers, size_t i) const;
  double unknown(const Answers &answers, size_t i) const; // above 0: unknown
};

// Whether there are rows of bugs among these, by which alone it can be calibrated; to be asked before hours
// of training.
Status checkCalibrates(const Rows &rows, const Indices &which);

// Refused where there are no rows of bugs to calibrate on.
Result<Calibration> calibrate(const Rows &rows, const KnownRows &training, const KnownRows &calibration,
                              Labels labels = {});

double fitTemperature(const Rows &rows, const KnownRows &known, Labels labels = {});

} // namespace tilerig::classifier
