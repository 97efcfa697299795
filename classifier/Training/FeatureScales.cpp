#include "classifier/Training/FeatureScales.h"

#include <algorithm>
#include <cmath>

namespace tilerig::classifier {

namespace {

// Lower bound of the standard deviation of a feature, so that features with little variation are not
// amplified.
constexpr double leastDeviation = 0.05;

std::vector<float> valuesOf(const Rows &rows, const std::vector<size_t> &training, size_t feature) {
  std::vector<float> values;
  for (size_t row : training)
    values.push_back(rows.features(row)[feature]);
  // Quantiles need sorted values. Sorting also makes later sums independent of the order of the rows.
  std::ranges::sort(values);
  return values;
}

double deviationOf(const std::vector<float> &values, double mean) {
  double squares = 0;
  for (float value : values)
    squares += (value - mean) * (value - mean);
  return std::max(std::sqrt(squares / static_cast<double>(values.size())), leastDeviation);
}

} // namespace

FeatureScales scalesOf(const Rows &rows, const std::vector<size_t> &training) {
  FeatureScales scales;
  scales.hinges.resize(numHinges * verify::numFeatures);
  for (size_t feature = 0; feature < verify::numFeatures; ++feature) {
    std::vector<float> values = valuesOf(rows, training, feature);
    double sum = 0;
    for (float value : values)
      sum += value;
    const double mean = sum / static_cast<double>(values.size());
    scales.mean.push_back(static_cast<float>(mean));
    scales.factor.push_back(static_cast<float>(1 / deviationOf(values, mean)));
    std::erase(values, 0.0f);
    for (size_t hinge = 0; hinge < numHinges && !values.empty(); ++hinge)
      scales.hinges[hinge * verify::numFeatures + feature] =
          values[(hinge + 1) * (values.size() - 1) / (numHinges + 1)];
  }
  for (size_t hinge = 0; hinge < numHinges; ++hinge)
    scales.hingeFactor.insert(scales.hingeFactor.end(), scales.factor.begin(), scales.factor.end());
  return scales;
}

} // namespace tilerig::classifier
