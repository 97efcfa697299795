// The evidence on one tensor as input of the classifier: channels of 64 × 64 numbers that show how large its
// errors are and where they lie.
//
// Most channels are densities (2-D histograms): elements are counted in cells, and a count n of N elements
// becomes log2(1 + n) / log2(1 + N), so that one element in a million still shows. Most densities have the
// relative error downwards and another property across. The other channels are maps of the tensor, in which N
// is the number of elements of each cell. Everything is computed from integers with the four IEEE 754
// operations and square roots, so the same pair of tensors gives the same bits on every machine.
//
// A change of the meaning or order of the channels requires a new version.
#pragma once

#include "isa/Tensor/TensorMap.h"
#include "isa/Tensor/TensorStream.h"
#include "verify/Evidence/Circumstances.h"
#include "verify/Evidence/Facts.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

inline constexpr int evidenceVersion = 4;

enum class Channel : uint8_t {
  relativeByOom,      // relative error by order of magnitude, as in the picture
  gainByOom,          // error / |r| by order of magnitude: an offset keeps its sign, a gain does not
  stepsByValue,       // error in 8-bit steps or units in the last place, by the value
  targetByReference,  // target by reference, both from -largest to largest
  zeroReference,      // target values where the reference is zero, by place in memory
  relativeByBorder,   // by distance to the border of the image
  relativeBySeam,     // by distance to the nearest seam between tiles; empty if seams are unknown
  relativeByChannel,  // by channel, all channels spread over the width
  relativeByLane,     // by channel modulo 64: four times the lanes of the POD
  relativeByPosition, // by place in memory, all of it spread over the width
  sortedBySorted,     // sorted targets by sorted references: on the diagonal if values only moved
  // Maps of the tensor (Maps.h); each name says what the numbers are.
  differingByImage,
  errorByImage,
  differingByChannel,
  errorByChannel,
  differingByLanes,
  lags,                  // matches with shifted references (Lags.h)
  isolatedByAccumulated, // relative error of the layer's result from right inputs, by that of the run
  varyingByImage,        // elements that differ between runs
};
inline constexpr size_t numChannels = static_cast<size_t>(Channel::varyingByImage) + 1;
std::string_view nameOf(Channel channel);
// What a user needs to have so that the channel can be computed.
FactNeed needOf(Channel channel);

// Evidence of a pair of tensors, in floats.
struct FloatEvidence {
  Tensor channels; // float32 [numChannels, 64, 64]
  Facts facts{};
};
// Makes the evidence of tensors that were compared. Refused if a tensor cannot be read, or if another run has
// another shape.
Result<FloatEvidence> makeEvidence(const TensorStream &reference, const TensorStream &target,
                                   const Comparison &comparison, const Circumstances &circumstances = {});

// Contents of the evidence file of a tensor: channels, facts, the version, the limits and the number of
// elements.
TensorMap evidenceFile(FloatEvidence evidence, const Comparison &comparison);

// Row of a relative error in a channel, from 0 at the top: large negative errors first, undefined errors
// last.
size_t evidenceRow(double relative);

} // namespace tilerig::verify
