// Draws a picture of the errors of one tensor, for people: orders of magnitude on the horizontal axis,
// relative errors on the vertical axis, a dot for each non-empty histogram cell, darker if it has more
// elements.
//
// From top to bottom, the rows of the plot hold undefined relative errors, positive ones from the largest to
// the smallest, equal elements, and negative ones from the smallest to the largest. The rightmost column
// holds elements that are zero in both tensors. A dot has the colour of its worst elements. Black lines mark
// the limits. A cell that a limit cuts is drawn in parts, each in the colour of its own elements. Around the
// plot are both axes, both limits, and the number of elements of each colour.
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
