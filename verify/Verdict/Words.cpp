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
