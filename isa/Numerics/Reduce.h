// Reductions over a row in ascending order of index; each step is one fp32 operation.
//
// The order of sums and products is part of the specified result. A kernel may therefore process many rows in
// parallel, but must not split a row. Each reduction starts from the row's first element. An empty row gives
// the neutral element (a NaN for a mean). Maximum and minimum do not depend on the order.
#pragma once

#include <cstddef>
#include <span>

namespace tilerig {

// The maximum or minimum of two numbers: NaN if either is NaN; +0 counts as greater than -0.
float maximum(float a, float b);
float minimum(float a, float b);

float maximum(std::span<const float> row);
float minimum(std::span<const float> row);

float sum(std::span<const float> row);
float product(std::span<const float> row);
float sumAbs(std::span<const float> row);
// Sum of squares: acc = fmaf(x, x, acc), starting from +0.
float sumSquares(std::span<const float> row);
// The mean of a row: its sum, divided once by the number of elements, which is itself rounded to fp32.
float mean(std::span<const float> row);

// Which index to return if several elements of a row are equally extreme.
enum class Extreme { first, last };
// The index of the greatest or least element of a non-empty row. A NaN counts as more extreme than any
// number.
size_t argMax(std::span<const float> row, Extreme which);
size_t argMin(std::span<const float> row, Extreme which);

} // namespace tilerig
