// Converts the results of a comparison into fields of a JSON record.
#pragma once

#include "isa/Base/Support/Json.h"
#include "isa/Base/Tensor/TensorStream.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

// Adds the results of a comparison to `json`: limits, metrics (Metrics/Metrics.def), buckets, histograms,
// worst elements, and the plane (histogram by relative error and order of magnitude, Metrics/Plane.h). Adds
// only limits and the number of elements if the tensors were not compared.
void addComparison(const TensorStream &target, const Comparison &comparison, Json &json);

// number() converts a number to JSON, or to a text if JSON lacks it ("nan", "inf", "-inf"). figure() does the
// same for a metric, except that NaN becomes null, because it means that the metric does not exist.
Json number(double value);
Json figure(double value);
// The number rounded to three significant digits, for long lists of numbers that the report page draws.
Json shortNumber(double value);

} // namespace tilerig::verify
