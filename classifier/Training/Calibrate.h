// Calibration after training, on rows that were not trained on: the temperature of the probabilities, and the
// threshold of the unknown score, above which a row counts as an unknown bug.
//
// The temperature (C. Guo and others: On calibration of modern neural networks, 2017) maximises the
// likelihood of these rows. For rows that are known to have a bug, the probability of the class "no error" is
// left out.
//
// The unknown score is a weighted sum of three numbers: how small the largest logit is (D. Hendrycks and
// others: Scaling out-of-distribution detection for real-world settings, 2022), the logit of a mixture minus
// the largest logit (Mixtures.h), and the distance of the row's embedding from the training rows'
// (EmbeddingSpace.h). Each is divided by its standard deviation over known rows. The threshold is exceeded by
// 5 % of the rows with known bugs.
#pragma once

#include "classifier/Training/EmbeddingSpace.h"

#include <array>

namespace tilerig::classifier {

inline constexpr size_t numUnknownScores = 3;
using UnknownScores = std::array<double, numUnknownScores>;

struct Calibration {
  double temperature = 1;
  EmbeddingSpace space;
  UnknownScores weights{};
  double bias = 0;

  UnknownScores scores(const Answers &answers, size_t i) const;
  // The unknown score of row i; above 0, the bug counts as unknown.
  double unknown(const Answers &answers, size_t i) const;
};

// Checks that the calibration rows contain bugs, without which calibration is impossible. Called before
// training, which takes hours.
Status checkCalibrates(const Rows &rows, const Indices &which);

// Fits the embedding space to the training rows, and temperature and unknown score to the calibration rows;
// an error if no calibration row has a bug.
Result<Calibration> calibrate(const Rows &rows, const KnownRows &training, const KnownRows &calibration,
                              Labels labels = {});

double fitTemperature(const Rows &rows, const KnownRows &known, Labels labels = {});

} // namespace tilerig::classifier
