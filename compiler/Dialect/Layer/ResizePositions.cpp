#include "compiler/Dialect/Layer/ResizePositions.h"

#include <cmath>
#include <numeric>

namespace tilerig::layer {

namespace {

using graph::Coordinates;
using graph::NearestMode;

// The scale as a fraction; a float is one, exactly.
std::optional<std::pair<int64_t, int64_t>> fractionOf(const AxisResize &axis) {
  if (!axis.scale)
    return std::pair(axis.to / std::gcd(axis.to, axis.from), axis.from / std::gcd(axis.to, axis.from));
  int exponent = 0;
  constexpr int fractionBits = 24, largest = 30;
  auto above = static_cast<int64_t>(std::ldexp(std::frexp(*axis.scale, &exponent), fractionBits));
  exponent -= fractionBits;
  while (above % 2 == 0 && exponent < 0) {
    above /= 2;
    ++exponent;
  }
  if (!(*axis.scale > 0) || exponent > largest || exponent < -largest)
    return {};
  return exponent >= 0 ? std::pair(above << exponent, int64_t{1}) : std::pair(above, int64_t{1} << -exponent);
}

// Of the result: what a scale makes of it, or what is stated.
int64_t sizeOf(const AxisResize &axis) {
  return axis.scale ? static_cast<int64_t>(
                          std::floor(static_cast<double>(axis.from) * static_cast<double>(*axis.scale)))
                    : axis.to;
}

// Positions as reals, before a neighbour is picked.
std::optional<AxisPositions> realPositions(const AxisResize &axis) {
  const auto scale = fractionOf(axis);
  if (!scale)
    return {};
  const auto [above, below] = *scale;
  switch (axis.coordinates) {
  case Coordinates::asymmetric:
    return AxisPositions{below, above, 0};
  case Coordinates::pytorch_half_pixel:
    if (axis.to == 1)
      return AxisPositions{0, 1, 0};
    [[fallthrough]];
  case Coordinates::half_pixel:
    return AxisPositions{2 * below, 2 * above, below - above};
  case Coordinates::half_pixel_symmetric: // as half_pixel where the size is what the scale makes of it
    if (axis.to * below != axis.from * above)
      return {};
    return AxisPositions{2 * below, 2 * above, below - above};
  case Coordinates::tf_half_pixel_for_nn:
    return AxisPositions{2 * below, 2 * above, below};
  case Coordinates::align_corners:
    return axis.to == 1 ? AxisPositions{0, 1, 0} : AxisPositions{axis.from - 1, axis.to - 1, 0};
  default:
    return {};
  }
}

} // namespace

std::optional<AxisPositions> positionsOf(const AxisResize &axis) {
  auto it = realPositions(axis);
  if (!it)
    return {};
  if (axis.nearest) {
    // An even denominator has a half.
    it = AxisPositions{2 * it->numerator, 2 * it->denominator, 2 * it->offset};
    const int64_t half = it->denominator / 2;
    it->offset += *axis.nearest == NearestMode::round_prefer_floor  ? half - 1
                  : *axis.nearest == NearestMode::round_prefer_ceil ? half
                  : *axis.nearest == NearestMode::ceil              ? it->denominator - 1
                                                                    : 0;
  }
  constexpr int64_t largest = UINT32_MAX, largestOffset = (int64_t{1} << 47) - 1;
  if (it->numerator > largest || it->denominator > largest || std::abs(it->offset) > largestOffset)
    return {};
  return it;
}

std::optional<std::array<AxisResize, 2>> resizeOf(std::array<AxisPositions, 2> positions, bool isNearest,
                                                  std::array<int64_t, 2> from, std::array<int64_t, 2> to) {
  constexpr Coordinates all[] = {Coordinates::half_pixel, Coordinates::asymmetric, Coordinates::align_corners,
                                 Coordinates::pytorch_half_pixel, Coordinates::tf_half_pixel_for_nn};
  constexpr NearestMode neighbours[] = {NearestMode::floor, NearestMode::round_prefer_floor,
                                        NearestMode::round_prefer_ceil, NearestMode::ceil};
  // One element stays where it is, whatever the way.
  const auto isOne = [&](size_t i) { return from[i] == 1 && to[i] == 1; };
  for (const Coordinates coordinates : all)
    for (const NearestMode nearest : neighbours)
      for (const bool byScale : {false, true}) {
        std::array<AxisResize, 2> axes;
        for (size_t i = 0; i < 2; ++i) {
          axes[i] = {coordinates, isNearest ? std::optional(nearest) : std::nullopt, from[i], to[i], {}};
          if (byScale) // the scale is in the ratio of the first two numbers
            axes[i].scale = isOne(i) ? 1
                                     : static_cast<float>(positions[i].denominator) /
                                           static_cast<float>(positions[i].numerator);
        }
        const auto says = [&](size_t i) {
          return isOne(i) || (positionsOf(axes[i]) == positions[i] && sizeOf(axes[i]) == to[i]);
        };
        if (says(0) && says(1))
          return axes;
      }
  return {};
}

} // namespace tilerig::layer
