#include "compiler/Layer/IR/ResizePositions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilerig::compiler::layer {

namespace {

using graph::Coordinates;
using graph::NearestMode;

using Fraction = std::pair<int64_t, int64_t>;

// A positive float as an exact fraction; empty if its numerator or denominator would be too large.
std::optional<Fraction> fractionOf(float value) {
  int exponent = 0;
  constexpr int fractionBits = 24, largest = 30;
  auto above = static_cast<int64_t>(std::ldexp(std::frexp(value, &exponent), fractionBits));
  exponent -= fractionBits;
  while (above % 2 == 0 && exponent < 0) {
    above /= 2;
    ++exponent;
  }
  if (!(value > 0) || exponent > largest || exponent < -largest)
    return {};
  return exponent >= 0 ? Fraction(above << exponent, 1) : Fraction(above, int64_t{1} << -exponent);
}
std::optional<Fraction> scaleOf(const AxisResize &axis) {
  if (axis.scale)
    return fractionOf(*axis.scale);
  return Fraction(axis.to / std::gcd(axis.to, axis.from), axis.from / std::gcd(axis.to, axis.from));
}

// Positions of a resize with aligned corners: the first elements of input and result coincide, and so do the
// last elements. The scale gives the length of the result, which may be fractional, as in ONNX's test case
// test_resize_downsample_scales_linear_align_corners.
std::optional<AxisPositions> alignedCorners(const AxisResize &axis) {
  const float length = axis.scale ? static_cast<float>(axis.from) * *axis.scale : static_cast<float>(axis.to);
  if (length == 1)
    return AxisPositions{0, 1, 0};
  const auto fraction = fractionOf(length);
  if (!fraction || length < 1)
    return {};
  const auto [above, below] = *fraction;
  return AxisPositions{(axis.from - 1) * below, above - below, 0};
}

// Size of the result along the axis: as stated by the resize or, if it states a scale, computed from the
// scale.
int64_t sizeOf(const AxisResize &axis) {
  return axis.scale ? static_cast<int64_t>(
                          std::floor(static_cast<double>(axis.from) * static_cast<double>(*axis.scale)))
                    : axis.to;
}

// Positions in the input as real numbers, before interpolation mode "nearest" rounds them to indices of
// elements.
std::optional<AxisPositions> realPositions(const AxisResize &axis) {
  const auto scale = scaleOf(axis);
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
  case Coordinates::half_pixel_symmetric:
    // The machine can compute the positions of half_pixel_symmetric only if the scale is exactly the ratio of
    // output size to input size.
    if (axis.to * below != axis.from * above)
      return {};
    return AxisPositions{2 * below, 2 * above, below - above};
  case Coordinates::tf_half_pixel_for_nn:
    return AxisPositions{2 * below, 2 * above, below};
  case Coordinates::align_corners:
    return alignedCorners(axis);
  default:
    return {};
  }
}

} // namespace

std::optional<AxisPositions> positionsOf(const AxisResize &axis) {
  auto positions = realPositions(axis);
  if (!positions)
    return {};
  if (axis.nearest) {
    // The position is a fraction (o * numerator + offset) / denominator. All three numbers are doubled, so
    // that half of the denominator is an integer; the position stays the same.
    positions = AxisPositions{2 * positions->numerator, 2 * positions->denominator, 2 * positions->offset};
    const int64_t half = positions->denominator / 2;
    positions->offset += *axis.nearest == NearestMode::round_prefer_floor  ? half - 1
                         : *axis.nearest == NearestMode::round_prefer_ceil ? half
                         : *axis.nearest == NearestMode::ceil              ? positions->denominator - 1
                                                                           : 0;
  }
  constexpr int64_t largest = UINT32_MAX, largestOffset = (int64_t{1} << 47) - 1;
  if (positions->numerator > largest || positions->denominator > largest ||
      std::abs(positions->offset) > largestOffset)
    return {};
  return positions;
}

namespace {

// Candidates for the scale of an ONNX resize with these positions. Usually the scale is denominator /
// numerator. If corners are aligned, it is computed from the lengths of input and output. These lengths may
// be rounded, so the next larger and smaller floats are candidates as well.
std::array<float, 3> scalesOf(Coordinates coordinates, const AxisPositions &positions, int64_t from) {
  const double ratio = static_cast<double>(positions.denominator) / static_cast<double>(positions.numerator),
               size = static_cast<double>(from);
  if (coordinates != Coordinates::align_corners)
    return {static_cast<float>(ratio), static_cast<float>(ratio), static_cast<float>(ratio)};
  const auto scale = static_cast<float>((1 + (size - 1) * ratio) / size);
  return {scale, std::nextafter(scale, 0.0F), std::nextafter(scale, 2 * scale)};
}

} // namespace

std::optional<std::array<AxisResize, 2>> resizeOf(std::array<AxisPositions, 2> positions, bool isNearest,
                                                  std::array<int64_t, 2> from, std::array<int64_t, 2> to) {
  constexpr Coordinates all[] = {Coordinates::half_pixel, Coordinates::asymmetric, Coordinates::align_corners,
                                 Coordinates::pytorch_half_pixel, Coordinates::tf_half_pixel_for_nn};
  constexpr NearestMode neighbours[] = {NearestMode::floor, NearestMode::round_prefer_floor,
                                        NearestMode::round_prefer_ceil, NearestMode::ceil};
  // If an axis has size 1 in both input and output, any resize mode gives the same result.
  const auto isOne = [&](size_t i) { return from[i] == 1 && to[i] == 1; };
  for (const Coordinates coordinates : all)
    for (const NearestMode nearest : neighbours)
      for (const bool byScale : {false, true}) {
        std::array<AxisResize, 2> axes;
        const auto says = [&](size_t i) {
          axes[i] = {coordinates, isNearest ? std::optional(nearest) : std::nullopt, from[i], to[i], {}};
          const auto saysSo = [&] {
            return positionsOf(axes[i]) == positions[i] && sizeOf(axes[i]) == to[i];
          };
          if (isOne(i))
            axes[i].scale = byScale ? std::optional(1.0F) : std::nullopt;
          else if (byScale)
            return std::ranges::any_of(scalesOf(coordinates, positions[i], from[i]), [&](float scale) {
              axes[i].scale = scale;
              return saysSo();
            });
          return isOne(i) || saysSo();
        };
        if (says(0) && says(1))
          return axes;
      }
  return {};
}

} // namespace tilerig::compiler::layer
