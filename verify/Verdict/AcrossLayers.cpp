#include "verify/Verdict/AcrossLayers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string_view>

namespace tilerig::verify {

namespace {

// However many layers are wrong, their evidence counts as that of this number of independent layers.
constexpr double mostIndependent = 4;
// How much likelier the classes of broken hardware become if many layers are wrong, and if one tile stands out. Logarithms.
constexpr double ofManyLayers = 3, ofOneTile = 4;
// A tile stands out if at least this share of the layers is wrong on it alone, and hardly any layer on another one alone. Where tiles
// exchange parts of sums or weights, a broken one spoils the results of all.
constexpr double leastOfLayers = 0.25, mostOfTiles = 0.95;
// The probability that a layer's verdict gives to a class is never taken for less than this.
constexpr double leastProbability = 0.02;
// A class is named if its probability is at least this, or if most layers resemble known bugs.
constexpr float likelyEnough = 0.5f;

// Beside a proved cause, a layer has another bug if its class has at least this probability and is none that a race can look like.
constexpr float certainEnough = 0.6f;

bool looksLikeARace(BugClass bugClass) {
  return bugClass == BugClass::synchronisation || bugClass == BugClass::serialisation ||
         bugClass == BugClass::memoryAllocation || bugClass == BugClass::memoryMapping ||
         bugClass == BugClass::coefficientLoading;
}

bool isCertain(const Verdict &verdict) {
  return verdict.answer == Answer::named && !looksLikeARace(verdict.bugClass) &&
         verdict.probabilities[static_cast<size_t>(verdict.bugClass)] >= certainEnough;
}

bool isOfHardware(BugClass bugClass) {
  return bugClass == BugClass::hardware || bugClass == BugClass::overflow;
}

// Number of different layers; a layer with several results has a verdict on each.
size_t countLayers(const std::vector<const LayerVerdict *> &verdicts) {
  std::set<std::string_view> names;
  for (const LayerVerdict *verdict : verdicts)
    names.insert(verdict->layer);
  return names.size();
}

bool hasOutstandingTile(const std::vector<const LayerVerdict *> &layers) {
  std::map<uint32_t, size_t> counts;
  for (const LayerVerdict *layer : layers)
    if (layer->tile)
      ++counts[*layer->tile];
  size_t most = 0, all = 0;
  for (const auto &[tile, count] : counts)
    most = std::max(most, count), all += count;
  return most >= manyLayers && static_cast<double>(most) >= mostOfTiles * static_cast<double>(all) &&
         static_cast<double>(most) >= leastOfLayers * static_cast<double>(layers.size());
}

// A class's probability in the verdict on one layer; an unknown bug makes every class as likely as any other.
double probabilityIn(const Verdict &verdict, size_t bugClass) {
  const double known = 1 - static_cast<double>(verdict.unknown);
  return std::max(known * static_cast<double>(verdict.probabilities[bugClass]) +
                      (1 - known) / static_cast<double>(numProgramBugClasses - 1),
                  leastProbability);
}

Probabilities normalised(const std::array<double, numBugClasses> &logarithms, const Probabilities &possible) {
  const double most = *std::ranges::max_element(logarithms);
  Probabilities shares{};
  for (size_t i = 0; i < numBugClasses; ++i)
    if (possible[i] > 0)
      shares[i] = static_cast<float>(std::exp(logarithms[i] - most));
  const float sum = std::accumulate(shares.begin(), shares.end(), 0.0f);
  for (float &share : shares)
    share /= sum;
  return shares;
}

// The mean of the probabilities, for the results of one layer.
Probabilities meanOf(const std::vector<const LayerVerdict *> &voices) {
  Probabilities mean{};
  for (const LayerVerdict *voice : voices)
    for (size_t i = 0; i < numBugClasses; ++i)
      mean[i] += voice->verdict.probabilities[i] / static_cast<float>(voices.size());
  return mean;
}

// The probabilities if many layers are wrong.
Probabilities probabilitiesOfMany(const std::vector<const LayerVerdict *> &voices, bool tileStandsOut) {
  std::array<double, numBugClasses> logarithms{};
  Probabilities possible{};
  for (size_t i = 0; i < numBugClasses; ++i) {
    for (const LayerVerdict *voice : voices) {
      logarithms[i] += std::log(probabilityIn(voice->verdict, i)) / static_cast<double>(voices.size());
      possible[i] += voice->verdict.probabilities[i];
    }
    logarithms[i] *= std::min(mostIndependent, static_cast<double>(voices.size()));
    if (isOfHardware(static_cast<BugClass>(i)))
      logarithms[i] += ofManyLayers + (tileStandsOut ? ofOneTile : 0);
  }
  return normalised(logarithms, possible);
}

} // namespace

static std::vector<const LayerVerdict *> voicesOf(const std::vector<LayerVerdict> &layers) {
  std::vector<const LayerVerdict *> voices;
  for (const LayerVerdict &layer : layers)
    if (layer.verdict.answer != Answer::cannotSay)
      voices.push_back(&layer);
  return voices;
}

bool areMany(const std::vector<LayerVerdict> &wrongLayers) {
  return countLayers(voicesOf(wrongLayers)) >= manyLayers;
}

std::optional<LayerVerdict> verdictOfNetwork(const std::vector<LayerVerdict> &wrongLayers) {
  if (wrongLayers.empty())
    return std::nullopt;
  std::vector<const LayerVerdict *> voices = voicesOf(wrongLayers);
  if (voices.empty())
    return wrongLayers.front();
  LayerVerdict all{wrongLayers.front().layer, {}, {}};
  Verdict &verdict = all.verdict;
  const bool isOverAll = areMany(wrongLayers);
  if (!isOverAll) {
    all.layer = voices.front()->layer;
    std::erase_if(voices, [&](const LayerVerdict *voice) { return voice->layer != all.layer; });
  }
  verdict.probabilities =
      isOverAll ? probabilitiesOfMany(voices, hasOutstandingTile(voices)) : meanOf(voices);
  verdict.bugClass =
      static_cast<BugClass>(std::ranges::max_element(verdict.probabilities) - verdict.probabilities.begin());
  size_t unknown = 0;
  for (const LayerVerdict *voice : voices) {
    verdict.unknown += voice->verdict.unknown / static_cast<float>(voices.size());
    unknown += voice->verdict.answer == Answer::unknown;
  }
  const bool isLikely = isOverAll && std::ranges::max(verdict.probabilities) >= likelyEnough;
  verdict.answer = 2 * unknown > voices.size() && !isLikely ? Answer::unknown : Answer::named;
  return all;
}

std::vector<LayerVerdict> otherBugs(const std::vector<LayerVerdict> &wrongLayers,
                                    const ExplainedCause &cause) {
  std::vector<const LayerVerdict *> all;
  for (const LayerVerdict &layer : wrongLayers)
    all.push_back(&layer);
  const bool areFew = countLayers(all) < manyLayers;
  std::vector<LayerVerdict> others;
  for (const LayerVerdict &layer : wrongLayers) {
    const bool isOfCause = layer.layer == cause.layer;
    const bool isKnown = std::ranges::find(others, layer.layer, &LayerVerdict::layer) != others.end();
    const bool isOfAnotherClass =
        std::ranges::find(cause.classes, layer.verdict.bugClass) == cause.classes.end();
    const bool isAnother =
        cause.isProved ? isOfAnotherClass && isCertain(layer.verdict) && (areFew || layer.isReproduced)
                       : areFew || (isOfAnotherClass && layer.isReproduced);
    if (!isOfCause && !isKnown && isAnother)
      others.push_back(layer);
  }
  return others;
}

} // namespace tilerig::verify
