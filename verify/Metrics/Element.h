// The rules for one element: its relative error, its order of magnitude, how many 8-bit steps it is off, and
// whether it is discarded, passed or failed.
//
// The functions have no branches, so that compilers vectorise loops over them. Unless stated otherwise,
// elements are finite; callers handle elements that are NaN or infinite.
#pragma once

#include "verify/Metrics/Limits.h"

#include <cmath>
#include <limits>

namespace tilerig::verify {

enum class Subset : uint8_t { discarded, passed, failed };

// The limits of a comparison, and the results of the first pass over the tensors that the comparison of
// single elements needs.
struct Rule {
  double anchor = 0;
  double oomLimit = 100;
  double relativePercent = 3;
  double halfStep = 0; // half an 8-bit step; a step is the largest target / 255 (uint8) or / 127 (int8)
  double bitOff = 1;
  bool eightBit = false;
};

inline Rule ruleFor(const Limits &limits, double anchor, double largestTarget) {
  return {anchor,
          limits.oom,
          limits.relativePercent,
          largestTarget / stepsOf(limits.eightBit) / 2,
          limits.bitOff,
          limits.eightBit != EightBit::none};
}

// The relative error of an element in percent, with its sign; `difference` is target - reference. NaN if only
// the reference is zero, 0 if both elements are zero.
[[gnu::always_inline]] inline double relativeError(double reference, double target, double difference) {
  const double whenZero = target == 0 ? 0 : std::numeric_limits<double>::quiet_NaN();
  return reference != 0 ? difference / reference * 100 : whenZero;
}

// The order of magnitude: how many times smaller the element is than the anchor, for example the tensor's
// largest element. Above any limit if reference and target are zero.
[[gnu::always_inline]] inline double orderOfMagnitude(double reference, double target, const Rule &rule) {
  const double divisor = std::fabs(reference != 0 ? reference : target);
  return divisor != 0 ? rule.anchor / divisor : rule.oomLimit + 1;
}

[[gnu::always_inline]] inline double bitOff(double difference, const Rule &rule) {
  const double off = std::ceil(std::fabs(difference) / rule.halfStep) - 1;
  // The number of steps is -1 if the difference is tiny compared with a step; this counts as 0 steps.
  return difference != 0 && off > 0 ? off : 0;
}

// The subset (discarded, passed or failed) to which an element belongs by the limits of relative error and
// order of magnitude. The tolerance of a few 8-bit steps is not applied.
[[gnu::always_inline]] inline Subset subsetByLimits(double relative, double oom, const Rule &rule) {
  const Subset judged = std::fabs(relative) <= rule.relativePercent ? Subset::passed : Subset::failed;
  return oom <= rule.oomLimit ? judged : Subset::discarded;
}

// For an element that is NaN or infinite in the reference or the target: whether both are the same number or
// both NaN.
inline bool nonFiniteAgree(double reference, double target) {
  return reference == target || (std::isnan(reference) && std::isnan(target));
}

// Relative error, order of magnitude and subset of any element. If the reference or the target is NaN or
// infinite, the element passes if both are the same infinity or both NaN, else it fails.
struct Judgement {
  double relative, oom;
  Subset subset;
};
inline Judgement judge(double reference, double target, double difference, const Rule &rule) {
  if (!std::isfinite(reference) || !std::isfinite(target)) {
    const bool agree = nonFiniteAgree(reference, target);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {agree ? 0 : nan, nan, agree ? Subset::passed : Subset::failed};
  }
  const double relative = relativeError(reference, target, difference);
  const double oom = orderOfMagnitude(reference, target, rule);
  const bool excused = rule.eightBit && bitOff(difference, rule) <= rule.bitOff;
  return {relative, oom, excused ? Subset::passed : subsetByLimits(relative, oom, rule)};
}

} // namespace tilerig::verify
