// Training rows that are easy to classify: each of a few classes has its own bright square in some channel
// and its own embedding.
#pragma once

#include "classifier/Training/Learn.h"

namespace tilerig::test {

// Samples whose classes alternate between padding, scaling and no error; the families "toy", "other" and
// "third" alternate every ten rows.
std::vector<verify::Sample> toySamples(size_t count, uint64_t seed);
classifier::Rows toyRows(size_t count, uint64_t seed);
classifier::Indices allOf(const classifier::Rows &rows);

} // namespace tilerig::test
