// The evidence on one tensor for people: orders of magnitude to the right, relative errors upwards, a dot
// where elements lie, darker where there are more.
//
// The plot shows the cells of the grid (Metrics/Grid.h): relative errors from the largest positive at the top
// through equal to the largest negative; undefined ones are the uppermost row and elements that are zero on
// both sides the rightmost column. A dot has the colour of the worst subset in it. Black lines stand at the
// limits, whatever number these are: a cell that a limit cuts is drawn in parts, each in the colour of its
// own elements. Around the plot: both axes, both limits, and how many elements each colour stands for.
#pragma once

#include "verify/Evidence/Canvas.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

// Told apart with any of the usual kinds of colour blindness.
inline constexpr Colour passedColour = {0, 114, 178}, failedColour = {213, 94, 0},
                        discardedColour = {128, 128, 128};

// Where the plot lies in the picture, and how many pixels a cell of the grid has.
inline constexpr size_t plotLeft = 80, plotTop = 32, cellWidth = 8, cellHeight = 4;

Picture drawPicture(const Comparison &comparison);

} // namespace tilerig::verify
