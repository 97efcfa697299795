#include "verify/Verdict/Words.h"

#include "isa/Bugs/Catalogue.h"

#include <algorithm>
#include <array>

namespace tilerig::verify {

std::string_view wordsOf(Channel channel) {
  switch (channel) {
  case Channel::relativeByOom:
    return "how large errors are where values are large and small";
  case Channel::gainByOom:
    return "whether errors keep their sign or follow the value's";
  case Channel::stepsByValue:
    return "by how many steps values of each size are off";
  case Channel::targetByReference:
    return "what came for each value that was due";
  case Channel::zeroReference:
    return "what came where zero was due";
  case Channel::relativeByBorder:
    return "how errors lie towards the border of the image";
  case Channel::relativeBySeam:
    return "how errors lie towards the seams between tiles";
  case Channel::relativeByChannel:
    return "in which channels the errors are";
  case Channel::relativeByLane:
    return "on which lanes of the POD the errors are";
  case Channel::relativeByPosition:
    return "where in memory the errors are";
  case Channel::sortedBySorted:
    return "whether the values are the right ones in other places";
  case Channel::differingByImage:
    return "where in the image elements differ";
  case Channel::errorByImage:
    return "where in the image results are too large or too small";
  case Channel::differingByChannel:
    return "where in which channels elements differ";
  case Channel::errorByChannel:
    return "where in which channels results are too large or too small";
  case Channel::differingByLanes:
    return "on which lanes and positions of the POD elements differ";
  case Channel::lags:
    return "by how many places values are shifted";
  case Channel::isolatedByAccumulated:
    return "what is left of the errors when inputs are right";
  case Channel::varyingByImage:
    return "where in the image results vary with latencies";
  }
  return "";
}

namespace {

struct FactWords {
  Fact fact;
  std::string_view words;
};
constexpr FactWords factWords[] = {
    {Fact::unordered, "the analyser found accesses that nothing orders"},
    {Fact::uninitialised, "the analyser found a read of what nobody wrote"},
    {Fact::otherProblem, "the analyser objects to the program"},
    {Fact::trapped, "the machine trapped"},
    {Fact::isolatedDifferent, "the layer is wrong from right inputs"},
    {Fact::varying, "results vary with latencies"},
    {Fact::different, "how many elements differ"},
    {Fact::failed, "how many elements fail"},
    {Fact::discarded, "how many elements are too small to count"},
    {Fact::notFinite, "numbers that are not finite on one side"},
    {Fact::zeroTargets, "zeros came in place of values"},
    {Fact::zeroReferences, "values came in place of zeros"},
    {Fact::smallSteps, "errors are of the last place"},
    {Fact::targetsAtRail, "what came stands at an end of the range"},
    {Fact::referencesAtRail, "what was due stands at an end of the range"},
    {Fact::halfRange, "errors are half the range of eight bits"},
    {Fact::negated, "signs are the wrong way round"},
    {Fact::largestError, "the size of the largest error"},
    {Fact::meanSign, "errors lie on one side"},
    {Fact::meanError, "errors have a mean"},
    {Fact::correlation, "how well results follow what was due"},
    {Fact::slope, "results grow faster or slower than what was due"},
    {Fact::byOffset, "one offset explains the errors"},
    {Fact::byGain, "one gain explains the errors"},
    {Fact::byValue, "the value that was due explains the error"},
    {Fact::byChannelOffset, "an offset for each channel explains the errors"},
    {Fact::byChannelGain, "a gain for each channel explains the errors"},
    {Fact::byPlace, "the place in the image explains the error"},
    {Fact::channelsDifferent, "how many channels are concerned"},
    {Fact::rowsDifferent, "how many rows are concerned"},
    {Fact::columnsDifferent, "how many columns are concerned"},
    {Fact::boxFilled, "errors fill a box"},
    {Fact::borderDifferent, "errors lie at the border of the image"},
    {Fact::seamDifferent, "errors lie beside seams between tiles"},
    {Fact::runs, "into how many stretches of memory errors fall"},
    {Fact::longestRun, "how long a stretch of memory is wrong"},
    {Fact::sameValues, "the values that came are due elsewhere"},
    {Fact::bestLag, "values are shifted"},
    {Fact::bestLagCorrelation, "results follow what was due some places on"},
    {Fact::transposed, "height and width have changed places"},
    {Fact::channelsLast, "channels lie where another order has them"},
    {Fact::borderWrong, "how much of the border of the image is wrong"},
    {Fact::interiorWrong, "how much of the inside of the image is wrong"},
    {Fact::channelsPrefix, "the first channels are wrong"},
    {Fact::channelsSuffix, "the last channels are wrong"},
    {Fact::channelBlocks, "blocks of 16 channels are wrong"},
    {Fact::offsetChannels, "the error of a channel is one number"},
    {Fact::otherChannels, "channels have another one's values"},
    {Fact::channelCorrelation, "how well wrong channels follow what was due"},
    {Fact::channelCorrelationSpread, "channels follow what was due, each in its own way"},
    {Fact::biasCorrelation, "errors of channels follow their biases"},
    {Fact::tilesDifferent, "how many tiles are concerned"},
    {Fact::tilesFilled, "tiles are wrong throughout"},
    {Fact::oneTile, "errors lie on one tile"},
    {Fact::innerDifferent, "errors lie where results are not at an end of their range"},
    {Fact::innerOffset, "off the ends of the range one offset explains the errors"},
    {Fact::innerGain, "off the ends of the range one gain explains the errors"},
    {Fact::innerChannelOffset, "off the ends of the range an offset for each channel explains the errors"},
    {Fact::innerChannelGain, "off the ends of the range a gain for each channel explains the errors"},
    {Fact::powerGains, "channels are too large or too small by powers of two"},
    {Fact::gainSpread, "channels are too large or too small, each in its own way"},
    {Fact::otherCorrelation, "wrong channels resemble other ones"},
    {Fact::wholeWraps, "errors are whole multiples of sixteen steps"},
    {Fact::commonTarget, "one value came in many places"},
    {Fact::repeatedTargets, "values came twice, side by side"},
    {Fact::conflicts, "how many accesses nothing orders"},
    {Fact::unwrittenReads, "how often is read what nobody wrote"},
    {Fact::conflictsWithinTile, "accesses of one tile are not ordered"},
    {Fact::conflictsBesideControl, "accesses behind a wait or a signal are not ordered"},
    {Fact::conflictInstructions, "how many instructions are not ordered"},
    {Fact::conflictDistance, "how far apart instructions are that are not ordered"},
    {Fact::ofHub, "one engine has all accesses that are not ordered"},
    {Fact::hubInstructions, "how many instructions of an engine are not ordered"},
    {Fact::hubAdjacent, "instructions that are not ordered follow one another"},
    {Fact::hubOutOfOrder, "instructions stand out of the order of layers or addresses"},
    {Fact::hubWrites, "what is not ordered writes"},
    {Fact::leftOver, "a semaphore is left over"},
    {Fact::stuck, "an engine may wait for ever"},
    {Fact::replayTurnedWeights, "weights that are mirrored or transposed would give this"},
    {Fact::replayMovedWeights, "weights from an address beside theirs would give this"},
    {Fact::replayOtherWeights, "weights some outputs further on would give this"},
    {Fact::replayExchangedWeights, "weights of other outputs would give this"},
    {Fact::replayStaleWeights, "the weights of the layer before would give this"},
    {Fact::replayStaleBias, "the biases of the layer before would give this"},
    {Fact::replayNoWeights, "sums without weights would give this"},
    {Fact::replayNoSum, "sums of nothing would give this"},
    {Fact::replayNoBias, "sums without a bias would give this"},
    {Fact::replayScaledBias, "biases off by a power of two would give this"},
    {Fact::replayOtherBias, "biases of other outputs would give this"},
    {Fact::replayPowerOfScale, "a scale off by a power of two would give this"},
    {Fact::replayOtherScale, "scales of other outputs would give this"},
    {Fact::replayInputType, "inputs with another sign bit would give this"},
    {Fact::replayWeightType, "weights with another sign bit would give this"},
    {Fact::replayInputZero, "another zero point of the input would give this"},
    {Fact::replayPaddingValue, "padding with another value would give this"},
    {Fact::replayShorterDepth, "sums without the last channels would give this"},
    {Fact::replayLostPart, "sums without a part would give this"},
    {Fact::replayDoubledPart, "sums with a part twice would give this"},
    {Fact::replayMovedInput, "an input from an address beside its own would give this"},
    {Fact::replayLongerRows, "an input with longer or shorter rows would give this"},
    {Fact::replayShiftedInput, "an input some rows or columns on would give this"},
    {Fact::replayStride, "another stride would give this"},
    {Fact::replayDilation, "another dilation would give this"},
    {Fact::replayMorePadding, "more padding would give this"},
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
    "type or zero point of quantised numbers",
    "scaling",
    "overflow",
    "rounding",
    "splitting into tiles, or copying between them",
    "access to data",
    "mapping of memory",
    "allocation of memory",
    "synchronisation",
    "order of instructions",
    "tables of functions",
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
