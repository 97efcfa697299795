// The channels of a tensor, maps of 64 × 64 numbers that show the classifier how large the tensor's errors
// are and where they lie.
//
// Most channels are densities (2-D histograms): elements are counted in cells, and a count n of N elements
// becomes log2(1 + n) / log2(1 + N), so that one element in a million still shows. In most densities, rows
// stand for the relative error and columns for another property. The other channels are maps that show where
// in the tensor errors lie. Everything is computed from integers with the four IEEE 754 operations and square
// roots, so the same pair of tensors gives the same bits on every machine.
//
// A change of the meaning or order of the channels requires a new version of the evidence.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"
#include "isa/Base/Tensor/TensorStream.h"
#include "verify/Evidence/Circumstances.h"
#include "verify/Evidence/Features.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

inline constexpr int evidenceVersion = 4;

enum class Channel : uint8_t {
#define CHANNEL(name, file, need, words) name,
#include "verify/Evidence/Channels.def"
};
inline constexpr size_t numChannels = 0
#define CHANNEL(name, file, need, words) +1
#include "verify/Evidence/Channels.def"
    ;
std::string_view nameOf(Channel channel);
// What must be known so that a channel of the evidence can be computed: two tensors only, or also a program
// or a run of it.
FeatureNeed needOf(Channel channel);
std::string_view wordsOf(Channel channel); // what the channel shows: "in which channels the errors are"

// What the classifier reads about a pair of tensors: channels and features, as floats.
struct FloatEvidence {
  Tensor channels; // type and shape: float32 [numChannels, 64, 64]
  Features features{};
};
// Computes the channels and features of a pair of tensors that were compared. Fails if a tensor cannot be
// read, or if an additional run gave a tensor of another shape.
Result<FloatEvidence> makeEvidence(const TensorStream &reference, const TensorStream &target,
                                   const Comparison &comparison, const Circumstances &circumstances = {});

// Contents of a tensor's evidence file: channels, features, version of this format, limits of the comparison
// and number of elements.
TensorMap evidenceFile(FloatEvidence evidence, const Comparison &comparison);

// Row of a channel in which a relative error is counted, from 0 at the top: large negative errors first,
// undefined errors last.
size_t evidenceRow(double relative);

} // namespace tilerig::verify
