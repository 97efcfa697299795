// Calibration after training, on rows that were not trained on: fits the temperature of the probabilities,
// and the threshold of the unknown score, above which a row counts as an unknown bug.
//
// The temperature (C. Guo and others: On calibration of modern neural networks, 2017) maximises the
// likelihood of these rows. If it is known that a row has a bug, the probability of the class "no error" is
// left out.
//
// The unknown score is a weighted sum of three numbers: how small the largest logit is (D. Hendrycks and
// others: Scaling out-of-distribution detection for real-world settings, 2022); the logit of "this row is a
// mixture" (Mixtures.h) minus the largest logit of a class; and the distance of the row's embedding from
// those of the training rows (EmbeddingSpace.h). Each number is divided by its standard deviation over rows
// with known bugs. The threshold is chosen so that 5 % of these rows exceed it.
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
