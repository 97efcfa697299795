// Explains wrong elements of a layer that sums products: recomputes them as if the layer had made a mistake,
// such as reading its weights in another order. Similar mistakes form a family of changes, and each mistake
// is a member of the family. In each family, the member that explains the most elements of a sample is
// chosen; it can then be applied to other wrong elements.
#pragma once

#include "verify/Evidence/Features.h"
#include "verify/Evidence/Replays/ReplayedElements.h"
#include "verify/Evidence/ResultOfSum.h"

#include <functional>
#include <map>
#include <optional>

namespace tilerig::verify {

// Properties of the tensor whose elements are recomputed.
struct ReplayedTensor {
  const Shape &shape;
  DType type; // element type of the target
  size_t elements;
  float scale; // largest magnitude of the reference
};

class Replayer {
public:
  // The circumstances must contain the operands of the layer (a product that fits the tensor). The tensor's
  // shape and the circumstances must outlive the object.
  Replayer(const ReplayedTensor &tensor, const Circumstances &known);

  // Fits the function from sums to results, and chooses the best member of each family of changes by a sample
  // of elements. Returns false, without choosing, if the function fits badly.
  bool choose(std::span<const WrongElement> ofWrong, std::span<const WrongElement> ofOthers);
  // Raises the feature of each family of changes to the share of the wrong elements that the family's best
  // member explains.
  void note(Features &features) const;

  // apply() calls visit(feature, i, fit) for the chosen member of each family of changes and each element i;
  // `fit` says whether the member explains the element. most() is the number of elements that apply() can
  // take at a time without using too much memory.
  using Visit = std::function<void(Feature, size_t, Fit)>;
  size_t most() const;
  void apply(std::span<const WrongElement> list, Visit visit);

  // --- Functions for the hypotheses about wrong sums that Families.h declares ---

  // The wrong elements that are recomputed: a sample while the mistakes that explain most of them are chosen,
  // later all elements to which these mistakes are applied.
  const ReplayedElements &wrong() const { return elements; }
  // Whether the chosen member of each family of changes is being applied to wrong elements. If false, members
  // are still being chosen.
  bool isApplying() const { return onFit != nullptr; }

  // A family of changes consists of similar mistakes that the layer may have made, its members. At first,
  // this function tries the `count` members and keeps the one that explains the most wrong elements. Later,
  // if isApplying(), it applies the kept member. sumOf(i, member) is the sum, bias included, that the layer
  // computes for wrong element i if it makes this mistake.
  template <class SumOf>
  void tryAll(Feature family, size_t count, SumOf sumOf) {
    const Call call{family, calls[family]++};
    if (isApplying())
      applyChosen(call, sumOf);
    else
      chooseMember(call, count, sumOf);
  }

  // The steps of tryAll(), for families of changes that are tried in another way. isExplained(): whether a
  // sum explains the target of wrong element i. note(): records that the best member explains `hits`
  // elements. applyTo(): reports how well the chosen member explains element i.
  bool isExplained(size_t i, float sum) const { return fitOf(i, sum) != Fit::none; }
  void note(Feature family, size_t hits);
  void applyTo(Feature family, size_t i, float sum) const {
    onFit(family, elements.indexInList(i), fitOf(i, sum));
  }
  // For each output, the index of the output whose weights were used in its place, according to the best
  // match; set and applied by exchangeOutputs().
  std::map<size_t, size_t> partners;

private:
  // While the best member of each family of changes is chosen, only every `choosing`-th wrong element is
  // recomputed, to save time.
  static constexpr size_t choosing = 4;
  // Identifies a call of tryAll(): the feature of the family of changes that is tried, and the number of the
  // call among those for this family.
  using Call = std::pair<Feature, size_t>;

  std::vector<ResultOfSum::Pair> pairsWith(std::span<const WrongElement> others) const;
  void prepare();
  void replayFamilies();
  void replay(std::initializer_list<Feature> families, void (*tryFamilies)(Replayer &));
  bool isWorthIt(Feature family) const;
  Fit fitOf(size_t i, float sum) const;

  template <class SumOf>
  size_t hitsOf(size_t member, size_t step, SumOf sumOf) const {
    size_t hits = 0;
    for (size_t i = 0; i < elements.size(); i += step)
      hits += isExplained(i, sumOf(i, member));
    return hits;
  }
  template <class SumOf>
  void chooseMember(const Call &call, size_t count, SumOf sumOf) {
    const bool areFew = elements.size() <= choosing;
    size_t best = 0, most = 0;
    for (size_t member = 0; member < count && !areFew; ++member)
      if (const size_t hits = hitsOf(member, choosing, sumOf); hits > most)
        most = hits, best = member;
    size_t mostOfAll = 0;
    for (size_t member = areFew ? 0 : best; count > 0 && member < (areFew ? count : best + 1); ++member) {
      const size_t hits = hitsOf(member, 1, sumOf);
      note(call.first, hits);
      if (hits > mostOfAll)
        mostOfAll = hits, chosen[call] = member;
    }
  }
  template <class SumOf>
  void applyChosen(const Call &call, SumOf sumOf) {
    const auto member = chosen.find(call);
    if (member == chosen.end() || !isWorthIt(call.first))
      return;
    for (size_t i = 0; i < elements.size(); ++i)
      applyTo(call.first, i, sumOf(i, member->second));
  }

  const ReplayedTensor &tensor;
  ReplayedElements elements;
  std::vector<float> rightResults; // for each wrong element, the result that follows from its right sum
  std::optional<ResultOfSum> result;
  // For each family of similar mistakes, the largest share of the wrong elements that one mistake explains.
  std::map<Feature, float> shares;
  std::map<Feature, size_t> calls; // for each family of changes, the number of calls of tryAll() so far
  std::map<Call, size_t> chosen;   // for each call of tryAll(), the mistake that explains most elements
  // Called with one number for each element of the tensor: how well a mistake explains this element. Only the
  // mistakes in `chosen` are reported; the function is null while they are being chosen.
  Visit onFit;
};

} // namespace tilerig::verify
