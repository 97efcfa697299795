// What is decided after training, on rows that were not trained on: how sure the model may be, and when it
// has to say that it knows nothing like this.
//
// The temperature (C. Guo and others: On calibration of modern neural networks, 2017) is the one under which
// those rows are likeliest; where it is known that there is a bug (verify/Verdict/Verdict.h), under that
// condition.
//
// The score of the unknown is a plane through three numbers: the largest probability, the largest logit (D.
// Hendrycks and others, 2022) and the distance of the features to the nearest class (K. Lee and others: A
// simple unified framework for detecting out-of-distribution samples, 2018). Which of them says more is
// decided by bugs that are kept out for that; other ones judge it. Its zero is where 95 of 100 known rows
// pass.
#pragma once

#include "classifier/Training/Learn.h"

#include <array>

namespace tilerig::classifier {

inline constexpr size_t numUnknownScores = 3;
using UnknownScores = std::array<double, numUnknownScores>;

// Distances are between points of `kept` numbers, made of features so that rows of a class lie round.
struct FeatureSpace {
  size_t numFeatures = 0, kept = 0;
  std::vector<float> matrix, offset; // [kept, numFeatures], [kept]
  std::vector<float> centres;        // [numBugClasses, kept]; of classes without rows far away

  double distance(std::span<const float> features) const;
};

struct Calibration {
  double temperature = 1;
  FeatureSpace space;
  UnknownScores weights{};
  double bias = 0;

  UnknownScores scores(std::span<const float> logits, std::span<const float> features) const;
  double unknown(std::span<const float> logits, std::span<const float> features) const; // above 0: unknown
};

struct KnownRows {
  const Answers &answers;
  const Indices &which; // rows of the answers
};

// Refused where there are no rows to calibrate on.
Result<Calibration> calibrate(const Rows &rows, const KnownRows &training, const KnownRows &calibration,
                              const KnownRows &unknown);

// By classes of the rows.
double fitTemperature(const Rows &rows, const KnownRows &known);
FeatureSpace fitSpace(const Rows &rows, const KnownRows &training);

} // namespace tilerig::classifier
