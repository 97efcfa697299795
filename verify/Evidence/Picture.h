// The evidence on one tensor for people: orders of magnitude to the right, relative errors upwards, a dot
// where elements lie, darker where there are more.
//
// Four pixels for a column and two for a row of the grid (Metrics/Grid.h), relative errors from the largest
// positive at the top through equal to the largest negative; undefined ones are the uppermost row and
// elements that are zero on both sides the rightmost column. A dot has the colour of the worst subset in it.
// Black lines stand at the limits, at the grid's edge above where they lie between two.
#pragma once

#include "isa/Support/Error.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

struct Picture {
  size_t width = 0, height = 0;
  std::vector<uint8_t> rgb; // rows from the top
};

struct Colour {
  uint8_t red, green, blue;
};
// Told apart with any of the usual kinds of colour blindness.
inline constexpr Colour passedColour = {0, 114, 178}, failedColour = {213, 94, 0},
                        discardedColour = {128, 128, 128};

Picture drawPicture(const Comparison &comparison);
Result<std::vector<std::byte>> encodePng(const Picture &picture);

} // namespace tilerig::verify
