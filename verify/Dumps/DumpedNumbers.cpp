#include "verify/Dumps/DumpedNumbers.h"

#include "reference/Run/Floats.h"
#include "verify/Inputs/Transpose.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <set>

namespace tilerig::verify {

Shape withoutOnes(const Shape &shape) {
  Shape rest;
  std::ranges::copy_if(shape, std::back_inserter(rest), [](int64_t size) { return size != 1; });
  return rest;
}

double largestOf(const Tensor &numbers) {
  double largest = 0;
  for (const float number : numbers.as<float>())
    largest = std::max(largest, std::isfinite(number) ? std::fabs(static_cast<double>(number)) : 0);
  return largest;
}

namespace {

constexpr std::array<std::string_view, 4> names = {"fp32", "fp16", "bf16", "int8"};

// Floats that lie on a grid with so many different values, and at least three times as many elements, were quantised to 8 bits.
constexpr size_t fewestValues = 16, mostValues = 256, elementsOfValue = 3;

// The tensor with the model's shape: axes of size 1 are added or left out, and channels that come last are moved to the front.
Result<Tensor> inShapeOf(const Tensor &dumped, const Shape &shape) {
  if (dumped.shape() == shape)
    return dumped;
  if (withoutOnes(dumped.shape()) == withoutOnes(shape))
    return dumped.reshaped(shape);
  if (shape.size() >= 3 && dumped.rank() == shape.size()) {
    std::vector<size_t> axes = {0, shape.size() - 1};
    for (size_t axis = 1; axis + 1 < shape.size(); ++axis)
      axes.push_back(axis);
    TILERIG_TRY(Tensor turned, transpose(dumped, axes));
    if (turned.shape() == shape)
      return turned;
  }
  return invalidInput("the target",
                      fmt::format("the dumped tensor has the shape {}, but the model computes {}",
                                  showShape(dumped.shape()), showShape(shape)));
}

template <class T>
Tensor convertedFrom(const Tensor &tensor) {
  Tensor result(DType::f32, tensor.shape());
  std::ranges::transform(tensor.as<T>(), result.mutableAs<float>().begin(),
                         [](T value) { return static_cast<float>(value); });
  return result;
}

// Stored integers beside the numbers that the model computes, for finding a scale.
struct StoredPair {
  double stored, expected;
};

// expected = step * (stored - zero)
struct Scale {
  double step = 0, zero = 0;
  double errorOf(const StoredPair &pair) const {
    return std::fabs(pair.expected - step * (pair.stored - zero));
  }
};

// By least squares, over the pairs that `counts` selects; empty if they do not determine a positive step.
template <class Counts>
std::optional<Scale> leastSquares(std::span<const StoredPair> pairs, const Counts &counts) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const StoredPair &pair : pairs)
    if (counts(pair)) {
      const auto &[q, r] = pair;
      n += 1, x += q, y += r, xx += q * q, xy += q * r;
    }
  const double spread = n * xx - x * x, both = n * xy - x * y;
  if (n < 2 || spread <= 0 || both <= 0)
    return {};
  const double step = both / spread;
  return Scale{step, (x - y / step) / n};
}

// How near a stored number is to the expected one if nothing is wrong.
constexpr double nearSteps = 2.5;

size_t countNear(std::span<const StoredPair> pairs, const Scale &scale) {
  return static_cast<size_t>(std::ranges::count_if(
      pairs, [&](const StoredPair &pair) { return scale.errorOf(pair) <= nearSteps * scale.step; }));
}

// Fits the scale again to the pairs that it brings near, with less and less distance: wrong numbers then do not count.
Scale refined(std::span<const StoredPair> pairs, Scale scale) {
  for (const double steps : {40.0, 20.0, 10.0, 5.0, nearSteps, nearSteps, nearSteps})
    if (const auto next = leastSquares(
            pairs, [&](const StoredPair &pair) { return scale.errorOf(pair) <= steps * scale.step; }))
      scale = *next;
  return scale;
}

// Both sides of the pairs in ascending order.
std::vector<StoredPair> sorted(const std::vector<StoredPair> &pairs) {
  std::vector<double> stored, expected;
  for (const StoredPair &pair : pairs)
    stored.push_back(pair.stored), expected.push_back(pair.expected);
  std::ranges::sort(stored);
  std::ranges::sort(expected);
  std::vector<StoredPair> result(pairs.size());
  for (size_t i = 0; i < pairs.size(); ++i)
    result[i] = {stored[i], expected[i]};
  return result;
}

// The ends of a range of numbers.
struct Range {
  double low = 0, high = 0;
};

// The scales that calibrated ranges give to integers from `low` to `high`: with a zero point, and symmetric.
std::vector<Scale> scalesOf(const Range &range, double low, double high) {
  const double from = std::min(range.low, 0.0), to = std::max(range.high, 0.0),
               step = (to - from) / (high - low);
  if (!(step > 0) || !std::isfinite(step))
    return {};
  return {{step, low - std::nearbyint(from / step)}, {std::max(-from, to) / high, 0}};
}

// The scale with which most stored numbers are near to what is expected. Scales are sought in the pairs, which is right if few numbers are
// wrong; in the distributions of both, which is right if all are wrong but of the usual size; and in the usual range. Numbers at an end of
// the range of the integers, where they saturate, count for the distributions only.
std::optional<Scale> scaleOf(const std::vector<StoredPair> &pairs, const std::optional<Range> &usual,
                             double low, double high) {
  // At least one number in so many must be near, or the tensor is wrong nearly everywhere.
  constexpr size_t leastShare = 4;
  std::vector<StoredPair> inside;
  std::ranges::copy_if(pairs, std::back_inserter(inside),
                       [&](const StoredPair &pair) { return pair.stored > low && pair.stored < high; });
  const auto all = [](const StoredPair &) { return true; };
  const std::vector<Scale> usualScales = usual ? scalesOf(*usual, low, high) : std::vector<Scale>();
  std::vector<Scale> starts = usualScales;
  for (const std::optional<Scale> &start : {leastSquares(sorted(pairs), all), leastSquares(inside, all)})
    if (start)
      starts.push_back(*start);
  std::optional<Scale> best;
  for (const Scale &start : starts)
    for (const Scale &scale : {start, refined(inside, start)})
      if (!best || countNear(inside, scale) > countNear(inside, *best))
        best = scale;
  if (best && leastShare * countNear(inside, *best) < inside.size())
    best = starts.front();
  return best;
}

// The scale and zero point that fit integers best to what is expected.
template <class T>
Result<Scale> fittedScale(const Tensor &integers, const Tensor &expected, const std::optional<Range> &usual) {
  constexpr size_t mostPairs = 1 << 16;
  constexpr T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  const auto from = integers.as<T>();
  const auto to = expected.as<float>();
  std::vector<StoredPair> pairs;
  for (size_t i = 0; i < from.size(); i += (from.size() / mostPairs + 1) | 1)
    if (std::isfinite(to[i]))
      pairs.push_back({static_cast<double>(from[i]), static_cast<double>(to[i])});
  constexpr size_t fewestPairs = 16;
  if (pairs.size() < fewestPairs)
    return invalidInput("the target",
                        fmt::format("{} integers are too few to find their scale", pairs.size()));
  const std::optional<Scale> scale = scaleOf(pairs, usual, low, high);
  if (!scale)
    return invalidInput("the target",
                        "no scale makes the dumped integers similar to what the model computes");
  return *scale;
}

// Dequantises integers with a known scale and zero point or, without, those that fit best.
template <class T>
Result<DumpedNumbers> dequantised(const Tensor &integers, const Tensor &expected,
                                  const std::optional<Range> &usual,
                                  const std::optional<TensorScale> &known) {
  constexpr T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  const auto from = integers.as<T>();
  Scale scale;
  if (known)
    scale = {known->scale, static_cast<double>(known->zero)};
  else {
    TILERIG_TRY(scale, fittedScale<T>(integers, expected, usual));
  }
  DumpedNumbers result{Tensor(DType::f32, expected.shape()), DumpPrecision::eightBits, scale.step};
  const double zero = std::nearbyint(scale.zero);
  const auto number = [&](T value) {
    return static_cast<float>((static_cast<double>(value) - zero) * scale.step);
  };
  std::ranges::transform(from, result.numbers.template mutableAs<float>().begin(), number);
  // A symmetric type saturates one step before the end of the integers.
  const auto [least, most] = std::ranges::minmax(from);
  if (static_cast<int>(least) <= static_cast<int>(low) + 1)
    result.low = static_cast<double>(number(least));
  if (static_cast<int>(most) >= static_cast<int>(high))
    result.high = static_cast<double>(number(most));
  if constexpr (sizeof(T) == 1)
    result.stored =
        StoredSteps{{static_cast<float>(scale.step)}, static_cast<float>(zero), std::is_signed_v<T>};
  return result;
}

// The different values of floats, in ascending order; empty if they are more than 8 bits can have, or not finite.
std::set<float> fewValues(std::span<const float> numbers) {
  std::set<float> values;
  for (const float number : numbers) {
    values.insert(number);
    if (values.size() > mostValues || !std::isfinite(number))
      return {};
  }
  return values;
}

// A grid on which all of some values lie.
struct Grid {
  double step = 0, steps = 0; // steps: from the least to the largest value
};
std::optional<Grid> gridOf(const std::set<float> &values) {
  constexpr double tolerance = 0.02; // of a step: the values are rounded to floats
  Grid grid{INFINITY, 0};
  for (auto at = values.begin(); std::next(at) != values.end(); ++at)
    grid.step = std::min(grid.step, static_cast<double>(*std::next(at)) - static_cast<double>(*at));
  for (const float value : values) {
    grid.steps = (static_cast<double>(value) - static_cast<double>(*values.begin())) / grid.step;
    if (std::fabs(grid.steps - std::nearbyint(grid.steps)) > tolerance)
      return {};
  }
  return grid.steps < mostValues ? std::optional(grid) : std::nullopt;
}

bool areAll(const Tensor &numbers, DType type) {
  return identical(reference::widened(reference::narrowed(numbers, type)), numbers);
}

// Whether the numbers were computed in a type of 16 bits: it has all of them. Of whole numbers and the like, which are expected to be so, this
// says nothing.
bool areOfType(const Tensor &numbers, const Tensor &expected, DType type) {
  return areAll(numbers, type) && !areAll(expected, type);
}

// Notes that the numbers were quantised to 8 bits, if they and the expected numbers look like it.
void noteEightBits(DumpedNumbers &dumped, const Tensor &expected) {
  const std::span<const float> numbers = dumped.numbers.as<float>();
  const std::set<float> values = fewValues(numbers);
  if (values.size() < fewestValues || elementsOfValue * values.size() > numbers.size() ||
      !fewValues(expected.as<float>()).empty())
    return;
  const std::optional<Grid> grid = gridOf(values);
  if (!grid)
    return;
  dumped.precision = DumpPrecision::eightBits;
  dumped.step = grid->step;
  // Only numbers that fill the range of 8 bits, with a zero point or symmetric, are known to saturate at its ends.
  const double all = std::nearbyint(grid->steps);
  if (all >= 254)
    dumped.low = *values.begin(), dumped.high = *values.rbegin();
}

DumpedNumbers ofFloats(Tensor numbers, const Tensor &expected, std::optional<DumpPrecision> given) {
  DumpedNumbers result{std::move(numbers)};
  if (!given || *given == DumpPrecision::eightBits)
    noteEightBits(result, expected);
  if (given)
    result.precision = *given;
  else if (result.precision != DumpPrecision::eightBits && areOfType(result.numbers, expected, DType::bf16))
    result.precision = DumpPrecision::bf16;
  else if (result.precision != DumpPrecision::eightBits && areOfType(result.numbers, expected, DType::f16))
    result.precision = DumpPrecision::fp16;
  return result;
}

// Sets the step that decides what rounding explains. It is near to that of the expected range, whatever the dumped numbers are: results
// may have more bits than their operands, and wrong ones must not widen it.
void limitStep(DumpedNumbers &dumped, const Tensor &expected) {
  const double largest = largestOf(expected);
  dumped.step = std::clamp(dumped.step, largest / 255, largest / 16);
}

} // namespace

std::string_view nameOf(DumpPrecision precision) { return names[static_cast<size_t>(precision)]; }

// The range of a tensor of floats; empty if it is of another type.
static std::optional<Range> rangeOf(const Tensor *tensor) {
  if (!tensor || tensor->dtype() != DType::f32)
    return {};
  Range range;
  for (const float number : tensor->as<float>())
    if (std::isfinite(number))
      range = {std::min(range.low, static_cast<double>(number)),
               std::max(range.high, static_cast<double>(number))};
  return range;
}

Result<DumpedNumbers> numbersOfDump(const Tensor &dumped, const Tensor &expected, const Tensor *usual,
                                    std::optional<DumpPrecision> given,
                                    const std::optional<TensorScale> &scale) {
  TILERIG_TRY(Tensor shaped, inShapeOf(dumped, expected.shape()));
  if (shaped.dtype() == DType::u16) { // numpy has no bfloat16, so files store its bits
    TILERIG_TRY(shaped, shaped.reinterpreted(DType::bf16));
  }
  const std::optional<Range> range = rangeOf(usual);
  DumpedNumbers result;
  switch (shaped.dtype()) {
  case DType::f32:
    result = ofFloats(shaped, expected, given);
    break;
  case DType::f64:
    result = ofFloats(convertedFrom<double>(shaped), expected, given);
    break;
  case DType::f16:
    result = {reference::widened(shaped), DumpPrecision::fp16};
    break;
  case DType::bf16:
    result = {reference::widened(shaped), DumpPrecision::bf16};
    break;
  case DType::i8: {
    TILERIG_TRY(result, dequantised<int8_t>(shaped, expected, range, scale));
    break;
  }
  case DType::u8: {
    TILERIG_TRY(result, dequantised<uint8_t>(shaped, expected, range, scale));
    break;
  }
  case DType::i16: {
    TILERIG_TRY(result, dequantised<int16_t>(shaped, expected, range, scale));
    break;
  }
  default:
    return unsupported("the target",
                       fmt::format("the dumped tensor has the type {}, but the model computes floats",
                                   nameOf(shaped.dtype())));
  }
  if (result.precision == DumpPrecision::eightBits)
    limitStep(result, expected);
  return result;
}

constexpr double eightBitSteps = 1.5;

RoundingOfDump::RoundingOfDump(const DumpedNumbers &dumped, double largestExpected, size_t values)
    : low(dumped.low), high(dumped.high) {
  const double count = std::sqrt(static_cast<double>(std::max<size_t>(values, 1)));
  // Sums of thousands of products in float32, in any order; results of 16 bits with their operands; 8-bit results of 8-bit weights.
  switch (dumped.precision) {
  case DumpPrecision::fp32:
    relative = 1e-5, absolute = 2e-5 * largestExpected;
    break;
  case DumpPrecision::fp16:
    relative = 0x1p-9, absolute = 0x1p-9 * largestExpected;
    break;
  case DumpPrecision::bf16:
    relative = 0x1p-6, absolute = 0x1p-6 * largestExpected;
    break;
  case DumpPrecision::eightBits:
    relative = 0, absolute = eightBitSteps * dumped.step;
    break;
  }
  relative *= count;
  absolute *= count;
}

bool RoundingOfDump::explains(double expected, double dumped, double times) const {
  if (!std::isfinite(expected) || !std::isfinite(dumped))
    return expected == dumped || (std::isnan(expected) && std::isnan(dumped));
  if ((dumped <= low && expected < dumped) || (dumped >= high && expected > dumped))
    return true; // it saturates
  return std::fabs(dumped - expected) <= times * (absolute + relative * std::fabs(expected));
}

} // namespace tilerig::verify
