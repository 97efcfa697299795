// Reductions over a row, in ascending order of index, each step one fp32 operation.
//
// The order of sums and products is part of the result: a kernel may work on many rows at once, never on
// parts of one. Each starts from the row's first element; an empty row has the neutral element (and a NaN for
// a mean). The order of maximum and minimum is free.
#pragma once

#include <cstddef>
#include <span>

namespace tilerig {

// A NaN if either is one; +0 counts as greater than -0.
float maximum(float a, float b);
float minimum(float a, float b);

float maximum(std::span<const float> row);
float minimum(std::span<const float> row);

float sum(std::span<const float> row);
float product(std::span<const float> row);
float sumAbs(std::span<const float> row);
// acc = fmaf(x, x, acc), from +0
float sumSquares(std::span<const float> row);
// The sum, and one division by the number of elements (itself rounded to fp32).
float mean(std::span<const float> row);

// Which of equal extremes.
enum class Extreme { first, last };
// The index of the greatest or least element of a row that is not empty; any NaN counts as the extreme.
size_t argMax(std::span<const float> row, Extreme which);
size_t argMin(std::span<const float> row, Extreme which);

} // namespace tilerig
