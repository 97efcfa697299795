#include "reference/Ops/Resampling.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tilerig::reference {

namespace {

// Maps the index of an output element of Resize to its coordinate on the input axis.
template <class Real>
Real coordinateOf(CoordinateMode mode, const ResizeAxis &axis, int64_t index) {
  auto x = static_cast<Real>(index), in = static_cast<Real>(axis.in), out = static_cast<Real>(axis.out);
  auto scale = static_cast<Real>(axis.scale), length = static_cast<Real>(axis.length);
  constexpr Real half = Real(0.5);
  switch (mode) {
  case CoordinateMode::halfPixel:
    return (x + half) / scale - half;
  case CoordinateMode::halfPixelSymmetric:
    return in / 2 * (1 - out / length) + (x + half) / scale - half;
  case CoordinateMode::pytorchHalfPixel:
    return axis.out > 1 ? (x + half) / scale - half : 0;
  case CoordinateMode::alignCorners:
    return length == 1 ? 0 : x * (in - 1) / (length - 1);
  case CoordinateMode::asymmetric:
    return x / scale;
  case CoordinateMode::tfHalfPixelForNearest:
    return (x + half) / scale;
  case CoordinateMode::tfCropAndResize: {
    auto begin = static_cast<Real>(axis.begin), end = static_cast<Real>(axis.end);
    return axis.out > 1 ? begin * (in - 1) + x * (end - begin) * (in - 1) / (out - 1)
                        : half * (begin + end) * (in - 1);
  }
  }
  return 0;
}

int64_t nearestTo(NearestMode mode, float x, bool shrinks) {
  float below = std::floor(x);
  switch (mode) {
  case NearestMode::roundPreferFloor:
    return static_cast<int64_t>(x - below > 0.5f ? below + 1 : below);
  case NearestMode::roundPreferCeil:
    return static_cast<int64_t>(x - below >= 0.5f ? below + 1 : below);
  case NearestMode::floor:
    return static_cast<int64_t>(below);
  case NearestMode::ceil:
    return static_cast<int64_t>(std::ceil(x));
  case NearestMode::simple:
    return static_cast<int64_t>(shrinks ? std::ceil(x) : below);
  }
  return 0;
}

__extension__ using WideInteger = __int128;

// The positions of output elements on the input axis, as exact fractions: output number o lies at
// (o * numerator + offset) / denominator.
struct Positions {
  WideInteger numerator, offset, denominator;
};

// A nonzero number as a fraction of integers: above / below.
struct Fraction {
  WideInteger above, below;
};
Fraction fractionOf(float x) {
  int exponent;
  auto above = static_cast<WideInteger>(std::ldexp(std::frexp(x, &exponent), 24));
  exponent -= 24;
  return exponent >= 0 ? Fraction{above << exponent, 1} : Fraction{above, WideInteger{1} << -exponent};
}

Positions positionsOf(CoordinateMode mode, const ResizeAxis &axis) {
  Fraction scale{axis.out, axis.in};
  if (axis.scale != static_cast<double>(axis.out) / static_cast<double>(axis.in))
    scale = fractionOf(static_cast<float>(axis.scale));
  auto [above, below] = scale;
  switch (mode) {
  case CoordinateMode::asymmetric:
    return {below, 0, above};
  case CoordinateMode::tfHalfPixelForNearest:
    return {2 * below, below, 2 * above};
  case CoordinateMode::alignCorners: {
    if (axis.length == 1)
      return {0, 0, 1};
    Fraction length = fractionOf(axis.length);
    return {(axis.in - 1) * length.below, 0, length.above - length.below};
  }
  case CoordinateMode::pytorchHalfPixel:
    if (axis.out == 1)
      return {0, 0, 1};
    [[fallthrough]];
  default:
    return {2 * below, below - above, 2 * above};
  }
}

// Whether the accelerator can resize this axis by this rule. If not, the host runs the operator, and the
// reference need not reproduce the accelerator's roundings.
bool machineKnows(const ResizeRule &rule, const ResizeAxis &axis) {
  if (rule.antialias || rule.excludeOutside || rule.coordinates == CoordinateMode::tfCropAndResize)
    return false;
  // The machine's formula needs an exact scale: the ratio of the sizes, or a float32. If all axes share a
  // scale (keep_aspect_ratio_policy), the scale may be neither.
  bool exact = axis.scale == static_cast<double>(axis.out) / static_cast<double>(axis.in) ||
               axis.scale == static_cast<double>(static_cast<float>(axis.scale));
  bool symmetric =
      rule.coordinates != CoordinateMode::halfPixelSymmetric || axis.length == static_cast<float>(axis.out);
  bool positive = rule.coordinates != CoordinateMode::alignCorners || axis.length >= 1;
  return exact && symmetric && positive;
}

struct Position {
  int64_t index;
  WideInteger rest, denominator;

  Position(const Positions &positions, int64_t output) : denominator(positions.denominator) {
    WideInteger p = output * positions.numerator + positions.offset;
    WideInteger floor = p / denominator - (p % denominator < 0);
    index = static_cast<int64_t>(floor);
    rest = p - floor * denominator;
  }
  float fraction() const {
    return static_cast<float>(static_cast<double>(rest) / static_cast<double>(denominator));
  }
  int64_t nearest(NearestMode mode, bool shrinks) const {
    switch (mode) {
    case NearestMode::roundPreferFloor:
      return index + (2 * rest > denominator);
    case NearestMode::roundPreferCeil:
      return index + (2 * rest >= denominator);
    case NearestMode::floor:
      return index;
    case NearestMode::ceil:
      return index + (rest > 0);
    case NearestMode::simple:
      return index + (shrinks && rest > 0);
    }
    return index;
  }
};

float nearWeight(float t, float a) { return (((a + 2) * t - (a + 3)) * t) * t + 1; }
float farWeight(float t, float a) { return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a; }

// Weights of the four elements around a position that is the fraction f of the way from the second to the
// third.
std::array<float, 4> cubicWeights(float f, float a) {
  if (f == 0)
    return {0, 1, 0, 0};
  return {farWeight(1 + f, a), nearWeight(f, a), nearWeight(1 - f, a), farWeight(2 - f, a)};
}

AxisTaps machineTapsOf(const ResizeRule &rule, const ResizeAxis &axis) {
  AxisTaps result;
  result.machine = true;
  Positions positions = positionsOf(rule.coordinates, axis);
  float a = rule.cubicCoefficient;
  for (int64_t i = 0; i < axis.out; ++i) {
    Position at(positions, i);
    float f = at.fraction();
    switch (rule.kind) {
    case ResizeRule::Kind::nearest:
      result.places.push_back(at.nearest(rule.nearest, axis.scale < 1));
      break;
    case ResizeRule::Kind::linear:
      result.taps = 2;
      result.places.insert(result.places.end(), {at.index, at.index + 1});
      for (float weight : {1 - f, f})
        result.weights.push_back(static_cast<double>(weight));
      break;
    case ResizeRule::Kind::cubic:
      result.taps = 4;
      result.places.insert(result.places.end(), {at.index - 1, at.index, at.index + 1, at.index + 2});
      for (float weight : cubicWeights(f, a))
        result.weights.push_back(static_cast<double>(weight));
      break;
    }
  }
  return result;
}

// Interpolation weights as functions of the distance: linear weights reach 1 element, cubic weights 2.
double triangle(double distance) { return std::max(0.0, 1 - std::abs(distance)); }

// Keys' cubic convolution kernel; `a` is its slope at distance 1.
double cubic(double distance, double a) {
  double x = std::abs(distance);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

void scaleTo1(double *weights, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += weights[i];
  for (int64_t i = 0; i < count; ++i)
    weights[i] /= sum;
}

// Sets the interpolation weights of elements outside the input to 0 and scales all other weights so that
// their sum is 1; if all elements are outside, nothing changes.
void exclude(const int64_t *places, double *weights, int64_t taps, int64_t size) {
  auto isInside = [&](int64_t place) { return place >= 0 && place < size; };
  if (std::none_of(places, places + taps, isInside))
    return;
  for (int64_t tap = 0; tap < taps; ++tap)
    if (!isInside(places[tap]))
      weights[tap] = 0;
  scaleTo1(weights, taps);
}

// Computes the weights of the elements around a coordinate. With antialiasing, the filter is widened by the
// factor 1 / scale when the axis shrinks.
class Weigher {
public:
  Weigher(const ResizeRule &rule, const ResizeAxis &axis)
      : rule(rule), size(axis.in), stretched(rule.antialias && axis.scale < 1),
        density(stretched ? axis.scale : 1.0) {
    double reach = (rule.kind == ResizeRule::Kind::linear ? 1 : 2) / density;
    first = static_cast<int64_t>(std::floor(-reach)) + 1;
  }

  int64_t taps() const { return 2 - 2 * first; }

  void weigh(double x, int64_t *places, double *weights) const {
    double below = std::floor(x), beyond = x - below;
    for (int64_t tap = 0; tap < taps(); ++tap) {
      places[tap] = static_cast<int64_t>(below) + first + tap;
      weights[tap] = weightAt((static_cast<double>(first + tap) - beyond) * density);
    }
    if (stretched)
      scaleTo1(weights, taps());
    if (rule.excludeOutside)
      exclude(places, weights, taps(), size);
  }

private:
  double weightAt(double distance) const {
    return rule.kind == ResizeRule::Kind::linear
               ? triangle(distance)
               : cubic(distance, static_cast<double>(rule.cubicCoefficient));
  }

  const ResizeRule &rule;
  int64_t size;
  bool stretched;
  double density;
  int64_t first; // offset of the first tap from the element at or before the coordinate
};

} // namespace

static AxisTaps fastTapsOf(const ResizeRule &rule, const ResizeAxis &axis) {
  AxisTaps result;
  Weigher weigher(rule, axis);
  bool nearest = rule.kind == ResizeRule::Kind::nearest;
  if (!nearest) {
    result.taps = weigher.taps();
    result.weights.resize(static_cast<size_t>(axis.out * result.taps));
  }
  result.places.resize(static_cast<size_t>(axis.out * result.taps));
  auto isOutside = [&](auto x) {
    return rule.coordinates == CoordinateMode::tfCropAndResize &&
           !(x >= 0 && x <= static_cast<decltype(x)>(axis.in - 1));
  };
  auto setOutside = [&](int64_t i) {
    result.outside.resize(static_cast<size_t>(axis.out));
    result.outside[static_cast<size_t>(i)] = true;
  };
  for (int64_t i = 0; i < axis.out; ++i) {
    int64_t *places = result.places.data() + i * result.taps;
    if (nearest) {
      auto x = coordinateOf<float>(rule.coordinates, axis, i);
      if (isOutside(x))
        setOutside(i);
      else
        *places = nearestTo(rule.nearest, x, axis.scale < 1);
    } else {
      auto x = coordinateOf<double>(rule.coordinates, axis, i);
      if (isOutside(x))
        setOutside(i);
      else
        weigher.weigh(x, places, result.weights.data() + i * result.taps);
    }
  }
  return result;
}

AxisTaps tapsOf(const ResizeRule &rule, const ResizeAxis &axis) {
  if (axis.out == 0)
    return AxisTaps();
  bool machine = rule.machine && machineKnows(rule, axis);
  AxisTaps result = machine ? machineTapsOf(rule, axis) : fastTapsOf(rule, axis);
  for (int64_t &place : result.places)
    place = std::clamp<int64_t>(place, 0, axis.in - 1);
  return result;
}

} // namespace tilerig::reference
