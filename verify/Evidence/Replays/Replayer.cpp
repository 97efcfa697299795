#include "verify/Evidence/Replays/Replayer.h"

#include "verify/Evidence/Replays/Families.h"

#include <algorithm>
#include <cmath>

namespace tilerig::verify {

namespace {

// Largest share of the variance of a layer's results that the fitted function from sums to results may leave
// unexplained.
constexpr double mostUnexplained = 0.02;
constexpr size_t roundedPieces = 64, exactPieces = 256;
// Least share of the sampled wrong elements that the best member of a family of changes must explain. A
// family that explains fewer is not tested on all wrong elements.
constexpr float leastShare = 0.02F;
// Wrong elements are recomputed in batches, to limit the memory for copies of their operands. A batch has at
// most `floatsAtATime` operands, unless it would have fewer than `fewestAtATime` elements.
constexpr size_t floatsAtATime = size_t{1} << 22, fewestAtATime = 48;

bool isEightBits(DType type) { return type == DType::i8 || type == DType::u8; }

} // namespace

Replayer::Replayer(const ReplayedTensor &tensor, const Circumstances &known)
    : tensor(tensor), elements(tensor.shape, known) {}

bool Replayer::choose(std::span<const WrongElement> ofWrong, std::span<const WrongElement> ofOthers) {
  elements.take(ofWrong);
  result.emplace(pairsWith(ofOthers), isEightBits(tensor.type) ? roundedPieces : exactPieces);
  if (elements.size() == 0 || result->unexplained() > mostUnexplained)
    return false;
  prepare();
  replayFamilies();
  return true;
}

void Replayer::note(Features &features) const {
  for (const auto &[family, share] : shares)
    features[static_cast<size_t>(family)] = std::max(features[static_cast<size_t>(family)], share);
}

size_t Replayer::most() const {
  return std::max<size_t>(floatsAtATime / elements.product.depth(), fewestAtATime);
}

void Replayer::apply(std::span<const WrongElement> list, Visit visit) {
  elements.take(list);
  calls.clear();
  prepare();
  onFit = std::move(visit);
  replayFamilies();
}

// The right sums of products of the wrong elements and of some others, each with the result in the reference.
std::vector<ResultOfSum::Pair> Replayer::pairsWith(std::span<const WrongElement> others) const {
  std::vector<ResultOfSum::Pair> pairs;
  const auto add = [&](const ElementPosition &position, float sum) {
    if (std::isfinite(position.reference) && std::isfinite(sum))
      pairs.emplace_back(sum + elements.addendOf(position), position.reference);
  };
  for (size_t i = 0; i < elements.size(); ++i)
    add(elements[i], elements.sumOf(i));
  for (const WrongElement &other : others) {
    const ElementPosition position = elements.positionOf(other);
    add(position, elements.sumOf(position));
  }
  return pairs;
}

void Replayer::prepare() {
  rightResults.clear();
  for (size_t i = 0; i < elements.size(); ++i)
    rightResults.push_back(result->of(elements.sumOf(i) + elements.addendOf(elements[i])));
  elements.readWindows();
}

void Replayer::replayFamilies() {
  using enum Feature;
  replay({replayTurnedWeights}, turnWeights);
  replay({replayMovedWeights}, moveWeights);
  replay({replayNoWeights, replayNoSum, replayExchangedWeights}, exchangeOutputs);
  replay({replayOtherWeights}, takeNeighbours);
  replay({replayStaleWeights, replayStaleBias}, keepBefore);
  replay({replayNoBias, replayScaledBias, replayOtherBias}, changeBias);
  replay({replayPowerOfScale, replayOtherScale}, changeScale);
  replay({replayInputType, replayWeightType}, changeTypes);
  replay({replayInputZero, replayPaddingValue}, changeZeros);
  replay({replayShorterDepth}, changeDepth);
  replay({replayLostPart, replayDoubledPart}, changeParts);
  replay({replayMovedInput, replayLongerRows, replayShiftedInput}, moveInput);
  replay({replayStride, replayDilation, replayMorePadding}, changeWindow);
}

// Recomputes wrong elements with families of changes. In the second step, which applies the best member of
// each family to all wrong elements, families that explained too few are skipped.
void Replayer::replay(std::initializer_list<Feature> families, void (*tryFamilies)(Replayer &)) {
  if (!isApplying() || std::ranges::any_of(families, [&](Feature family) { return isWorthIt(family); }))
    tryFamilies(*this);
}

bool Replayer::isWorthIt(Feature family) const {
  const auto share = shares.find(family);
  return share != shares.end() && share->second >= leastShare;
}

// How well a recomputed sum explains the target of wrong element i.
Fit Replayer::fitOf(size_t i, float sum) const {
  const ElementPosition &element = elements[i];
  const float expected = element.reference + (result->of(sum + elements.addendOf(element)) - rightResults[i]);
  return verify::fitOf(tensor.type, tensor.scale, element.reference, element.target, expected);
}

void Replayer::note(Feature family, size_t hits) {
  float &share = shares[family];
  share = std::max(share, static_cast<float>(hits) / static_cast<float>(elements.size()));
}

} // namespace tilerig::verify
