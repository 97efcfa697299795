// Where a tensor is wrong: over the image, and by channel; coarse enough for a page that holds many of them.
#pragma once

#include "verify/Evidence/Channels.h"

namespace tilerig::verify {

// The largest error of some elements as a level: 0 where all are equal; else it is less than 2^(level − 30)
// times the largest reference, and at least half of that. What is smaller or larger than any level has the
// first or the last. Where one side is not finite and the other is not the same, notFiniteLevel.
using Level = uint8_t;
inline constexpr Level levelOfLargest = 30, highestLevel = 34, notFiniteLevel = 35;
Level levelOf(double error, double largestReference);

inline constexpr size_t mostMapCells = 64; // in height and in width
inline constexpr size_t mostBars = 128;

struct ErrorMap {
  // The image: its last axis is the width, the axes before it together the height. Cell (y * rows / height,
  // x * columns / width) holds the element at (y, x), whatever its channel.
  size_t height = 1, width = 1, rows = 1, columns = 1;
  std::vector<Level> levels; // row, column

  // Bar c * bars / channels holds the elements of channel c.
  size_t channels = 1, bars = 1;
  std::vector<Level> barLevels;
  std::vector<uint64_t> failed;
  std::vector<double> meanError; // signed, of the finite elements, in parts of the largest reference
};

// Of tensors that were compared; refused where one cannot be read.
Result<ErrorMap> makeErrorMap(const TensorStream &reference, const TensorStream &target,
                              const Comparison &comparison);

// One letter each: 0 to 9, then a to z.
std::string asLetters(const std::vector<Level> &levels);

} // namespace tilerig::verify
