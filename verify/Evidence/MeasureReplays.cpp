#include "verify/Evidence/MeasureReplays.h"

#include "verify/Evidence/Replays/Replayer.h"

#include <algorithm>
#include <map>
#include <span>

namespace tilerig::verify {

namespace {

// Number of wrong elements that are recomputed with each change of the operands: so many that all of them
// together take `productsEach` products, but at least `fewestSampled` and at most `mostSampled`.
constexpr size_t productsEach = 49152, fewestSampled = 48, mostSampled = 192;
// The function that maps a layer's sums to its results is fitted to the wrong elements and to at most
// `othersSampled` other elements.
constexpr size_t othersSampled = 192;

bool fits(const Product &product, const ReplayedTensor &in) {
  size_t elements = 1;
  for (const size_t size : product.resultSizes)
    elements *= size;
  const bool isOfShape =
      !in.shape.empty() && product.order.size() == in.shape.size() && elements == in.elements;
  return isOfShape && product.depth() > 0 && product.outputs() == product.resultSizes[3] &&
         product.weights.size() == product.outputs() * product.depth() && product.groups > 0 &&
         product.weightSizes[3] * product.groups == product.inputSizes[3];
}

// Picks a number of elements from a list, evenly spaced; of(i) is element i of the list.
template <class Of>
std::vector<WrongElement> evenly(size_t wanted, size_t size, Of of) {
  std::vector<WrongElement> some;
  const size_t count = std::min(wanted, size);
  for (size_t i = 0; i < count; ++i)
    some.push_back(of(i * size / count));
  return some;
}

size_t sampleSizeFor(const Product &product) {
  return std::clamp(productsEach / product.depth(), fewestSampled, mostSampled);
}

} // namespace

void measureReplays(const Measured &measured, const Circumstances &circumstances, Features &features) {
  const Stretch &stretch = measured.stretch;
  const ReplayedTensor tensor{measured.shape, measured.type, stretch.elements,
                              static_cast<float>(measured.comparison.largestReference)};
  if (!circumstances.product || !fits(*circumstances.product, tensor) || stretch.different.empty())
    return;
  const auto elementAt = [&](size_t place) {
    return WrongElement{stretch.begin + place, stretch.reference[place], stretch.target[place]};
  };
  Replayer replayer(tensor, circumstances);
  const bool isKnown = replayer.choose(evenly(sampleSizeFor(*circumstances.product), stretch.different.size(),
                                              [&](size_t i) { return elementAt(stretch.different[i]); }),
                                       evenly(othersSampled, stretch.size(), elementAt));
  if (!isKnown)
    return;
  features[static_cast<size_t>(Feature::replaysKnown)] = 1;
  replayer.note(features);
}

std::vector<Explanation> replayWrongElements(const WrongElements &wrong, const Circumstances &circumstances) {
  const ReplayedTensor tensor{wrong.shape, wrong.type, wrong.reference.size(), wrong.scale};
  if (!circumstances.product || !fits(*circumstances.product, tensor) || wrong.elements.empty())
    return {};
  Replayer replayer(tensor, circumstances);
  const auto ofAll = [&](size_t index) {
    return WrongElement{index, wrong.reference[index], wrong.reference[index]};
  };
  if (!replayer.choose(evenly(sampleSizeFor(*circumstances.product), wrong.elements.size(),
                              [&](size_t i) { return wrong.elements[i]; }),
                       evenly(othersSampled, wrong.reference.size(), ofAll)))
    return {};
  std::map<Feature, std::vector<Fit>> explained;
  const std::span elements(wrong.elements);
  for (size_t begin = 0; begin < elements.size(); begin += replayer.most())
    replayer.apply(elements.subspan(begin, std::min(replayer.most(), elements.size() - begin)),
                   [&](Feature feature, size_t i, Fit fit) {
                     std::vector<Fit> &fits = explained[feature];
                     fits.resize(elements.size());
                     fits[begin + i] = std::max(fits[begin + i], fit);
                   });
  std::vector<Explanation> all;
  for (auto &[feature, fits] : explained)
    all.push_back({feature, std::move(fits)});
  return all;
}

} // namespace tilerig::verify
