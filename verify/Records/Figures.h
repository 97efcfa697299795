// What a comparison found, as the fields of a record.
#pragma once

#include "isa/Tensor/TensorStream.h"
#include "verify/Inputs/StrictJson.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

// Adds figures, counts, buckets, histograms, worst elements and the plane; nothing where nothing was
// compared.
void addComparison(const TensorStream &target, const Comparison &comparison, Json &json);

// Numbers that JSON lacks are texts; a figure that does not exist is null.
Json number(double value);
Json figure(double value);
// To three digits, for lists that are drawn.
Json shortNumber(double value);

} // namespace tilerig::verify
