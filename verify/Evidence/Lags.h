// Whether what is wrong is right some places further on: for each direction and each number of places, how
// many of the wrong elements equal the reference there, and how far they go with it.
//
// A shifted address, a wrong pitch, another part's data show as a peak away from 0. At most a thousand
// elements are looked at, at even distances among those that differ.
#pragma once

#include "verify/Evidence/Densities.h"
#include "verify/Evidence/Place.h"
#include "verify/Evidence/Stretch.h"

#include <array>

namespace tilerig::verify {

enum class LagAxis : uint8_t { width, height, channels, memory };
inline constexpr size_t numLagAxes = 4;
inline constexpr int64_t mostLag = 31; // to either side
inline constexpr size_t numLags = 2 * mostLag + 1;
inline constexpr size_t mostLagElements = 1024;

struct LagProfile {
  // By number of places plus mostLag.
  std::array<double, numLags> equal{};       // share of the elements looked at
  std::array<double, numLags> correlation{}; // Pearson's; 0 where it is negative, or there is none
};
using Lags = std::array<LagProfile, numLagAxes>;

Lags findLags(const Stretch &stretch, const Place &place);

// The channel `lags`: sixteen rows for each direction, the upper eight how many are equal, the lower eight
// the correlation; across the number of places, from -31 to 31.
void drawLags(const Lags &lags, std::span<float> out);

} // namespace tilerig::verify
