// Converts the results of a comparison into fields of a JSON record.
#pragma once

#include "isa/Tensor/TensorStream.h"
#include "verify/Inputs/StrictJson.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

// Adds figures, counts, buckets, histograms, worst elements and the plane; adds nothing if the tensors were
// not compared.
void addComparison(const TensorStream &target, const Comparison &comparison, Json &json);

// Numbers that JSON lacks are texts; a figure that does not exist is null.
Json number(double value);
Json figure(double value);
// Rounded to three significant digits, for lists that are drawn.
Json shortNumber(double value);

} // namespace tilerig::verify
