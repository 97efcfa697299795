// The families of changes with which wrong elements of a sum of products are recomputed. A family stands for
// one way in which operands can be read wrongly, over its full range, and has the name of the feature that it
// measures. None knows the catalogue of bugs.
//
// Each function tries some families on the wrong elements of a replayer.
#pragma once

#include "verify/Evidence/Replays/Replayer.h"

namespace tilerig::verify {

// --- Other weights (OtherWeights.cpp) ---

// Weights mirrored, transposed, or in the order of the model file.
void turnWeights(Replayer &replayer);
// Weights that are read from a neighbouring address; outside the weights there are zeros. Quantised weights
// of another output are scaled by the step of the element's own output.
void moveWeights(Replayer &replayer);
// No weights, no sum at all, and the weights of some other output, chosen for each output.
void exchangeOutputs(Replayer &replayer);
// The weights of the output whose index is a fixed number higher or lower. Before the first and after the
// last output, the program's constants around the weights are read as weights, if they are known.
void takeNeighbours(Replayer &replayer);
// The weights or the bias of the previous layer, repeated if there are too few.
void keepBefore(Replayer &replayer);

// --- Another bias, scale or 8-bit type (OtherNumbers.cpp) ---

// No bias, the bias times a power of two, and the bias of other outputs.
void changeBias(Replayer &replayer);
// The sum times a power of two, and the scale of other outputs.
void changeScale(Replayer &replayer);
// Inputs or weights with the other signedness.
void changeTypes(Replayer &replayer);
// Another zero point of the input, and a padding other than zero.
void changeZeros(Replayer &replayer);

// --- Parts of the sum (PartsOfSum.cpp) ---

// Without the last input channels at every tap of the kernel.
void changeDepth(Replayer &replayer);
// The sum split into two to eight parts: all parts up to one of them are lost, or one part is added twice.
void changeParts(Replayer &replayer);

// --- Another window of the input (OtherWindows.cpp) ---

// The input read from a neighbouring address, with longer rows, or shifted by rows and columns.
void moveInput(Replayer &replayer);
// Another stride or dilation, and rows or columns of the image that are taken as padding.
void changeWindow(Replayer &replayer);

// Families of numbers that are added to an address or a zero point: member 0 adds -1, then come 1, -2, 2, up
// to the farthest.
inline constexpr size_t farthest = 64;
inline int64_t moveOf(size_t member) {
  const auto by = static_cast<int64_t>(member / 2) + 1;
  return member % 2 ? by : -by;
}

} // namespace tilerig::verify
