// Results of the comparison of two tensors.
#pragma once

#include "verify/Metrics/Limits.h"
#include "verify/Metrics/Metrics.h"
#include "verify/Metrics/Plane.h"

#include <optional>
#include <string>
#include <string_view>

namespace tilerig::verify {

// Status of a tensor's comparison. Any status but match makes a run fail.
enum class TensorStatus : uint8_t {
  match,
  mismatch,
  inherited, // the tensor is wrong in the run, but right if the layer gets right inputs
  shapeMismatch,
  dtypeMismatch,
  missing,
  // an element is NaN or infinite in the reference or the target, and has another value in the other
  nonFinite,
  empty, // the tensors have no elements, so nothing was compared
};
std::string_view nameOf(TensorStatus status); // name as in records: "shape_mismatch"

// Numbers of elements that equal the least and the largest value of their integer type.
struct Rails {
  uint64_t low = 0, high = 0;
};

struct WorstElement {
  uint64_t index = 0;
  double reference = 0, target = 0, absolute = 0;
};
inline constexpr size_t numWorst = 16;

// Histogram of the distance of target and reference in units in the last place. The bins are 0, 1, 2, 3–4,
// 5–8, 9–16, and so on.
inline constexpr size_t ulpBins = 66;
using UlpHistogram = std::array<uint64_t, ulpBins>;
// Histogram of bitOff(), the number of 8-bit steps that an element is off: 0, 1, ..., 254, and all above.
inline constexpr size_t bitOffBins = 256;
using BitOffHistogram = std::array<uint64_t, bitOffBins>;

// The result of a comparison. A metric that does not exist, such as the cosine of a tensor of zeros, is NaN.
struct Comparison {
  TensorStatus status = TensorStatus::match;
  std::string reason; // the reason why the tensors do not match
  Limits limits;

  // The metrics, which Metrics.def describes: `uint64_t elements = 0;` and so on.
#define METRIC(field, kind, key, heading, tables) MetricType<MetricKind::kind> field = 0;
#include "verify/Metrics/Metrics.def"
  SubsetCounts subsets() const { return {discarded, passed, failed}; }

  // Magnitudes with which elements are compared: the largest ones of both tensors, and the anchor, to which
  // orders of magnitude are relative (Limits.h).
  double largestReference = 0, largestTarget = 0, anchor = 0;

  Buckets buckets{}, bucketsInLimit{};
  // histogram, by relative error and order of magnitude, of the elements that are finite in both tensors
  Plane plane;
  // Histogram of the distances in units in the last place; only if both tensors have the same floating-point
  // type.
  std::optional<UlpHistogram> ulps;
  // Histogram of distances in 8-bit steps; only if the numbers represent 8-bit integers.
  std::optional<BitOffHistogram> bitsOff;
  // Number of elements at the ends of the range of their type; only for tensors of integers.
  std::optional<Rails> referenceRails, targetRails;
  // The elements with the largest absolute errors: the largest error first; equal errors by index.
  std::vector<WorstElement> worst;
};

} // namespace tilerig::verify
