#include "verify/Verdict/Words.h"

#include "isa/Bugs/Catalogue.h"

#include <algorithm>
#include <array>

namespace tilerig::verify {

std::string_view wordsOf(Channel channel) {
  switch (channel) {
  case Channel::relativeByOom:
    return "how large the errors of large and of small values are";
  case Channel::gainByOom:
    return "whether the sign of an error follows the sign of its value";
  case Channel::stepsByValue:
    return "by how many steps values of each size differ";
  case Channel::targetByReference:
    return "the target's values for each value of the reference";
  case Channel::zeroReference:
    return "the target's values where the reference is zero";
  case Channel::relativeByBorder:
    return "how errors depend on the distance to the border of the image";
  case Channel::relativeBySeam:
    return "how errors depend on the distance to the seams between tiles";
  case Channel::relativeByChannel:
    return "in which channels the errors are";
  case Channel::relativeByLane:
    return "on which lanes of the POD the errors are";
  case Channel::relativeByPosition:
    return "where in memory the errors are";
  case Channel::sortedBySorted:
    return "whether the values are right but at other places";
  case Channel::differingByImage:
    return "where in the image elements differ";
  case Channel::errorByImage:
    return "where in the image results are too large or too small";
  case Channel::differingByChannel:
    return "where in each channel elements differ";
  case Channel::errorByChannel:
    return "where in each channel results are too large or too small";
  case Channel::differingByLanes:
    return "on which lanes and positions of the POD elements differ";
  case Channel::lags:
    return "by how many places values are shifted";
  case Channel::isolatedByAccumulated:
    return "which errors remain if the inputs are right";
  case Channel::varyingByImage:
    return "where in the image results change with latencies";
  }
  return "";
}

namespace {

struct FactWords {
  Fact fact;
  std::string_view words;
};
constexpr FactWords factWords[] = {
    {Fact::unordered, "the analyser found a data race"},
    {Fact::uninitialised, "the analyser found a read of uninitialised memory"},
    {Fact::otherProblem, "the analyser found another fault in the program"},
    {Fact::trapped, "the run met a trap"},
    {Fact::isolatedDifferent, "the layer is wrong although its inputs are right"},
    {Fact::varying, "results change with latencies"},
    {Fact::different, "how many elements differ"},
    {Fact::failed, "how many elements fail"},
    {Fact::discarded, "how many elements are discarded because they are too small"},
    {Fact::notFinite, "elements are NaN or infinite on one side only"},
    {Fact::zeroTargets, "the target has zeros in place of other values"},
    {Fact::zeroReferences, "the target has other values in place of zeros"},
    {Fact::smallSteps, "errors are one step or one unit in the last place"},
    {Fact::targetsAtRail, "wrong elements of the target are at an end of the range"},
    {Fact::referencesAtRail, "the reference of wrong elements is at an end of the range"},
    {Fact::halfRange, "errors are half the range of 8 bits"},
    {Fact::negated, "signs are inverted"},
    {Fact::largestError, "the size of the largest error"},
    {Fact::meanSign, "most errors have the same sign"},
    {Fact::meanError, "the mean error is not zero"},
    {Fact::correlation, "how well results correlate with the reference"},
    {Fact::slope, "results grow faster or slower than the reference"},
    {Fact::byOffset, "one offset for all elements explains the errors"},
    {Fact::byGain, "one gain for all elements explains the errors"},
    {Fact::byValue, "the value of the reference explains the error"},
    {Fact::byChannelOffset, "an offset for each channel explains the errors"},
    {Fact::byChannelGain, "a gain for each channel explains the errors"},
    {Fact::byPlace, "the place in the image explains the error"},
    {Fact::channelsDifferent, "how many channels are wrong"},
    {Fact::rowsDifferent, "how many rows are wrong"},
    {Fact::columnsDifferent, "how many columns are wrong"},
    {Fact::boxFilled, "errors fill their bounding box"},
    {Fact::borderDifferent, "errors lie at the border of the image"},
    {Fact::seamDifferent, "errors lie next to the seams between tiles"},
    {Fact::runs, "how many contiguous ranges of memory are wrong"},
    {Fact::longestRun, "how long the longest wrong range of memory is"},
    {Fact::sameValues, "wrong values are right at another place"},
    {Fact::bestLag, "values are shifted"},
    {Fact::bestLagCorrelation, "results correlate with the reference at shifted places"},
    {Fact::transposed, "height and width are exchanged"},
    {Fact::channelsLast, "channels lie as in another memory layout"},
    {Fact::borderWrong, "how much of the border of the image is wrong"},
    {Fact::interiorWrong, "how much of the inside of the image is wrong"},
    {Fact::channelsPrefix, "the first channels are wrong"},
    {Fact::channelsSuffix, "the last channels are wrong"},
    {Fact::channelBlocks, "blocks of 16 channels are wrong"},
    {Fact::offsetChannels, "the error is constant within a channel"},
    {Fact::otherChannels, "channels have the values of other channels"},
    {Fact::channelCorrelation, "how well wrong channels correlate with the reference"},
    {Fact::channelCorrelationSpread, "channels correlate differently with the reference"},
    {Fact::biasCorrelation, "errors of channels correlate with their biases"},
    {Fact::tilesDifferent, "how many tiles are wrong"},
    {Fact::tilesFilled, "wrong tiles are wrong in all elements"},
    {Fact::oneTile, "errors lie on one tile"},
    {Fact::innerDifferent, "errors lie where results are inside their range"},
    {Fact::innerOffset, "inside the range, one offset explains the errors"},
    {Fact::innerGain, "inside the range, one gain explains the errors"},
    {Fact::innerChannelOffset, "inside the range, an offset for each channel explains the errors"},
    {Fact::innerChannelGain, "inside the range, a gain for each channel explains the errors"},
    {Fact::powerGains, "channels are too large or too small by powers of two"},
    {Fact::gainSpread, "channels have different gains"},
    {Fact::otherCorrelation, "wrong channels resemble other channels"},
    {Fact::wholeWraps, "errors are multiples of 16 steps"},
    {Fact::commonTarget, "many wrong elements have the same value"},
    {Fact::repeatedTargets, "wrong elements repeat the value beside them"},
    {Fact::conflicts, "how many data races there are"},
    {Fact::unwrittenReads, "how many reads of uninitialised memory there are"},
    {Fact::conflictsWithinTile, "data races are within one tile"},
    {Fact::conflictsBesideControl, "data races follow a wait or a signal"},
    {Fact::conflictInstructions, "how many instructions are in data races"},
    {Fact::conflictDistance, "how far apart the instructions of a data race are"},
    {Fact::ofHub, "one engine takes part in most data races"},
    {Fact::hubInstructions, "how many instructions of one engine are in data races"},
    {Fact::hubAdjacent, "consecutive instructions are in data races"},
    {Fact::hubOutOfOrder, "instructions break the order of layers or addresses"},
    {Fact::hubWrites, "accesses in data races are writes"},
    {Fact::leftOver, "a semaphore has signals left over, or overflows"},
    {Fact::stuck, "an engine may wait forever"},
    {Fact::replayTurnedWeights, "mirrored or transposed weights would give these values"},
    {Fact::replayMovedWeights, "weights from a neighbouring address would give these values"},
    {Fact::replayOtherWeights, "weights shifted by some outputs would give these values"},
    {Fact::replayExchangedWeights, "weights of other outputs would give these values"},
    {Fact::replayStaleWeights, "the weights of the previous layer would give these values"},
    {Fact::replayStaleBias, "the biases of the previous layer would give these values"},
    {Fact::replayNoWeights, "zero weights would give these values"},
    {Fact::replayNoSum, "zero in place of sum and bias would give these values"},
    {Fact::replayNoBias, "sums without a bias would give these values"},
    {Fact::replayScaledBias, "biases scaled by a power of two would give these values"},
    {Fact::replayOtherBias, "biases of other outputs would give these values"},
    {Fact::replayPowerOfScale, "a scale wrong by a power of two would give these values"},
    {Fact::replayOtherScale, "scales of other outputs would give these values"},
    {Fact::replayInputType, "inputs with the other signedness would give these values"},
    {Fact::replayWeightType, "weights with the other signedness would give these values"},
    {Fact::replayInputZero, "another zero point of the input would give these values"},
    {Fact::replayPaddingValue, "padding with another value would give these values"},
    {Fact::replayShorterDepth, "sums without the last input channels would give these values"},
    {Fact::replayLostPart, "sums without one part would give these values"},
    {Fact::replayDoubledPart, "sums with one part counted twice would give these values"},
    {Fact::replayMovedInput, "an input from a neighbouring address would give these values"},
    {Fact::replayLongerRows, "an input with longer or shorter rows would give these values"},
    {Fact::replayShiftedInput, "an input shifted by some rows or columns would give these values"},
    {Fact::replayStride, "another stride would give these values"},
    {Fact::replayDilation, "another dilation would give these values"},
    {Fact::replayMorePadding, "more padding would give these values"},
};

const FactWords *findWords(Fact fact) {
  const auto found = std::ranges::find(factWords, fact, &FactWords::fact);
  return found == std::end(factWords) ? nullptr : &*found;
}

constexpr std::array<std::string_view, numBugClasses> classWords = {
    "no error",
    "padding",
    "loading of biases",
    "loading of coefficients",
    "orientation of weights or results",
    "clipping",
    "calls of lower-level instructions",
    "type or zero point of quantised values",
    "scaling",
    "overflow",
    "rounding",
    "splitting into tiles, or copying between them",
    "access to data",
    "mapping of memory",
    "allocation of memory",
    "synchronisation",
    "order of instructions",
    "function tables",
    "hardware",
};

} // namespace

bool isEvidence(Fact fact) { return findWords(fact) != nullptr; }

std::string_view wordsOf(Fact fact) {
  const FactWords *found = findWords(fact);
  return found ? found->words : nameOf(fact);
}

std::string_view wordsOf(BugClass bugClass) { return classWords[static_cast<size_t>(bugClass)]; }

std::vector<std::string> suspectsOf(BugClass bugClass) {
  std::vector<std::string> suspects;
  if (bugClass == BugClass::noError)
    return suspects;
  for (const Bug &bug : bugCatalogue())
    if (bug.bugClass == bugClass && std::ranges::find(suspects, bug.site) == suspects.end())
      suspects.emplace_back(bug.site);
  return suspects;
}

} // namespace tilerig::verify
