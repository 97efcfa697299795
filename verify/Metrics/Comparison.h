// Results of the comparison of two tensors.
#pragma once

#include "verify/Metrics/Limits.h"
#include "verify/Metrics/Plane.h"

#include <optional>
#include <string>
#include <string_view>

namespace tilerig::verify {

// Any status but match makes a run fail.
enum class TensorStatus : uint8_t {
  match,
  mismatch,
  inherited, // wrong in the run, right from right inputs
  shapeMismatch,
  dtypeMismatch,
  missing,
  nonFinite, // NaN or infinity where the other side differs
  empty,     // no elements, so nothing was compared
};
std::string_view nameOf(TensorStatus status); // as in records: "shape_mismatch"

struct NonFinite {
  uint64_t nan = 0, infinite = 0;
};

// Number of elements equal to the least or the largest value of their integer type.
struct Rails {
  uint64_t low = 0, high = 0;
};

struct WorstElement {
  uint64_t index = 0;
  double reference = 0, target = 0, absolute = 0;
};
inline constexpr size_t numWorst = 16;

// Histogram of distances in units in the last place: 0, 1, 2, 3–4, 5–8, ..., by the number of bits.
inline constexpr size_t ulpBins = 66;
using UlpHistogram = std::array<uint64_t, ulpBins>;
// Histogram of bitOff(): 0, 1, ..., 254 and all above.
inline constexpr size_t bitOffBins = 256;
using BitOffHistogram = std::array<uint64_t, bitOffBins>;

// Sums are over the elements that are finite on both sides. NaN means that a figure does not exist, such as
// the cosine of a tensor of zeros.
struct Comparison {
  TensorStatus status = TensorStatus::match;
  std::string reason; // explains a status other than match
  Limits limits;

  uint64_t elements = 0;
  uint64_t different = 0; // not equal; -0 equals +0, NaN equals NaN
  SubsetCounts subsets;
  uint64_t excused = 0;   // passed because few 8-bit steps off
  uint64_t undefined = 0; // relative errors with a reference of zero
  NonFinite referenceNonFinite, targetNonFinite;
  uint64_t nonFiniteAgreeing = 0, nonFiniteDiffering = 0;

  double largestReference = 0, largestTarget = 0, anchor = 0;
  double maxAbs = 0, meanAbs = 0, meanError = 0, rms = 0; // of target - reference
  double cosine = 0, pearson = 0, sqnrDecibel = 0;

  Buckets buckets{}, bucketsInLimit{};
  Plane plane;                                      // finite elements only
  std::optional<UlpHistogram> ulps;                 // if both have the same floating-point type
  std::optional<BitOffHistogram> bitsOff;           // for eight bits
  std::optional<Rails> referenceRails, targetRails; // for integers
  std::vector<WorstElement> worst;                  // by absolute error, largest first, then by index
};

} // namespace tilerig::verify
