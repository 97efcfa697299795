// The evidence on one tensor as input of the classifier: channels of 64 × 64 numbers that show how large its
// errors are and where they lie.
//
// Most channels are densities (2-D histograms): elements are counted in cells, and a count n of N elements
// becomes log2(1 + n) / log2(1 + N), so that one element in a million still shows. In most densities, rows
// stand for the relative error and columns for another property. The channels that are no densities are maps
// of the tensor, in which N is the number of elements of each cell. Everything is computed from integers with
// the four IEEE 754 operations and square roots, so the same pair of tensors gives the same bits on every
// machine.
//
// A change of the meaning or order of the channels requires a new version.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"
#include "isa/Base/Tensor/TensorStream.h"
#include "verify/Evidence/Circumstances.h"
#include "verify/Evidence/Facts.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

inline constexpr int evidenceVersion = 4;

enum class Channel : uint8_t {
  relativeByOom,      // relative error (downwards) by order of magnitude (across), as in the picture
  gainByOom,          // error / |r| by order of magnitude: an offset keeps its sign, a gain does not
  stepsByValue,       // error in 8-bit steps or units in the last place, by the reference
  targetByReference,  // target by reference, each axis from minus to plus the largest magnitude
  zeroReference,      // targets of elements whose reference is zero, by place in memory
  relativeByBorder,   // relative error by distance to the border of the image
  relativeBySeam,     // relative error by distance to the nearest seam; empty if seams are unknown
  relativeByChannel,  // relative error by channel; all channels are spread over the width
  relativeByLane,     // relative error by channel modulo 64, four times the lanes of the POD
  relativeByPosition, // relative error by place in memory; all of it is spread over the width
  sortedBySorted,     // sorted targets by sorted references: a diagonal if values only moved
  // Maps of the tensor (Maps.h); each name says what the numbers are.
  differingByImage,
  errorByImage,
  differingByChannel,
  errorByChannel,
  differingByLanes,
  lags, // shares of elements that match the reference at a fixed distance (Lags.h)
  // Relative error of the layer's result from right inputs, by the relative error of its result in the
  // ordinary run.
  isolatedByAccumulated,
  varyingByImage, // elements that differ between runs
};
inline constexpr size_t numChannels = static_cast<size_t>(Channel::varyingByImage) + 1;
std::string_view nameOf(Channel channel);
// What must be known so that the channel can be computed: two tensors only, or a program or a run as well.
FactNeed needOf(Channel channel);

// Evidence of a pair of tensors, in floats.
struct FloatEvidence {
  Tensor channels; // float32 [numChannels, 64, 64]
  Facts facts{};
};
// Makes the evidence on a pair of tensors that were compared. Refused if a tensor cannot be read, or if the
// result of an additional run in the circumstances has another shape.
Result<FloatEvidence> makeEvidence(const TensorStream &reference, const TensorStream &target,
                                   const Comparison &comparison, const Circumstances &circumstances = {});

// Contents of the evidence file of a tensor: channels, facts, the version of the evidence, the limits of the
// comparison and the number of elements.
TensorMap evidenceFile(FloatEvidence evidence, const Comparison &comparison);

// Row of a channel in which a relative error is counted, from 0 at the top: large negative errors first,
// undefined errors last.
size_t evidenceRow(double relative);

} // namespace tilerig::verify
