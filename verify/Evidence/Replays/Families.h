// The families of changes with which wrong elements of a sum of products are recomputed. A family stands for
// one way in which operands can be read wrongly, and has the name of the feature that it measures. The
// families are independent of the catalogue of bugs.
//
// Each function tests some families: it recomputes the wrong elements of a replayer with every change of a
// family, and counts how many then come close to the target.
#pragma once

#include "verify/Evidence/Replays/Replayer.h"

namespace tilerig::verify {

// --- Tests whether sums of products used wrong weights (OtherWeights.cpp) ---

// Tests whether the weights were mirrored, transposed, or in the order of the model file.
void turnWeights(Replayer &replayer);
// Tests whether the weights were read from a neighbouring address, with zeros before and after the weights.
// Quantised weights of another output are scaled by the step of the element's own output.
void moveWeights(Replayer &replayer);
// Tests whether the weights or the whole sum were left out, and whether each output was computed with the
// weights of some other output.
void exchangeOutputs(Replayer &replayer);
// Tests whether each output was computed with the weights of the output whose index is a fixed number higher
// or lower. If there is no such output, the program's constants around the weights are read as weights, if
// they are known.
void takeNeighbours(Replayer &replayer);
// Tests whether the weights or the bias of the previous layer were used, repeated if there are too few.
void keepBefore(Replayer &replayer);

// --- Tests whether a bias, a scale or an 8-bit type was wrong (OtherNumbers.cpp) ---

// Tests whether the bias was left out, multiplied by a power of two, or that of another output.
void changeBias(Replayer &replayer);
// Tests whether the sum was multiplied by a power of two, or scaled by the scale of another output.
void changeScale(Replayer &replayer);
// Tests whether inputs or weights were read as signed instead of unsigned, or vice versa.
void changeTypes(Replayer &replayer);
// Tests whether another zero point of the input was used, or a padding other than zero.
void changeZeros(Replayer &replayer);

// --- Tests whether parts of a sum of products were left out or repeated (PartsOfSum.cpp) ---

// Tests whether the last input channels were left out of the sum at every tap of the kernel.
void changeDepth(Replayer &replayer);
// Splits the sum of products into two to eight parts, and tests whether the first parts were left out, or one
// part was added twice.
void changeParts(Replayer &replayer);

// --- Tests whether sums read wrong elements of the input (OtherWindows.cpp) ---

// Tests whether the input was read from a neighbouring address, with longer or shorter rows, or shifted by
// rows and columns.
void moveInput(Replayer &replayer);
// Tests whether another stride or dilation was used, or rows or columns of the image were taken as padding.
void changeWindow(Replayer &replayer);

// The number that is added to an address or a zero point by member number `member` of a family of changes:
// -1, 1, -2, 2 and so on. The largest is `farthest`.
inline constexpr size_t farthest = 64;
inline int64_t moveOf(size_t member) {
  const auto by = static_cast<int64_t>(member / 2) + 1;
  return member % 2 ? by : -by;
}

} // namespace tilerig::verify
