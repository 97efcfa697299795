// The evidence on one tensor for machines: channels of 64 × 64 numbers that say how errors lie, and where.
//
// A channel is a density: elements are counted in its cells, and a count n of N elements becomes
// log2(1 + n) / log2(1 + N), so that one element in a million still shows. Most channels have the relative
// error downwards and something else across. Everything is computed from integers with the four operations of
// IEEE 754, so that the same pair of tensors gives the same bits on every machine.
//
// A change of what a channel is, or of their order, is a new version.
#pragma once

#include "isa/Tensor/TensorMap.h"
#include "isa/Tensor/TensorStream.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

inline constexpr int evidenceVersion = 1;
inline constexpr size_t evidenceSide = 64;

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
};
inline constexpr size_t numChannels = 11;
std::string_view nameOf(Channel channel);

// Where tiles meet: of each axis of the tensor the indices at which another piece begins.
using Seams = std::vector<std::vector<int64_t>>;

// float32 [numChannels, 64, 64], of tensors that were compared; refused where one cannot be read.
Result<Tensor> makeChannels(const TensorStream &reference, const TensorStream &target,
                            const Comparison &comparison, const Seams &seams = {});

// What the file of evidence on a tensor holds: the channels, the version, the limits, and how many elements
// there are.
TensorMap evidenceFile(Tensor channels, const Comparison &comparison);

// From 0 at the top: the row of a relative error in a channel, too small by much first, and of an undefined
// one last.
size_t evidenceRow(double relative);

} // namespace tilerig::verify
