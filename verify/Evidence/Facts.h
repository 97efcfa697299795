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
  // The type of its elements as stored: one of these is 1.
  isF32,
  isF16,
  isBf16,
  isInt8,
  isUint8,
  isOtherType,
  // The layer that computes it: one of these is 1 if the layer is known.
  isConv,
  isMatMul,
  isPool,
  isElementwise,   // of two tensors, or a selection between them
  isActivation,    // a function of one tensor, or a type conversion
  isNormalisation, // normalisation or softmax
  isReduction,
  isMovement, // only moves elements
  isResize,
  isOtherLayer,
  // log2(1 + n) / 32 of the number of elements, and of the sizes of the axes as Place.h defines them.
  sizeElements,
  sizeBatch,
  sizeChannels,
  sizeHeight,
  sizeWidth,

  // --- What is known ---
  layerKnown,
  seamsKnown,
  isolatedKnown, // the layer's result from right inputs is known
  jitterKnown,   // results under other latencies are known; also if proved, as none differs
  orderKnown,    // the analyser's result is known
  oracleKnown,   // the reference is what a faultless device computes, bit for bit

  // --- What the analyser, traps and other runs noticed ---
  unordered,         // the analyser: two accesses that nothing orders
  uninitialised,     // the analyser: a read of bytes that nothing wrote
  otherProblem,      // the analyser: anything else
  trapped,           // the machine: a trap occurred
  isolatedDifferent, // share of the elements that are wrong although the inputs are right
  varying,           // share of the elements that differ between runs

  // --- Which elements are wrong: shares of all elements ---
  different,
  failed,
  discarded,
  notFinite, // on one side alone
  // Shares of the elements that differ.
  zeroTargets,
  zeroReferences,
  smallSteps,    // one 8-bit step off, or one unit in the last place
  targetsAtRail, // the target is at or beyond the reference's largest or smallest value
  referencesAtRail,
  halfRange, // 128 steps off; only for eight bits
  negated,   // t = -r

  // --- How large the errors are ---
  largestError, // (log2(error / largest reference) + 32) / 32, at least 0
  meanSign,     // mean of the errors' signs
  meanError,    // mean error / root mean square error
  correlation,  // Pearson correlation of both tensors
  slope,        // slope / (1 + |slope|) of the least-squares line t = slope · r + ...

  // --- Which simple model explains them: shares of the sum of squared errors ---
  byOffset,        // one offset for all elements
  byGain,          // a linear function of r
  byValue,         // a function of r: the mean error in each of 256 parts of its range
  byChannelOffset, // an offset for each channel
  byChannelGain,   // a linear function of r for each channel
  byPlace,         // an offset for each place of the image

  // --- Where they are ---
  channelsDifferent, // share of the channels, rows, columns that have any wrong element
  rowsDifferent,
  columnsDifferent,
  boxFilled,       // share of their bounding box that differs
  borderDifferent, // share of those that differ within two places of the image's border
  seamDifferent,   // share of those that differ beside a seam
  runs,            // log2(1 + n) / 32 of the number of contiguous wrong runs in memory
  longestRun,      // log2(1 + n) / 32 of the length of the longest run

  // --- Right values at other places: shares of the elements that differ ---
  sameValues, // share whose target is the reference of another differing element
  bestLag,    // largest share equal to the reference at one fixed distance (Lags.h)
  bestLagCorrelation,
  transposed,   // share equal to the reference with height and width exchanged
  channelsLast, // ... read with channels as the last axis instead of before the image, or vice versa

  // --- Parts of the tensor (MeasureParts.h) ---
  borderWrong,   // share of elements within two places of the border that differ
  interiorWrong, // ... of all others
  // Which channels are wrong, and how: shares of the wrong channels, unless said otherwise.
  channelsPrefix,           // 1 if the wrong channels are the first ones, but not all
  channelsSuffix,           // ... the last ones
  channelBlocks,            // of blocks of 16 channels with a wrong one, those wrong throughout
  offsetChannels,           // channels whose error is a constant
  otherChannels,            // channels that equal another channel of the reference
  channelCorrelation,       // mean Pearson correlation of a wrong channel and its reference
  channelCorrelationSpread, // ... its standard deviation
  biasKnown,
  biasCorrelation, // Pearson correlation of the channels' mean errors and biases
  partsKnown,
  tilesDifferent, // share of the tiles that have a wrong element
  tilesFilled,    // share of the elements of these tiles that is wrong
  oneTile,        // largest share of the wrong elements that lies on one tile

  // --- Away from the rails: elements with neither side at an end of its range (MeasureFits.h) ---
  innerDifferent, // share of the elements that differ which lies there
  innerOffset,    // byOffset, byGain, byChannelOffset, byChannelGain of these alone
  innerGain,
  innerChannelOffset,
  innerChannelGain,
  powerGains,       // of channels that are linear in r, share with slope 2^k
  gainSpread,       // standard deviation of slope / (1 + slope) over channels
  otherCorrelation, // mean over wrong channels of the best |correlation| with another one
  wholeWraps,       // share of the errors that are whole multiples of 16 steps
  commonTarget,     // largest share of the elements that differ which have the same target
  repeatedTargets,  // share whose target equals that of the previous column or row

  // --- Details of the analyser's result (Circumstances.h) ---
  conflicts,      // log2(1 + n) / 32
  unwrittenReads, // log2(1 + n) / 32
  conflictsWithinTile,
  conflictsBesideControl,
  conflictInstructions,
  conflictDistance, // log2(1 + n) / 32
  ofHub,
  hubInstructions,
  hubAdjacent,
  hubOutOfOrder,
  hubWrites,
  leftOver,
  stuck,

  // --- Replays: the sum of products recomputed with one change (MeasureReplays.h) ---
  replaysKnown,
  replayTurnedWeights,    // mirrored, transposed, or in another order
  replayMovedWeights,     // read from a neighbouring address
  replayOtherWeights,     // of the output a fixed number further on
  replayExchangedWeights, // of some other output, chosen for each output
  replayStaleWeights,     // of the previous layer
  replayStaleBias,
  replayNoWeights,
  replayNoSum, // neither sum nor bias
  replayNoBias,
  replayScaledBias, // by a power of two
  replayOtherBias,  // of the output a fixed number further on, or of the first
  replayPowerOfScale,
  replayOtherScale,
  replayInputType, // signed read as unsigned, or vice versa
  replayWeightType,
  replayInputZero, // with another zero point
  replayPaddingValue,
  replayShorterDepth, // without the last input channels
  replayLostPart,     // without a part of the sum and all parts before it
  replayDoubledPart,
  replayMovedInput,   // read from a neighbouring address
  replayLongerRows,   // ... with an offset that grows with each row
  replayShiftedInput, // shifted by whole rows and columns
  replayStride,
  replayDilation,
  replayMorePadding, // the border of the image taken as padding
};
inline constexpr size_t numFacts = static_cast<size_t>(Fact::replayMorePadding) + 1;
using Facts = std::array<float, numFacts>;

std::string_view nameOf(Fact fact); // as in files: "is_f32"

// What a user needs to have so that the fact is known.
enum class FactNeed : uint8_t {
  tensors, // the two tensors
  program, // ... and the program that computed one of them
  run,     // ... and the machine that it runs on
};
FactNeed needOf(Fact fact);

} // namespace tilerig::verify
