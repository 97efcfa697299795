// Coarse maps of where a tensor is wrong, over the image and by channel, small enough for a report page that
// shows the maps of many tensors.
#pragma once

#include "verify/Evidence/Channels.h"

namespace tilerig::verify {

// Level of the largest error of some elements on a logarithmic scale. At level n, the error is less than 2^(n
// − 30) times the largest reference, and at least half of that; level 0 means no error. notFiniteLevel if an
// element is NaN or infinite in one tensor and has another value in the other.
using Level = uint8_t;
inline constexpr Level levelOfLargest = 30, highestLevel = 34, notFiniteLevel = 35;
Level levelOf(double error, double largestReference);

inline constexpr size_t mostMapCells = 64; // largest height and largest width of an error map
inline constexpr size_t mostBars = 128;

struct ErrorMap {
  // Map over the image: the width of the image is the last axis of the tensor, its height all axes between
  // channels and width. A cell of the map covers a rectangle of the image in all channels.
  size_t height = 1, width = 1, rows = 1, columns = 1;
  std::vector<Level> levels; // level of the largest error in each cell of the map, row by row

  // The channels of the tensor are drawn as bars. A bar stands for one channel or for several consecutive
  // ones.
  size_t channels = 1, bars = 1;
  std::vector<Level> barLevels;
  std::vector<uint64_t> failed;
  // For each bar, which stands for some channels of the tensor: mean of the signed errors of its finite
  // elements / largest reference.
  std::vector<double> meanError;
};

// Makes the error map of two tensors that were compared. Refused if a tensor cannot be read.
Result<ErrorMap> makeErrorMap(const TensorStream &reference, const TensorStream &target,
                              const Comparison &comparison);

// Encodes the levels of a map's errors as text, one character each: 0 to 9, then a to z.
std::string asLetters(const std::vector<Level> &levels);

} // namespace tilerig::verify
