// Draws a picture of the errors of one tensor, for people: orders of magnitude on the horizontal axis,
// relative errors on the vertical axis, a dot for each non-empty cell, darker if it has more elements.
//
// The plot shows the cells of the grid (Metrics/Grid.h): from top to bottom the largest positive relative
// errors, smaller ones, equal elements, and negative relative errors up to the largest; the uppermost row
// holds undefined ones, and the rightmost column elements that are zero on both sides. A dot has the colour
// of its worst elements. Black lines mark the limits at their exact values: a cell that a limit cuts is
// drawn in parts, each in the colour of its own elements. Around the plot are both axes, both limits, and
// the number of elements of each colour.
#pragma once

#include "verify/Evidence/Canvas.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

// The colours of passed, failed and discarded elements, which can be told apart with the usual kinds of
// colour blindness.
inline constexpr Colour passedColour = {0, 114, 178}, failedColour = {213, 94, 0},
                        discardedColour = {128, 128, 128};

// Position of the plot in the picture, and size of a histogram cell in pixels.
inline constexpr size_t plotLeft = 80, plotTop = 32, cellWidth = 8, cellHeight = 4;

Picture drawPicture(const Comparison &comparison);

} // namespace tilerig::verify
