// What comparing two tensors found.
#pragma once

#include "verify/Metrics/Limits.h"
#include "verify/Metrics/Plane.h"

#include <optional>
#include <string>
#include <string_view>

namespace tilerig::verify {

// Anything but match makes a run fail.
enum class TensorStatus : uint8_t {
  match,
  mismatch,
  inherited, // wrong as it came, right when its inputs are
  shapeMismatch,
  dtypeMismatch,
  missing,
  nonFinite, // NaN or infinity where the other side has something else
  empty,     // no elements: nothing was shown
};
std::string_view nameOf(TensorStatus status); // as in records: "shape_mismatch"

struct NonFinite {
  uint64_t nan = 0, infinite = 0;
};

// Elements that stand at the least or the largest value of their integer type.
struct Rails {
  uint64_t low = 0, high = 0;
};

struct WorstElement {
  uint64_t index = 0;
  double reference = 0, target = 0, absolute = 0;
};
inline constexpr size_t numWorst = 16;

// Distances in units of the last place: 0, 1, 2, 3–4, 5–8, ..., by the number of bits.
inline constexpr size_t ulpBins = 66;
using UlpHistogram = std::array<uint64_t, ulpBins>;
// 0, 1, ..., 254 and all above.
inline constexpr size_t bitOffBins = 256;
using BitOffHistogram = std::array<uint64_t, bitOffBins>;

// Sums are over the finite elements: those with a finite number on both sides. NaN stands for a figure that
// does not exist, such as the cosine of a tensor of zeros.
struct Comparison {
  TensorStatus status = TensorStatus::match;
  std::string reason; // of another status than match, in words
  Limits limits;

  uint64_t elements = 0;
  uint64_t different = 0; // not equal; -0 equals +0, NaN equals NaN
  SubsetCounts subsets;
  uint64_t excused = 0;   // passed for being few 8-bit steps off
  uint64_t undefined = 0; // relative errors with zero for a reference
  NonFinite referenceNonFinite, targetNonFinite;
  uint64_t nonFiniteAgreeing = 0, nonFiniteDiffering = 0;

  double largestReference = 0, largestTarget = 0, anchor = 0;
  double maxAbs = 0, meanAbs = 0, meanError = 0, rms = 0; // of target - reference
  double cosine = 0, pearson = 0, sqnrDecibel = 0;

  Buckets buckets{}, bucketsInLimit{};
  Plane plane;                                      // of the finite elements
  std::optional<UlpHistogram> ulps;                 // where both are of one floating type
  std::optional<BitOffHistogram> bitsOff;           // in eight bits
  std::optional<Rails> referenceRails, targetRails; // of integers
  std::vector<WorstElement> worst;                  // by absolute error, largest first, then by index
};

} // namespace tilerig::verify
