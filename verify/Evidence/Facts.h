// The evidence on one tensor in single numbers, beside its channels: what it is, what is known of it, and how
// its errors are made up.
//
// Every fact is finite, of about the size of 1, and 0 where there is nothing to say. Whoever has two dumps
// and nothing else knows no layer and no run (needOf): those facts are then 0, and so is the fact that says
// whether they are known. A change of what a fact is, or of their order, is a new version of the evidence
// (Channels.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tilerig::verify {

enum class Fact : uint8_t {
  // --- What the tensor is ---
  // The type of its elements as they are stored: one of these is 1.
  isF32,
  isF16,
  isBf16,
  isInt8,
  isUint8,
  isOtherType,
  // The layer that makes it: one of these is 1, where it is known.
  isConv,
  isMatMul,
  isPool,
  isElementwise,   // of two tensors, or a choice between them
  isActivation,    // a function of one, or another type
  isNormalisation, // and softmax
  isReduction,
  isMovement, // values change places
  isResize,
  isOtherLayer,
  // log2(1 + n) / 32 of the number of elements, and of the axes as Place.h has them.
  sizeElements,
  sizeBatch,
  sizeChannels,
  sizeHeight,
  sizeWidth,

  // --- What is known ---
  layerKnown,
  seamsKnown,
  isolatedKnown, // what the layer makes of right inputs
  jitterKnown,   // what comes when latencies vary; nothing else, if there is a proof
  orderKnown,    // what the analyser says
  oracleKnown,   // the reference is what a faultless device gives, bit for bit

  // --- What others noticed ---
  unordered,         // the analyser: two accesses that nothing orders
  uninitialised,     // the analyser: a read of what nobody wrote
  otherProblem,      // the analyser: anything else
  trapped,           // the machine
  isolatedDifferent, // share of the elements that are wrong although the inputs are right
  varying,           // share of the elements that are not the same in all runs

  // --- Which elements are wrong: shares of all ---
  different,
  failed,
  discarded,
  notFinite, // on one side alone
  // Of those that differ.
  zeroTargets,
  zeroReferences,
  smallSteps,    // one 8-bit step off, or one unit of the last place
  targetsAtRail, // the target is the largest or the smallest that there is in the reference or beyond
  referencesAtRail,
  halfRange, // 128 steps off; eight bits
  negated,   // t = -r

  // --- How large the errors are ---
  largestError, // (log2(error / largest reference) + 32) / 32, and 0 for what is smaller, or nothing
  meanSign,     // of the errors' signs
  meanError,    // by their root mean square
  correlation,  // Pearson's, of both tensors
  slope,        // least squares: t = slope · r + ...; as slope / (1 + |slope|)

  // --- What explains them: shares of the sum of squared errors ---
  byOffset,        // one number for all
  byGain,          // a line in r
  byValue,         // a function of r: the mean of each of 256 parts of its range
  byChannelOffset, // a number for each channel
  byChannelGain,   // a line in r for each channel
  byPlace,         // a number for each place of the image

  // --- Where they are ---
  channelsDifferent, // share of the channels, rows, columns that have any
  rowsDifferent,
  columnsDifferent,
  boxFilled,       // of the smallest box around them, the share that differs
  borderDifferent, // of those that differ, at the border of the image, and up to two away
  seamDifferent,   // beside a seam
  runs,            // log2(1 + n) / 32 of the stretches that are wrong without a gap, in memory
  longestRun,      // the same of its elements

  // --- Values that are there, but elsewhere: of elements that differ ---
  sameValues, // share of all elements that have a partner of the same value, wherever it is
  bestLag,    // largest share that is equal to the reference so many places on, in some direction (Lags.h)
  bestLagCorrelation,
  transposed,   // share that is equal to the reference with height and width in each other's place
  channelsLast, // ... with channels as the last axis, the bytes read as if they were not; or the reverse

  // --- Parts of the tensor (MeasureParts.h) ---
  borderWrong,   // share of the elements at the border, and up to two away, that differ
  interiorWrong, // ... of all others
  // Which channels are wrong, and what these are like: shares of those that are, unless said otherwise.
  channelsPrefix,           // 1 if they are the first ones, and not all
  channelsSuffix,           // ... the last ones
  channelBlocks,            // of blocks of 16 with a wrong one, those that are wrong throughout
  offsetChannels,           // their error is one number
  otherChannels,            // they are another channel of the reference
  channelCorrelation,       // Pearson's of a wrong channel and its reference: the mean
  channelCorrelationSpread, // ... the standard deviation
  biasKnown,
  biasCorrelation, // Pearson's of the channels' mean errors and their biases
  partsKnown,
  tilesDifferent, // share of the tiles that have a wrong element
  tilesFilled,    // of what those have, the share that is wrong
  oneTile,        // of what is wrong, the largest share that one tile has

  // --- Off the rails, where neither side is at an end of its range (MeasureFits.h) ---
  innerDifferent, // of the elements that differ, the share that lies there
  innerOffset,    // as byOffset, byGain, byChannelOffset, byChannelGain, of these alone
  innerGain,
  innerChannelOffset,
  innerChannelGain,
  powerGains,       // of channels that are a line in r, those that are 2^k times as large
  gainSpread,       // standard deviation of slope / (1 + slope)
  otherCorrelation, // of a wrong channel the best |correlation| with another one of the reference: the mean
  wholeWraps,       // of the errors, those that are whole multiples of 16 steps
  commonTarget,     // of the elements that differ, the largest share with one and the same target
  repeatedTargets,  // ... that are what the target has one column before, or one row

  // --- What the analyser says, finer (Circumstances.h) ---
  conflicts,      // log2(1 + n) / 32
  unwrittenReads, // the same
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

  // --- Computed again with one thing otherwise (MeasureReplays.h) ---
  replaysKnown,
  replayTurnedWeights,    // mirrored, transposed, in another order
  replayMovedWeights,     // from an address beside theirs
  replayOtherWeights,     // from so many outputs further on
  replayExchangedWeights, // of some other output, for each its own
  replayStaleWeights,     // of the layer before
  replayStaleBias,
  replayNoWeights,
  replayNoSum, // no bias either
  replayNoBias,
  replayScaledBias, // by a power of two
  replayOtherBias,  // of the output so many further on, or of the first
  replayPowerOfScale,
  replayOtherScale,
  replayInputType, // signed read as unsigned, or the reverse
  replayWeightType,
  replayInputZero, // another zero point
  replayPaddingValue,
  replayShorterDepth, // without the last channels
  replayLostPart,     // a part of the sum, and all before it
  replayDoubledPart,
  replayMovedInput,   // from an address beside its own
  replayLongerRows,   // ... that is farther off with each row
  replayShiftedInput, // by whole rows and columns
  replayStride,
  replayDilation,
  replayMorePadding, // the border of the image taken for padding
};
inline constexpr size_t numFacts = static_cast<size_t>(Fact::replayMorePadding) + 1;
using Facts = std::array<float, numFacts>;

std::string_view nameOf(Fact fact); // as in files: "is_f32"

// What somebody has to have to know it.
enum class FactNeed : uint8_t {
  tensors, // the two tensors
  program, // and the program that made one of them
  run,     // and the machine that it runs on
};
FactNeed needOf(Fact fact);

} // namespace tilerig::verify
