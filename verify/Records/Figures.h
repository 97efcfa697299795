// Converts the results of a comparison into fields of a JSON record.
#pragma once

#include "isa/Base/Support/Json.h"
#include "isa/Base/Tensor/TensorStream.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

// Adds the results of a comparison to `json`: limits, metrics (Metrics/Metrics.def), buckets, histograms,
// worst elements, and the plane (histogram by relative error and order of magnitude, Metrics/Plane.h). If the
// tensors were not compared, adds only the limits and the number of elements.
void addComparison(const TensorStream &target, const Comparison &comparison, Json &json);

// number() converts a number to JSON, or to "nan", "inf" or "-inf", which JSON has no numbers for. figure()
// does the same for a metric, but converts NaN to null, because the metric then does not exist.
Json number(double value);
Json figure(double value);
// The number rounded to three significant digits, for long lists of numbers that the report page draws.
Json shortNumber(double value);

} // namespace tilerig::verify
