// The evidence on one tensor in single numbers (facts, the scalar features of the classifier), beside its
// channels: properties of the tensor, what is known about it, and the composition of its errors.
//
// Every fact is finite, of about the size of 1, and 0 if it does not apply. With only two dumps, layer and
// run are unknown (needOf): those facts are then 0, and so is the fact that says whether they are known. A
// change of the meaning or order of the facts requires a new version of the evidence (Channels.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tilerig::verify {

enum class Fact : uint8_t {
  // --- What the tensor is ---
  // The type of the tensor's elements as stored: one of these facts is 1.
  isF32,
  isF16,
  isBf16,
  isInt8,
  isUint8,
  isOtherType,
  // The layer that computes the tensor: one of these facts is 1 if the layer is known.
  isConv,
  isMatMul,
  isPool,
  isElementwise,   // the layer combines two tensors element by element, or selects between them
  isActivation,    // the layer is a function of one tensor, or a type conversion
  isNormalisation, // the layer is a normalisation or a softmax
  isReduction,
  isMovement, // the layer only moves elements
  isResize,
  isOtherLayer,
  // log2(1 + n) / 32, where n is the number of elements or the size of an axis as Place.h defines it.
  sizeElements,
  sizeBatch,
  sizeChannels,
  sizeHeight,
  sizeWidth,

  // --- What is known ---
  layerKnown,
  seamsKnown,
  isolatedKnown, // whether the layer's result from right inputs is known
  jitterKnown,   // whether results under other latencies are known; also 1 if a proof says that none differs
  orderKnown,    // whether the analyser's result is known
  oracleKnown,   // whether the reference is what a faultless device computes, bit for bit

  // --- What the analyser, traps and other runs noticed ---
  unordered,         // the analyser found two accesses to the same bytes that nothing orders
  uninitialised,     // the analyser found a read of bytes that nothing wrote
  otherProblem,      // the analyser found a problem of another kind
  trapped,           // the machine met a trap
  isolatedDifferent, // share of the elements that are wrong although the layer's inputs are right
  varying,           // share of the elements that differ between runs with different latencies

  // --- Which elements are wrong: shares of all elements ---
  different,
  failed,
  discarded,
  notFinite, // elements that are NaN or infinite on one side and different on the other
  // The following facts are shares of the elements that differ.
  zeroTargets,
  zeroReferences,
  smallSteps,    // elements that are one 8-bit step off, or one unit in the last place
  targetsAtRail, // elements whose target is at or beyond the reference's largest or smallest value
  referencesAtRail,
  halfRange, // elements that are 128 steps off; only for eight bits
  negated,   // elements whose target is the negated reference

  // --- How large the errors are (r: reference, t: target, error: t - r) ---
  largestError, // (log2(largest error / largest reference) + 32) / 32, at least 0
  meanSign,     // mean of the signs of the errors
  meanError,    // mean error / root mean square error
  correlation,  // Pearson correlation of reference and target
  slope,        // slope / (1 + |slope|), where slope is that of the least-squares line of t over r

  // --- How much a simple model of the errors explains: shares of the sum of squared errors ---
  byOffset,        // the model adds one offset to all elements
  byGain,          // the error is a linear function of r
  byValue,         // the error is a function of r: the mean error in each of 256 parts of its range
  byChannelOffset, // the model adds an offset to each channel
  byChannelGain,   // the error is a linear function of r, another one for each channel
  byPlace,         // the model adds an offset to each place of the image

  // --- Where the differing elements are ---
  channelsDifferent, // share of the channels that have a differing element; next: of rows, of columns
  rowsDifferent,
  columnsDifferent,
  boxFilled,       // differing elements / elements of the smallest box that contains all differing elements
  borderDifferent, // share of the differing elements that are at most 2 places from the image's border
  seamDifferent,   // share of the differing elements that lie beside a seam
  runs,            // log2(1 + n) / 32, where n is the number of contiguous wrong runs in memory
  longestRun,      // log2(1 + n) / 32, where n is the length of the longest wrong run in memory

  // --- Right values at other places: shares of the differing elements ---
  sameValues, // elements whose target is the reference of another differing element
  bestLag,    // elements that equal the reference at one fixed distance (Lags.h), for the best distance
  bestLagCorrelation,
  transposed,   // elements that equal the reference with height and width exchanged
  channelsLast, // the same with channels as the last axis instead of before the image, or vice versa

  // --- Parts of the tensor (MeasureParts.h) ---
  borderWrong,   // share of the elements at most 2 places from the border that are wrong
  interiorWrong, // share of all other elements that are wrong
  // Which channels are wrong, and how. Facts that do not say otherwise are shares of the wrong channels.
  channelsPrefix,           // 1 if the wrong channels are the first ones, but not all
  channelsSuffix,           // 1 if the wrong channels are the last ones, but not all
  channelBlocks,            // of the blocks of 16 channels with a wrong one, share with only wrong ones
  offsetChannels,           // channels whose error is one constant
  otherChannels,            // channels whose target equals another channel of the reference
  channelCorrelation,       // mean Pearson correlation of a wrong channel and its reference
  channelCorrelationSpread, // standard deviation of the correlation of a wrong channel and its reference
  biasKnown,
  biasCorrelation, // Pearson correlation of the mean error of each channel and its bias
  partsKnown,
  tilesDifferent, // share of the tiles that hold a differing element
  tilesFilled,    // share of the elements of these tiles that are wrong
  oneTile,        // largest share of the differing elements that one tile holds

  // --- Inner elements: neither reference nor target is at an end of its range (MeasureFits.h) ---
  innerDifferent, // share of the differing elements that are inner elements
  innerOffset,    // byOffset, but over the inner elements only; likewise the next three, byGain and so on
  innerGain,
  innerChannelOffset,
  innerChannelGain,
  powerGains,       // of the channels whose target is linear in r, the share with a slope of 2^k, k ≠ 0
  gainSpread,       // standard deviation of slope / (1 + slope) over these channels
  otherCorrelation, // mean over wrong channels of the largest |correlation| with another channel's reference
  wholeWraps,       // share of the errors that are whole multiples of 16 8-bit steps
  commonTarget,     // largest share of the differing elements that have the same target
  repeatedTargets,  // share of the differing elements whose target equals that of the previous column or row

  // --- Details of the analyser's result (Circumstances.h) ---
  conflicts,      // log2(1 + n) / 32, where n is the number of conflicts
  unwrittenReads, // log2(1 + n) / 32, where n is the number of reads of unwritten bytes
  conflictsWithinTile,
  conflictsBesideControl,
  conflictInstructions,
  conflictDistance, // log2(1 + n) / 32, where n is the field `nearest` of Order
  ofHub,
  hubInstructions,
  hubAdjacent,
  hubOutOfOrder,
  hubWrites,
  leftOver,
  stuck,

  // --- Replays: shares of the wrong elements that one change of the sum explains (MeasureReplays.h) ---
  replaysKnown,
  replayTurnedWeights,    // weights mirrored, transposed, or in another order
  replayMovedWeights,     // weights read from a neighbouring address
  replayOtherWeights,     // weights of the output whose index is a fixed number higher or lower
  replayExchangedWeights, // weights of some other output, chosen for each output
  replayStaleWeights,     // weights of the previous layer
  replayStaleBias,
  replayNoWeights,
  replayNoSum, // zero instead of the sum and the bias
  replayNoBias,
  replayScaledBias, // bias times a power of two
  replayOtherBias,  // bias of the output whose index is a fixed number higher, or of the first output
  replayPowerOfScale,
  replayOtherScale,
  replayInputType, // inputs read as signed instead of unsigned, or vice versa
  replayWeightType,
  replayInputZero, // another zero point of the input
  replayPaddingValue,
  replayShorterDepth, // the last input channels left out
  replayLostPart,     // a part of the sum and all parts before it left out
  replayDoubledPart,
  replayMovedInput,   // inputs read from a neighbouring address
  replayLongerRows,   // inputs read with longer or shorter rows, so that the offset grows with each row
  replayShiftedInput, // inputs shifted by whole rows and columns
  replayStride,
  replayDilation,
  replayMorePadding, // rows or columns at the border of the image taken as padding
};
inline constexpr size_t numFacts = static_cast<size_t>(Fact::replayMorePadding) + 1;
using Facts = std::array<float, numFacts>;

std::string_view nameOf(Fact fact); // name of the fact as in files: "is_f32"

// What must be available so that a fact can be measured.
enum class FactNeed : uint8_t {
  tensors, // the two tensors that are compared
  program, // the tensors, and the program that computed one of them
  run,     // the tensors, the program, and the machine that it runs on
};
FactNeed needOf(Fact fact);

} // namespace tilerig::verify
