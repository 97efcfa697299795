// Tests whether wrong elements equal the reference at a fixed distance (lag): for each axis and lag, the
// share of the wrong elements that equal the reference at this distance from them, and their correlation with
// it.
//
// Values that come from a shifted address, or from another tile, show as a peak at a lag other than 0. At
// most 1,024 elements are tested, evenly spaced among those that differ.
#pragma once

#include "verify/Evidence/Densities.h"
#include "verify/Evidence/Place.h"
#include "verify/Evidence/Stretch.h"

#include <array>

namespace tilerig::verify {

enum class LagAxis : uint8_t { width, height, channels, memory };
inline constexpr size_t numLagAxes = 4;
// Largest lag (distance between two elements that are compared) in either direction.
inline constexpr int64_t mostLag = 31;
inline constexpr size_t numLags = 2 * mostLag + 1;
inline constexpr size_t mostLagElements = 1024;

struct LagProfile {
  // For each lag (distance), at index lag + mostLag: share of the tested elements that equal the reference at
  // this distance from them.
  std::array<double, numLags> equal{};
  // Pearson correlation of the tested elements with the reference at each lag (distance), stored at index lag
  // + mostLag; 0 if negative or undefined.
  std::array<double, numLags> correlation{};
};
using Lags = std::array<LagProfile, numLagAxes>;

Lags findLags(const Stretch &stretch, const Place &place);

// Draws the evidence channel `lags`. Each axis has sixteen rows: the upper eight show the share of elements
// that equal the reference at a lag (distance), the lower eight the correlation with it. Columns are lags
// from -31 to 31.
void drawLags(const Lags &lags, std::span<float> out);

} // namespace tilerig::verify
