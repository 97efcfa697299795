// Rows that are easy to tell apart: a few classes, each with a bright square of its own in some channel and a
// fact.
#pragma once

#include "classifier/Training/Learn.h"

namespace tilerig::test {

// Of the classes padding, scaling and no error in turn; families "toy", "other" and "third" by ten rows.
std::vector<verify::Sample> toySamples(size_t count, uint64_t seed);
classifier::Rows toyRows(size_t count, uint64_t seed);
classifier::Indices allOf(const classifier::Rows &rows);

} // namespace tilerig::test
