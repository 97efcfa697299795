// The evidence on one tensor for machines: channels of 64 × 64 numbers that say how errors lie, and where.
//
// Most channels are densities: elements are counted in their cells, and a count n of N elements becomes
// log2(1 + n) / log2(1 + N), so that one element in a million still shows. Of these most have the relative
// error downwards and something else across. Others are maps of the tensor, of which each cell has its own N.
// Everything is computed from integers with the four operations of IEEE 754 and square roots, so that the
// same pair of tensors gives the same bits on every machine.
//
// A change of what a channel is, or of their order, is a new version.
#pragma once

#include "isa/Tensor/TensorMap.h"
#include "isa/Tensor/TensorStream.h"
#include "verify/Evidence/Circumstances.h"
#include "verify/Evidence/Facts.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

inline constexpr int evidenceVersion = 4;

enum class Channel : uint8_t {
  relativeByOom,      // as in the picture
  gainByOom,          // the same with the error divided by |r|: an offset keeps its sign, a gain does not
  stepsByValue,       // the error in 8-bit steps or in units of the last place, against the value
  targetByReference,  // both from -largest to largest
  zeroReference,      // what came where zero was due, by place in memory
  relativeByBorder,   // by distance to the border of the image
  relativeBySeam,     // by distance to the nearest seam between tiles; empty where seams are not known
  relativeByChannel,  // by channel, all channels spread over the width
  relativeByLane,     // by channel modulo 64: four times the lanes of the POD
  relativeByPosition, // by place in memory, all of it spread over the width
  sortedBySorted, // the sorted targets against the sorted references: empty off its diagonal if values only
                  // moved
  // Maps (Maps.h), each with what its numbers are.
  differingByImage,
  errorByImage,
  differingByChannel,
  errorByChannel,
  differingByLanes,
  lags,                  // (Lags.h)
  isolatedByAccumulated, // relative error of what the layer makes of right inputs, by that of what came
  varyingByImage,        // what is not the same in all runs
};
inline constexpr size_t numChannels = static_cast<size_t>(Channel::varyingByImage) + 1;
std::string_view nameOf(Channel channel);
// What somebody has to have for it to hold anything.
FactNeed needOf(Channel channel);

// What is made of a pair of tensors, in floats.
struct FloatEvidence {
  Tensor channels; // float32 [numChannels, 64, 64]
  Facts facts{};
};
// Of tensors that were compared; refused where one cannot be read, or another run has another shape.
Result<FloatEvidence> makeEvidence(const TensorStream &reference, const TensorStream &target,
                                   const Comparison &comparison, const Circumstances &circumstances = {});

// What the file of evidence on a tensor holds: channels, facts, the version, the limits, and how many
// elements there are.
TensorMap evidenceFile(FloatEvidence evidence, const Comparison &comparison);

// From 0 at the top: the row of a relative error in a channel, too small by much first, and of an undefined
// one last.
size_t evidenceRow(double relative);

} // namespace tilerig::verify
