#include "tests/unit/Verify/PlainComparison.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tilerig::verify {

namespace {

__extension__ using Wide128 = __int128;

double sixteenBits(uint16_t bits, int exponentBits) {
  const int fractionBits = 15 - exponentBits;
  const int exponent = bits >> fractionBits & ((1 << exponentBits) - 1);
  const int fraction = bits & ((1 << fractionBits) - 1);
  const int bias = (1 << (exponentBits - 1)) - 1;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == (1 << exponentBits) - 1)
    return fraction ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * std::ldexp(fraction, 1 - bias - fractionBits);
  return sign * std::ldexp(fraction + (1 << fractionBits), exponent - bias - fractionBits);
}

template <class T>
T bitsAt(const Tensor &tensor, size_t index) {
  T value;
  std::memcpy(&value, tensor.bytes().data() + index * sizeof(T), sizeof(T));
  return value;
}

// The difference of two elements: exact for integers, else the difference of doubles.
double difference(const Tensor &reference, const Tensor &target, size_t index) {
  auto exact = [&](auto zero) {
    using T = decltype(zero);
    return static_cast<double>(static_cast<Wide128>(bitsAt<T>(target, index)) -
                               static_cast<Wide128>(bitsAt<T>(reference, index)));
  };
  if (target.dtype() == DType::i64)
    return exact(int64_t());
  if (target.dtype() == DType::u64)
    return exact(uint64_t());
  return numberAt(target, index) - numberAt(reference, index);
}

// The distance of two floats in ulp: the number of steps from one float to the next between them.
uint64_t ulpsBetween(const Tensor &reference, const Tensor &target, size_t index) {
  auto distance = [&](auto zero, auto wide) -> uint64_t {
    using Bits = decltype(zero);
    using Wide = decltype(wide);
    auto ordered = [&](Bits bits) -> Wide {
      const Wide magnitude = bits & (static_cast<Bits>(~Bits(0)) >> 1);
      return bits >> (sizeof(Bits) * 8 - 1) ? -magnitude : magnitude;
    };
    const Wide d = ordered(bitsAt<Bits>(reference, index)) - ordered(bitsAt<Bits>(target, index));
    return static_cast<uint64_t>(d < 0 ? -d : d);
  };
  switch (target.dtype()) {
  case DType::f16:
  case DType::bf16:
    return distance(uint16_t(), int64_t());
  case DType::f32:
    return distance(uint32_t(), int64_t());
  default:
    return distance(uint64_t(), Wide128());
  }
}

size_t bucketOf(double relative) {
  const double edges[] = {0.01, 0.05, 0.1, 0.5, 1, 5, 10, 50, 100};
  for (size_t i = 0; i < 9; ++i)
    if (std::fabs(relative) <= edges[i])
      return i;
  return 9;
}

long double anchorOf(std::vector<double> magnitudes, Anchor anchor) {
  if (magnitudes.empty())
    return 0;
  std::ranges::sort(magnitudes, std::greater());
  if (anchor == Anchor::largest)
    return magnitudes[0];
  if (anchor == Anchor::secondLargest)
    return magnitudes.size() > 1 ? magnitudes[1] : 0;
  long double squares = 0;
  for (double m : magnitudes)
    squares += static_cast<long double>(m) * m;
  return std::sqrt(squares / magnitudes.size());
}

} // namespace

double numberAt(const Tensor &tensor, size_t index) {
  return dispatch(tensor.dtype(), [&]<class T>() -> double {
    if constexpr (std::is_same_v<T, Float16>)
      return sixteenBits(bitsAt<uint16_t>(tensor, index), 5);
    else if constexpr (std::is_same_v<T, BFloat16>)
      return sixteenBits(bitsAt<uint16_t>(tensor, index), 8);
    else if constexpr (std::is_arithmetic_v<T>)
      return static_cast<double>(bitsAt<T>(tensor, index));
    else
      return NAN;
  });
}

PlainComparison comparePlainly(const Tensor &reference, const Tensor &target, const Limits &limits) {
  PlainComparison comparison;
  const size_t count = target.elementCount();
  comparison.elements = count;
  std::vector<size_t> finite;
  std::vector<double> magnitudes;
  double largestTarget = 0;
  for (size_t i = 0; i < count; ++i) {
    const double r = numberAt(reference, i), t = numberAt(target, i);
    comparison.referenceNan += std::isnan(r), comparison.targetNan += std::isnan(t);
    comparison.referenceInfinite += std::isinf(r), comparison.targetInfinite += std::isinf(t);
    if (std::isfinite(r) && std::isfinite(t)) {
      finite.push_back(i);
      magnitudes.push_back(std::fabs(r));
      largestTarget = std::max(largestTarget, std::fabs(t));
    } else if (r == t || (std::isnan(r) && std::isnan(t))) {
      ++comparison.nonFiniteAgreeing, ++comparison.passed, ++comparison.buckets[0], ++comparison.inLimit[0];
    } else {
      ++comparison.nonFiniteDiffering, ++comparison.failed, ++comparison.different, ++comparison.buckets[9],
          ++comparison.inLimit[9];
    }
  }
  comparison.anchor = anchorOf(magnitudes, limits.anchor);
  const auto anchor = static_cast<double>(comparison.anchor);
  const double unit = largestTarget / (limits.eightBit == EightBit::uint8 ? 255 : 127);
  long double sumR = 0, sumT = 0, rr = 0, tt = 0, rt = 0, dd = 0;
  for (size_t i : finite) {
    const double r = numberAt(reference, i), t = numberAt(target, i), d = difference(reference, target, i);
    const double relative = r != 0 ? d / r * 100 : t == 0 ? 0 : NAN;
    const double oom = r != 0 ? anchor / std::fabs(r) : t != 0 ? anchor / std::fabs(t) : limits.oom + 1;
    const bool inLimit = oom <= limits.oom, within = std::fabs(relative) <= limits.relativePercent;
    const bool excused = limits.eightBit != EightBit::none &&
                         (d == 0 || std::ceil(std::fabs(d) / (unit / 2)) - 1 <= limits.bitOff);
    if (inLimit && within)
      ++comparison.passed;
    else if (excused)
      ++comparison.passed, ++comparison.excused;
    else
      ++(inLimit ? comparison.failed : comparison.discarded);
    ++comparison.buckets[bucketOf(relative)];
    comparison.inLimit[bucketOf(relative)] += inLimit;
    comparison.undefined += r == 0 && t != 0;
    comparison.different += d != 0;
    comparison.meanAbs += std::fabs(d), comparison.meanError += d;
    sumR += r, sumT += t, rr += static_cast<long double>(r) * r, tt += static_cast<long double>(t) * t;
    rt += static_cast<long double>(r) * t, dd += static_cast<long double>(d) * d;
    if (d != 0)
      comparison.worst.push_back({i, r, t, std::fabs(d)});
    if (target.dtype() <= DType::f64 && target.dtype() == reference.dtype())
      comparison.ulps.push_back(ulpsBetween(reference, target, i));
    dispatch(target.dtype(), [&]<class T>() {
      if constexpr (std::is_integral_v<T>) {
        comparison.railsLow += bitsAt<T>(target, i) == std::numeric_limits<T>::min();
        comparison.railsHigh += bitsAt<T>(target, i) == std::numeric_limits<T>::max();
      }
    });
  }
  std::ranges::stable_sort(comparison.worst, std::greater(), &WorstElement::absolute);
  comparison.maxAbs = comparison.worst.empty() ? 0 : comparison.worst[0].absolute;
  comparison.worst.resize(std::min<size_t>(comparison.worst.size(), 16));
  const auto n = static_cast<long double>(std::max<size_t>(finite.size(), 1));
  long double centredR = 0, centredT = 0, centredRt = 0;
  for (size_t i : finite) {
    const long double r = numberAt(reference, i) - sumR / n, t = numberAt(target, i) - sumT / n;
    centredR += r * r, centredT += t * t, centredRt += r * t;
  }
  comparison.meanAbs /= n, comparison.meanError /= n, comparison.rms = std::sqrt(dd / n);
  comparison.cosine = rt / (std::sqrt(rr) * std::sqrt(tt));
  comparison.pearson = centredRt / (std::sqrt(centredR) * std::sqrt(centredT));
  comparison.sqnrDecibel = 10 * std::log10(rr / dd);
  return comparison;
}

} // namespace tilerig::verify
