// The families of changes with which wrong elements of a sum of products are recomputed. A family stands for
// one way in which operands can be read wrongly, over its full range, and has the name of the feature that it
// measures. None knows the catalogue of bugs.
//
// Each function tries some families on the wrong elements of a replayer.
#pragma once

#include "verify/Evidence/Replays/Replayer.h"

namespace tilerig::verify {

// --- Changes of the weights (OtherWeights.cpp) ---

// Tries weights that are mirrored, transposed, or in the order of the model file.
void turnWeights(Replayer &replayer);
// Tries weights that are read from a neighbouring address; outside the weights there are zeros. Quantised
// weights of another output are scaled by the step of the element's own output.
void moveWeights(Replayer &replayer);
// Tries to leave out the weights or the whole sum, and to use the weights of some other output for each
// output.
void exchangeOutputs(Replayer &replayer);
// Tries the weights of the output whose index is a fixed number higher or lower. Before the first and after
// the last output, the program's constants around the weights are read as weights, if they are known.
void takeNeighbours(Replayer &replayer);
// Tries the weights or the bias of the previous layer, repeated if there are too few.
void keepBefore(Replayer &replayer);

// --- Changes of the bias, the scale or the 8-bit type (OtherNumbers.cpp) ---

// Tries no bias, the bias times a power of two, and the bias of other outputs.
void changeBias(Replayer &replayer);
// Tries the sum times a power of two, and the scale of other outputs.
void changeScale(Replayer &replayer);
// Tries inputs or weights with the other signedness.
void changeTypes(Replayer &replayer);
// Tries another zero point of the input, and a padding other than zero.
void changeZeros(Replayer &replayer);

// --- Changes of parts of the sum (PartsOfSum.cpp) ---

// Tries sums without the last input channels at every tap of the kernel.
void changeDepth(Replayer &replayer);
// Splits the sum into two to eight parts, and tries to leave out all parts up to one of them, or to add one
// part twice.
void changeParts(Replayer &replayer);

// --- Changes of the window of the input (OtherWindows.cpp) ---

// Tries an input that is read from a neighbouring address, with longer rows, or shifted by rows and columns.
void moveInput(Replayer &replayer);
// Tries another stride or dilation, and rows or columns of the image that are taken as padding.
void changeWindow(Replayer &replayer);

// Families of numbers that are added to an address or a zero point: member 0 adds -1, then come 1, -2, 2, up
// to the farthest.
inline constexpr size_t farthest = 64;
inline int64_t moveOf(size_t member) {
  const auto by = static_cast<int64_t>(member / 2) + 1;
  return member % 2 ? by : -by;
}

} // namespace tilerig::verify
