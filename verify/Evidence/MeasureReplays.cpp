#include "verify/Evidence/MeasureReplays.h"

#include "verify/Evidence/ResultOfSum.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>

namespace tilerig::verify {

namespace {

constexpr float never = std::numeric_limits<float>::quiet_NaN(); // a "sum" that explains no element

// Number of wrong elements that are recomputed with each change: chosen so that one recomputation of all of
// them takes `productsEach` products, but at least `fewestPositions` and at most `mostPositions`.
constexpr size_t productsEach = 49152, fewestPositions = 48, mostPositions = 192;
// The function that maps a layer's sums to its results is fitted to the wrong elements and to this number of
// other elements.
constexpr size_t otherPositions = 192;
// Largest share of the variance of the results that the fitted function may leave unexplained.
constexpr double mostUnexplained = 0.02;
constexpr size_t roundedPieces = 64, exactPieces = 256;
// The best member of a family (replays of one kind of bug) is chosen by testing one in this many wrong
// elements.
constexpr size_t choosing = 4;
// Least share of the sampled wrong elements that the best member of a family of changes must explain; a
// family that explains fewer is not applied to all wrong elements.
constexpr float leastShare = 0.02F;
// Limit of the operands that are held in memory at a time, as a number of floats.
constexpr size_t floatsAtATime = size_t{1} << 22;
// The weights of each output are tried in place of those of every other output only if this takes at most
// this many products.
constexpr size_t mostProducts = size_t{1} << 28;

// Dot product with eight partial sums, so that the order of additions does not depend on the compiler.
float dot(const float *a, const float *b, size_t count) {
  std::array<float, 8> sums{};
  size_t i = 0;
  for (; i + sums.size() <= count; i += sums.size())
    for (size_t lane = 0; lane < sums.size(); ++lane)
      sums[lane] += a[i + lane] * b[i + lane];
  for (size_t lane = 0; i < count; ++i, ++lane)
    sums[lane] += a[i] * b[i];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

// Properties of the tensor whose elements are recomputed, without the elements.
struct ReplayedTensor {
  const Shape &shape;
  DType type; // element type of the target
  size_t elements;
  float scale; // largest magnitude of the reference
};

// An element of the layer's result, with its position.
struct ElementPosition {
  float reference = 0, target = 0;
  size_t output = 0, place = 0; // place: the element's index if the result had no axis of outputs
  int64_t batch = 0, row = 0, column = 0;
  int64_t firstRow = 0, firstColumn = 0; // where the part of the element's tile begins in the image
};

// A changed way of reading the input, stated as amounts that are added to the right strides, addresses and so
// on.
struct Reading {
  struct Axis {
    int64_t shift = 0, stride = 0, dilation = 0; // added to the layer's own values
    int64_t cutFront = 0, cutBehind = 0;         // rows or columns of the image that are taken as padding
  };
  Axis rows, columns;
  int64_t address = 0; // added to every address, in elements
  int64_t pitch = 0;   // added to the distance between rows, in elements
};

// Finds the position that an element of the tensor has in the layer's result.
class ElementPositions {
public:
  ElementPositions(const Shape &shape, const Circumstances &known, const Product &product)
      : shape(shape), known(known), product(product), strides(product.order.size()) {
    Shape turned(shape.size());
    for (size_t axis = 0; axis < shape.size(); ++axis)
      turned[product.order[axis]] = shape[axis];
    std::vector<size_t> ofTurned(shape.size(), 1);
    for (size_t axis = shape.size() - 1; axis-- > 0;)
      ofTurned[axis] = ofTurned[axis + 1] * static_cast<size_t>(turned[axis + 1]);
    for (size_t axis = 0; axis < shape.size(); ++axis)
      strides[axis] = ofTurned[product.order[axis]];
  }

  ElementPosition of(const WrongElement &element) const {
    const std::vector<int64_t> at = placeOf(element.index);
    ElementPosition position = at_(flat(at));
    position.reference = element.reference;
    position.target = element.target;
    if (known.parts)
      for (const TilePart &part : *known.parts)
        if (isIn(part, at)) {
          const ElementPosition first = at_(flat(part.begin));
          position.firstRow = first.row, position.firstColumn = first.column;
          break;
        }
    return position;
  }

private:
  std::vector<int64_t> placeOf(size_t index) const {
    std::vector<int64_t> at(shape.size());
    for (size_t axis = at.size(); axis-- > 0;) {
      const auto size = static_cast<size_t>(shape[axis]);
      at[axis] = static_cast<int64_t>(index % size);
      index /= size;
    }
    return at;
  }
  size_t flat(const std::vector<int64_t> &at) const {
    size_t index = 0;
    for (size_t axis = 0; axis < at.size(); ++axis)
      index += static_cast<size_t>(at[axis]) * strides[axis];
    return index;
  }
  ElementPosition at_(size_t index) const {
    const Product::Sizes &sizes = product.resultSizes;
    ElementPosition position;
    position.output = index % sizes[3];
    position.place = index / sizes[3];
    position.column = static_cast<int64_t>(position.place % sizes[2]);
    position.row = static_cast<int64_t>(position.place / sizes[2] % sizes[1]);
    position.batch = static_cast<int64_t>(position.place / sizes[2] / sizes[1]);
    return position;
  }
  static bool isIn(const TilePart &part, const std::vector<int64_t> &at) {
    for (size_t axis = 0; axis < at.size(); ++axis)
      if (at[axis] < part.begin[axis] || at[axis] >= part.begin[axis] + part.extent[axis])
        return false;
    return true;
  }

  const Shape &shape;
  const Circumstances &known;
  const Product &product;
  std::vector<size_t> strides; // strides in the layer's result, by axis of the tensor
};

// Computes sums of products of a layer.
class Summing {
public:
  explicit Summing(const Product &product)
      : product(product), perGroup(product.outputs() / product.groups),
        channels(static_cast<int64_t>(product.weightSizes[3])) {}

  const float *weightsOf(size_t output) const { return product.weights.data() + output * product.depth(); }

  // Calls visit(tap, row, column) for each tap of the element's window that lies inside the image.
  template <class Visit>
  void forTaps(const ElementPosition &position, const Reading &reading, Visit visit) const {
    const auto height = static_cast<int64_t>(product.inputSizes[1]),
               width = static_cast<int64_t>(product.inputSizes[2]);
    const auto rows = static_cast<int64_t>(product.weightSizes[1]),
               columns = static_cast<int64_t>(product.weightSizes[2]);
    const int64_t top = first(product.rows, reading.rows, position.row, position.firstRow),
                  left = first(product.columns, reading.columns, position.column, position.firstColumn);
    const int64_t down = product.rows.dilation + reading.rows.dilation,
                  right = product.columns.dilation + reading.columns.dilation;
    for (int64_t y = 0; y < rows; ++y) {
      const int64_t row = top + y * down;
      if (row < reading.rows.cutFront || row >= height - reading.rows.cutBehind)
        continue;
      for (int64_t x = 0; x < columns; ++x) {
        const int64_t column = left + x * right;
        if (column >= reading.columns.cutFront && column < width - reading.columns.cutBehind)
          visit(static_cast<size_t>(y * columns + x), row, column);
      }
    }
  }

  // The sum of products of an element; `weights` has one weight for each product.
  float sum(const ElementPosition &position, const Reading &reading, const float *weights) const {
    const int64_t firstRow =
        std::max<int64_t>(position.firstRow * product.rows.stride - product.rows.padding, 0);
    float total = 0;
    forTaps(position, reading, [&](size_t tap, int64_t row, int64_t column) {
      const int64_t address =
          addressOf(position, row, column) + reading.address + reading.pitch * (row - firstRow);
      total += sumAt(address, weights + tap * product.weightSizes[3]);
    });
    return total;
  }

  // Copies the inputs under the element's window to `window`, and marks in `isInside` the taps inside the
  // image.
  void readWindow(const ElementPosition &position, float *window, uint8_t *isInside) const {
    forTaps(position, {}, [&](size_t tap, int64_t row, int64_t column) {
      isInside[tap] = 1;
      const float *from = product.input.data() + addressOf(position, row, column);
      std::copy(from, from + channels, window + tap * product.weightSizes[3]);
    });
  }

private:
  static int64_t first(const Product::Axis &axis, const Reading::Axis &reading, int64_t at, int64_t origin) {
    return at * axis.stride - axis.padding + reading.shift + reading.stride * (at - origin);
  }
  int64_t addressOf(const ElementPosition &position, int64_t row, int64_t column) const {
    const auto height = static_cast<int64_t>(product.inputSizes[1]),
               width = static_cast<int64_t>(product.inputSizes[2]);
    return ((position.batch * height + row) * width + column) * static_cast<int64_t>(product.inputSizes[3]) +
           static_cast<int64_t>(position.output / perGroup) * channels;
  }
  // Dot product of the weights with the input from an address on; elements outside the input count as zero.
  float sumAt(int64_t address, const float *weights) const {
    const int64_t begin = std::max<int64_t>(-address, 0),
                  end = std::min(channels, static_cast<int64_t>(product.input.size()) - address);
    return begin < end ? dot(product.input.data() + address + begin, weights + begin,
                             static_cast<size_t>(end - begin))
                       : 0;
  }

  const Product &product;
  const size_t perGroup;
  const int64_t channels;
};

bool fits(const Product &product, const ReplayedTensor &in) {
  size_t elements = 1;
  for (const size_t size : product.resultSizes)
    elements *= size;
  const bool isMade = !in.shape.empty() && product.order.size() == in.shape.size() && elements == in.elements;
  return isMade && product.depth() > 0 && product.outputs() == product.resultSizes[3] &&
         product.weights.size() == product.outputs() * product.depth() && product.groups > 0 &&
         product.weightSizes[3] * product.groups == product.inputSizes[3];
}

// Recomputes elements with families of changes: chooses the best member of each family by a few wrong
// elements, and can then apply it to other wrong elements.
class Replayer {
public:
  Replayer(const ReplayedTensor &tensor, const Circumstances &known)
      : in(tensor), known(known), product(*known.product), positions(tensor.shape, known, product),
        summing(product) {}

  // Fits the function from sums to results by some wrong elements and some others, and chooses the best
  // member of each family of changes. Returns false, without choosing, if the function fits badly.
  bool choose(std::span<const WrongElement> ofWrong, std::span<const WrongElement> ofOthers) {
    setWrong(ofWrong);
    for (const WrongElement &element : ofOthers)
      other.push_back(positions.of(element));
    result.emplace(pairs(), isEightBits() ? roundedPieces : exactPieces);
    if (wrong.empty() || result->unexplained() > mostUnexplained)
      return false;
    prepare();
    replayFamilies();
    return true;
  }
  void note(Features &features) const {
    for (const auto &[feature, share] : shares)
      features[static_cast<size_t>(feature)] = std::max(features[static_cast<size_t>(feature)], share);
  }

  // apply() calls visit(feature, i, fit) for the chosen member of each family of changes and each element i;
  // `fit` says whether the member explains the element. most() is the number of elements that apply() can
  // take at a time without using too much memory.
  size_t most() const { return std::max<size_t>(floatsAtATime / product.depth(), fewestPositions); }
  void apply(std::span<const WrongElement> elements, std::function<void(Feature, size_t, Fit)> visit) {
    setWrong(elements);
    sums.clear();
    for (const ElementPosition &position : wrong)
      sums.push_back(sumOf(position));
    isApplying = true;
    calls.clear();
    prepare();
    onFit = std::move(visit);
    replayFamilies();
  }

private:
  // A family of changes, named by its feature, and the index of a call of tryAll() among those for this
  // family.
  using Call = std::pair<Feature, size_t>;

  void setWrong(std::span<const WrongElement> elements) {
    wrong.clear(), places.clear();
    for (size_t i = 0; i < elements.size(); ++i)
      if (std::isfinite(elements[i].reference) && std::isfinite(elements[i].target)) {
        wrong.push_back(positions.of(elements[i]));
        places.push_back(i);
      }
  }
  void prepare() {
    due.clear();
    for (size_t i = 0; i < wrong.size(); ++i)
      due.push_back(result->of(sums[i] + addendOf(wrong[i])));
    readWindows();
  }

  void replayFamilies() {
    using enum Feature;
    replay({replayTurnedWeights}, &Replayer::turnWeights);
    replay({replayMovedWeights}, &Replayer::moveWeights);
    replay({replayNoWeights, replayNoSum, replayExchangedWeights}, &Replayer::exchangeOutputs);
    replay({replayOtherWeights}, &Replayer::takeNeighbours);
    replay({replayStaleWeights, replayStaleBias}, &Replayer::keepBefore);
    replay({replayNoBias, replayScaledBias, replayOtherBias}, &Replayer::changeBias);
    replay({replayPowerOfScale, replayOtherScale}, &Replayer::changeScale);
    replay({replayInputType, replayWeightType}, &Replayer::changeTypes);
    replay({replayInputZero, replayPaddingValue}, &Replayer::changeZeros);
    replay({replayShorterDepth}, &Replayer::changeDepth);
    replay({replayLostPart, replayDoubledPart}, &Replayer::changeParts);
    replay({replayMovedInput, replayLongerRows, replayShiftedInput}, &Replayer::moveInput);
    replay({replayStride, replayDilation, replayMorePadding}, &Replayer::changeWindow);
  }
  // Recomputes wrong elements with these families of changes by calling `replayAll`. When the best member of
  // each family is applied to all wrong elements, skips the call if no family explained enough elements.
  void replay(std::initializer_list<Feature> families, void (Replayer::*replayAll)()) {
    if (!isApplying || std::ranges::any_of(families, [&](Feature feature) { return isWorthIt(feature); }))
      (this->*replayAll)();
  }
  bool isWorthIt(Feature feature) const {
    const auto entry = shares.find(feature);
    return entry != shares.end() && entry->second >= leastShare;
  }

  // The right sum of an element, including its bias.
  float sumOf(const ElementPosition &position) const {
    return summing.sum(position, {}, summing.weightsOf(position.output)) + biasOf(position.output);
  }
  float biasOf(size_t output) const { return product.bias.empty() ? 0 : product.bias[output]; }
  float addendOf(const ElementPosition &position) const {
    return product.addend.empty() ? 0 : product.addend[position.place * product.outputs() + position.output];
  }

  std::vector<ResultOfSum::Pair> pairs() {
    std::vector<ResultOfSum::Pair> all;
    const auto add = [&](const ElementPosition &position, float sum) {
      if (std::isfinite(position.reference) && std::isfinite(sum))
        all.emplace_back(sum + addendOf(position), position.reference);
    };
    for (const ElementPosition &position : wrong) {
      sums.push_back(sumOf(position));
      add(position, sums.back());
    }
    for (const ElementPosition &position : other)
      add(position, sumOf(position));
    return all;
  }

  void readWindows() {
    const size_t taps = product.weightSizes[1] * product.weightSizes[2];
    windows.assign(wrong.size() * product.depth(), 0);
    inside.assign(wrong.size() * taps, 0);
    for (size_t i = 0; i < wrong.size(); ++i)
      summing.readWindow(wrong[i], windows.data() + i * product.depth(), inside.data() + i * taps);
  }
  const float *window(size_t position) const { return windows.data() + position * product.depth(); }
  bool isInside(size_t position, size_t at) const {
    const size_t taps = product.weightSizes[1] * product.weightSizes[2];
    return inside[position * taps + at / product.weightSizes[3]] != 0;
  }
  float sumWith(size_t position, const float *weights) const {
    return dot(window(position), weights, product.depth()) + biasOf(wrong[position].output);
  }

  bool isEightBits() const { return in.type == DType::i8 || in.type == DType::u8; }

  // How well the sum explains the target of wrong element `position`.
  Fit fitOf(size_t position, float sum) const {
    const ElementPosition &element = wrong[position];
    const float came = element.reference + (result->of(sum + addendOf(element)) - due[position]);
    return verify::fitOf(in.type, in.scale, element.reference, element.target, came);
  }
  bool isExplained(size_t position, float sum) const { return fitOf(position, sum) != Fit::none; }
  void applyTo(Feature feature, size_t position, float sum) const {
    onFit(feature, places[position], fitOf(position, sum));
  }

  // Tries `count` members of a family of changes and keeps the best. sumOf(position, member) is the sum of
  // wrong element `position`, including its bias, as the member computes it.
  template <class SumOf>
  void tryAll(Feature feature, size_t count, SumOf sumOf) {
    const Call call{feature, calls[feature]++};
    if (isApplying)
      return applyChosen(call, sumOf);
    size_t best = 0, most = 0;
    for (size_t member = 0; member < count && wrong.size() > choosing; ++member) {
      size_t hits = 0;
      for (size_t position = 0; position < wrong.size(); position += choosing)
        hits += isExplained(position, sumOf(position, member));
      if (hits > most)
        most = hits, best = member;
    }
    const bool areFew = wrong.size() <= choosing;
    size_t mostOfAll = 0;
    for (size_t member = areFew ? 0 : best; count > 0 && member < (areFew ? count : best + 1); ++member) {
      size_t hits = 0;
      for (size_t position = 0; position < wrong.size(); ++position)
        hits += isExplained(position, sumOf(position, member));
      note(feature, hits);
      if (hits > mostOfAll)
        mostOfAll = hits, chosen[call] = member;
    }
  }
  void note(Feature feature, size_t hits) {
    float &share = shares[feature];
    share = std::max(share, static_cast<float>(hits) / static_cast<float>(wrong.size()));
  }
  template <class SumOf>
  void applyChosen(const Call &call, SumOf sumOf) {
    const auto member = chosen.find(call);
    if (member == chosen.end() || !isWorthIt(call.first))
      return;
    for (size_t position = 0; position < wrong.size(); ++position)
      applyTo(call.first, position, sumOf(position, member->second));
  }

  // --- Weights ---

  // Index of the weight that is used instead of weight number `at` of an output.
  using From = size_t (*)(const Product::Sizes &sizes, size_t output, size_t at);

  // Recomputes wrong elements with the weights mirrored, transposed, or in the order of the model file.
  void turnWeights() {
    static constexpr From turned[] = {
        [](const Product::Sizes &sizes, size_t output, size_t at) {
          const size_t line = sizes[2] * sizes[3];
          return output * sizes[1] * line + (sizes[1] - 1 - at / line) * line + at % line;
        },
        [](const Product::Sizes &sizes, size_t output, size_t at) {
          const size_t line = sizes[2] * sizes[3];
          return output * sizes[1] * line + at / line * line +
                 (sizes[2] - 1 - at % line / sizes[3]) * sizes[3] + at % sizes[3];
        },
        [](const Product::Sizes &sizes, size_t output, size_t at) {
          const size_t taps = sizes[1] * sizes[2];
          return (output * taps + taps - 1 - at / sizes[3]) * sizes[3] + at % sizes[3];
        },
        [](const Product::Sizes &sizes, size_t output, size_t at) {
          const size_t tap = at / sizes[3]; // number of the tap if taps are ordered by columns
          return ((output * sizes[1] + tap % sizes[1]) * sizes[2] + tap / sizes[1]) * sizes[3] +
                 at % sizes[3];
        },
        [](const Product::Sizes &sizes, size_t output, size_t at) {
          const size_t taps = sizes[1] * sizes[2];
          return (output * taps + at % taps) * sizes[3] + at / taps;
        },
        [](const Product::Sizes &sizes, size_t output, size_t at) { // all weights as one transposed matrix
          const size_t depth = sizes[1] * sizes[2] * sizes[3], place = output * depth + at;
          return place % sizes[0] * depth + place / sizes[0];
        },
    };
    std::vector<float> row(product.depth());
    tryAll(Feature::replayTurnedWeights, std::size(turned), [&](size_t position, size_t member) {
      const size_t output = wrong[position].output;
      for (size_t at = 0; at < row.size(); ++at) {
        const size_t from = turned[member](product.weightSizes, output, at);
        row[at] = product.weights[from] * stepRatio(output, from / product.depth());
      }
      return sumWith(position, row.data());
    });
  }

  // Recomputes wrong elements with weights that are read from a neighbouring address; outside the weights
  // there are zeros. Quantised weights of another output are scaled by the step of the element's own output.
  void moveWeights() {
    const auto depth = static_cast<int64_t>(product.depth()),
               outputs = static_cast<int64_t>(product.outputs());
    tryAll(Feature::replayMovedWeights, 2 * farthest, [&](size_t position, size_t member) {
      const size_t output = wrong[position].output;
      const int64_t from = static_cast<int64_t>(output) * depth + moveOf(member);
      float sum = biasOf(output);
      for (int64_t at = std::max<int64_t>(-from, 0); at < depth && (from + at) / depth < outputs;) {
        const int64_t other = (from + at) / depth, end = std::min(depth, (other + 1) * depth - from);
        sum +=
            stepRatio(output, static_cast<size_t>(other)) *
            dot(window(position) + at, product.weights.data() + (from + at), static_cast<size_t>(end - at));
        at = end;
      }
      return sum;
    });
  }
  static constexpr size_t farthest = 64;
  static int64_t moveOf(size_t member) {
    const auto by = static_cast<int64_t>(member / 2) + 1;
    return member % 2 ? by : -by;
  }

  // Factor for weights of output `other` that are used for `output`: they keep their stored integers, but are
  // scaled by the step of `output`. 1 if weights are not quantised.
  float stepRatio(size_t output, size_t other) const {
    return product.weightSteps ? product.weightSteps->of(output) / product.weightSteps->of(other) : 1;
  }

  // Recomputes wrong elements without weights, without any sum, and with the weights of some other output,
  // chosen for each output.
  void exchangeOutputs() {
    tryAll(Feature::replayNoWeights, 1,
           [&](size_t position, size_t) { return biasOf(wrong[position].output); });
    tryAll(Feature::replayNoSum, 1, [](size_t, size_t) { return 0.0F; });
    const size_t outputs = product.outputs();
    if (isApplying)
      return applyExchange();
    if (product.groups > 1 || outputs * wrong.size() * product.depth() > mostProducts)
      return;
    std::vector<float> all(wrong.size() * outputs);
    for (size_t position = 0; position < wrong.size(); ++position)
      for (size_t other = 0; other < outputs; ++other)
        all[position * outputs + other] = sumWithWeightsOf(position, other);
    exchangeEach(all);
  }
  float sumWithWeightsOf(size_t position, size_t other) const {
    return dot(window(position), summing.weightsOf(other), product.depth()) *
               stepRatio(wrong[position].output, other) +
           biasOf(wrong[position].output);
  }
  void applyExchange() {
    for (size_t position = 0; position < wrong.size(); ++position)
      if (const auto partner = partners.find(wrong[position].output); partner != partners.end())
        applyTo(Feature::replayExchangedWeights, position, sumWithWeightsOf(position, partner->second));
  }

  // Recomputes wrong elements with the weights of the output whose index is a fixed number higher or lower.
  // Before the first and after the last output, the program's constants around the weights are read as
  // weights, if they are known.
  void takeNeighbours() {
    const auto outputs = static_cast<int64_t>(product.outputs());
    const bool knowsMore = product.around.size() == 3 * product.weights.size();
    if (!isApplying && product.depth() * product.outputs() * wrong.size() > mostProducts)
      return;
    tryAll(Feature::replayOtherWeights, 2 * product.outputs(), [&](size_t position, size_t member) {
      const size_t output = wrong[position].output;
      const int64_t other = static_cast<int64_t>(output) + moveOf(member);
      const bool isOwn = other >= 0 && other < outputs;
      if (!isOwn && !knowsMore)
        return never;
      if (isOwn)
        return stepRatio(output, static_cast<size_t>(other)) *
                   dot(window(position), summing.weightsOf(static_cast<size_t>(other)), product.depth()) +
               biasOf(output);
      const auto row = static_cast<size_t>(outputs + other) * product.depth();
      return stepOf(output) * dot(window(position), product.around.data() + row, product.depth()) +
             biasOf(output);
    });
  }
  float stepOf(size_t output) const { return product.weightSteps ? product.weightSteps->of(output) : 1; }

  // Recomputes wrong elements with the weights or the bias of the previous layer, repeated if there are too
  // few.
  void keepBefore() {
    if (!product.weightsBefore.empty()) {
      std::vector<float> row(product.depth());
      tryAll(Feature::replayStaleWeights, 1, [&](size_t position, size_t) {
        const size_t output = wrong[position].output;
        for (size_t at = 0; at < row.size(); ++at)
          row[at] = stepOf(output) *
                    product.weightsBefore[(output * row.size() + at) % product.weightsBefore.size()];
        return sumWith(position, row.data());
      });
    }
    if (!product.biasBefore.empty())
      tryAll(Feature::replayStaleBias, 1, [&](size_t position, size_t) {
        const size_t output = wrong[position].output;
        return sums[position] - biasOf(output) + product.biasBefore[output % product.biasBefore.size()];
      });
  }

  // For each output with at least four wrong elements, chooses the other output whose weights explain most of
  // them. With fewer wrong elements some output would always match by chance.
  void exchangeEach(const std::vector<float> &all) {
    constexpr size_t fewest = 4;
    const size_t outputs = product.outputs();
    std::vector<std::vector<size_t>> spotsOf(outputs);
    for (size_t position = 0; position < wrong.size(); ++position)
      spotsOf[wrong[position].output].push_back(position);
    size_t explained = 0;
    for (size_t output = 0; output < outputs; ++output) {
      size_t most = 0;
      for (size_t other = 0; other < outputs && spotsOf[output].size() >= fewest; ++other) {
        size_t hits = 0;
        for (const size_t position : spotsOf[output])
          hits += other != output && isExplained(position, all[position * outputs + other]);
        if (hits > most)
          most = hits, partners[output] = other;
      }
      explained += most;
    }
    note(Feature::replayExchangedWeights, explained);
  }

  // --- Bias and scale ---

  static constexpr size_t powers = 12; // exponents of two: -6 ... 6 without 0
  static float powerOf(size_t member) {
    const int exponent = static_cast<int>(member / 2) + 1;
    return std::ldexp(1.0F, member % 2 ? exponent : -exponent);
  }

  void changeBias() {
    if (product.bias.empty())
      return;
    const auto with = [&](size_t position, float bias) {
      return sums[position] - biasOf(wrong[position].output) + bias;
    };
    tryAll(Feature::replayNoBias, 1, [&](size_t position, size_t) { return with(position, 0); });
    tryAll(Feature::replayScaledBias, powers, [&](size_t position, size_t member) {
      return with(position, biasOf(wrong[position].output) * powerOf(member));
    });
    const size_t outputs = product.outputs();
    tryAll(Feature::replayOtherBias, outputs, [&](size_t position, size_t member) {
      return with(position, biasOf(member == 0 ? 0 : (wrong[position].output + member) % outputs));
    });
  }

  void changeScale() {
    tryAll(Feature::replayPowerOfScale, powers,
           [&](size_t position, size_t member) { return sums[position] * powerOf(member); });
    if (!product.weightSteps || product.weightSteps->steps.size() < 2)
      return;
    const size_t outputs = product.outputs();
    tryAll(Feature::replayOtherScale, outputs, [&](size_t position, size_t member) {
      const size_t output = wrong[position].output;
      return sums[position] * stepRatio(member == 0 ? 0 : (output + member) % outputs, output);
    });
  }

  // --- Eight bits ---

  // The number that results if an 8-bit number is read as signed instead of unsigned, or vice versa; if
  // `misreadsZero`, the zero point is misread in the same way.
  static float misread(float number, const StoredSteps &steps, size_t output, bool misreadsZero) {
    const auto other = [&](float stored) {
      return steps.isSigned ? (stored < 0 ? stored + 256 : stored) : stored >= 128 ? stored - 256 : stored;
    };
    const float step = steps.of(output), stored = std::round(number / step + steps.zero);
    return step * (other(stored) - (misreadsZero ? other(steps.zero) : steps.zero));
  }

  void changeTypes() {
    std::vector<float> row(product.depth());
    if (product.inputSteps)
      tryAll(Feature::replayInputType, 4, [&](size_t position, size_t member) {
        const bool misreadsZero = member % 2 == 0, misreadsPadding = member >= 2;
        for (size_t at = 0; at < row.size(); ++at)
          row[at] = misreadsPadding || isInside(position, at)
                        ? misread(window(position)[at], *product.inputSteps, 0, misreadsZero)
                        : 0;
        return dot(row.data(), summing.weightsOf(wrong[position].output), row.size()) +
               biasOf(wrong[position].output);
      });
    if (product.weightSteps)
      tryAll(Feature::replayWeightType, 1, [&](size_t position, size_t) {
        const size_t output = wrong[position].output;
        for (size_t at = 0; at < row.size(); ++at)
          row[at] = misread(summing.weightsOf(output)[at], *product.weightSteps, output, true);
        return sumWith(position, row.data());
      });
  }

  // For each wrong element the sum of all its weights, and the sum of its weights at taps inside the image.
  std::pair<std::vector<float>, std::vector<float>> weightSums() const {
    std::vector<float> all(wrong.size()), ofInside(wrong.size());
    for (size_t position = 0; position < wrong.size(); ++position)
      for (size_t at = 0; at < product.depth(); ++at) {
        const float weight = summing.weightsOf(wrong[position].output)[at];
        all[position] += weight;
        ofInside[position] += isInside(position, at) ? weight : 0;
      }
    return {std::move(all), std::move(ofInside)};
  }

  // Recomputes wrong elements with another zero point of the input, and with a padding other than zero.
  void changeZeros() {
    constexpr size_t mostPadding = 100;
    const auto [all, ofInside] = weightSums();
    const float step = product.inputSteps ? product.inputSteps->of(0) : 1;
    if (product.inputSteps) {
      tryAll(Feature::replayInputZero, 2 * farthest, [&](size_t position, size_t member) {
        return sums[position] - static_cast<float>(moveOf(member)) * step * all[position];
      });
      tryAll(Feature::replayInputZero, 2 * farthest, [&](size_t position, size_t member) {
        return sums[position] - static_cast<float>(moveOf(member)) * step * ofInside[position];
      });
    }
    tryAll(Feature::replayPaddingValue, 2 * mostPadding, [&](size_t position, size_t member) {
      return sums[position] +
             static_cast<float>(moveOf(member)) * step * (all[position] - ofInside[position]);
    });
  }

  // --- Parts of the sum ---

  // Recomputes wrong elements without the last input channels at every tap of the kernel.
  void changeDepth() {
    constexpr size_t mostCuts = 96;
    const size_t channels = product.weightSizes[3], cuts = std::min(channels - 1, mostCuts);
    std::vector<float> lost(wrong.size() * cuts);
    for (size_t position = 0; position < wrong.size(); ++position) {
      std::vector<float> ofChannel(channels);
      const float *weights = summing.weightsOf(wrong[position].output);
      for (size_t at = 0; at < product.depth(); ++at)
        ofChannel[at % channels] += window(position)[at] * weights[at];
      float sum = 0;
      size_t channel = channels;
      for (size_t cut = 0; cut < cuts; ++cut) {
        const size_t first = channels - (cut + 1) * (channels - 1) / cuts;
        while (channel > first)
          sum += ofChannel[--channel];
        lost[position * cuts + cut] = sum;
      }
    }
    tryAll(Feature::replayShorterDepth, cuts,
           [&](size_t position, size_t cut) { return sums[position] - lost[position * cuts + cut]; });
  }

  // Recomputes wrong elements with the sum split into two to eight parts: all parts up to one of them are
  // lost, or one part is added twice.
  void changeParts() {
    constexpr size_t mostParts = 8;
    struct Part {
      size_t begin, end;
    };
    std::vector<Part> parts;
    for (size_t count = 2; count <= mostParts && count <= product.depth(); ++count)
      for (size_t i = 0; i + 1 < count; ++i)
        parts.push_back({i * product.depth() / count, (i + 1) * product.depth() / count});
    std::vector<float> upTo(wrong.size() * (product.depth() + 1));
    for (size_t position = 0; position < wrong.size(); ++position) {
      float *sum = upTo.data() + position * (product.depth() + 1);
      const float *weights = summing.weightsOf(wrong[position].output);
      for (size_t at = 0; at < product.depth(); ++at)
        sum[at + 1] = sum[at] + window(position)[at] * weights[at];
    }
    tryAll(Feature::replayLostPart, 2 * parts.size(), [&](size_t position, size_t member) {
      const float lost = upTo[position * (product.depth() + 1) + parts[member / 2].end];
      return sums[position] - lost - (member % 2 ? biasOf(wrong[position].output) : 0);
    });
    tryAll(Feature::replayDoubledPart, parts.size(), [&](size_t position, size_t member) {
      const float *sum = upTo.data() + position * (product.depth() + 1);
      return sums[position] + sum[parts[member].end] - sum[parts[member].begin];
    });
  }

  // --- Windows ---

  float sumReading(size_t position, const Reading &reading) const {
    const size_t output = wrong[position].output;
    return summing.sum(wrong[position], reading, summing.weightsOf(output)) + biasOf(output);
  }
  void tryReadings(Feature feature, const std::vector<Reading> &readings) {
    tryAll(feature, readings.size(),
           [&](size_t position, size_t member) { return sumReading(position, readings[member]); });
  }

  // Recomputes wrong elements with the input read from a neighbouring address, with longer rows, or shifted
  // by rows and columns.
  void moveInput() {
    std::vector<Reading> moved, longer, shifted;
    for (size_t member = 0; member < 2 * farthest; ++member) {
      moved.emplace_back().address = moveOf(member);
      longer.emplace_back().pitch = moveOf(member);
    }
    for (int64_t rows = -2; rows <= 2; ++rows)
      for (int64_t columns = -2; columns <= 2; ++columns)
        if (rows != 0 || columns != 0)
          shifted.push_back({.rows = {.shift = rows}, .columns = {.shift = columns}});
    tryReadings(Feature::replayMovedInput, moved);
    if (product.inputSizes[1] > 1)
      tryReadings(Feature::replayLongerRows, longer);
    tryReadings(Feature::replayShiftedInput, shifted);
  }

  void changeWindow() {
    std::vector<Reading> strides, dilations, cuts;
    for (const bool isRows : {true, false}) {
      const Product::Axis &axis = isRows ? product.rows : product.columns;
      const auto add = [&](std::vector<Reading> &readings, Reading::Axis change) {
        readings.emplace_back();
        (isRows ? readings.back().rows : readings.back().columns) = change;
      };
      for (const int64_t by : {-2, -1, 1, 2}) {
        if (axis.stride + by > 0)
          add(strides, {.stride = by});
        if (axis.dilation + by > 0)
          add(dilations, {.dilation = by});
      }
      for (const int64_t by : {1, 2}) {
        add(cuts, {.cutFront = by});
        add(cuts, {.cutBehind = by});
      }
    }
    tryReadings(Feature::replayStride, strides);
    if (product.weightSizes[1] * product.weightSizes[2] > 1)
      tryReadings(Feature::replayDilation, dilations);
    tryReadings(Feature::replayMorePadding, cuts);
  }

  const ReplayedTensor &in;
  const Circumstances &known;
  const Product &product;
  const ElementPositions positions;
  const Summing summing;
  std::vector<ElementPosition> wrong, other;
  std::vector<size_t> places;   // index of each wrong element in the list passed to setWrong()
  std::vector<float> sums, due; // for each wrong element: right sum, and result of the right sum
  std::vector<float> windows;
  std::vector<uint8_t> inside; // whether a tap is inside the image, by position and tap
  std::optional<ResultOfSum> result;
  std::map<Feature, float> shares;
  std::map<Feature, size_t> calls; // number of calls of tryAll() so far, by family
  std::map<Call, size_t> chosen;
  std::map<size_t, size_t> partners; // for each output, the output whose weights it seems to have used
  bool isApplying = false;
  std::function<void(Feature, size_t, Fit)> onFit;
};

// Picks up to `wanted` of `size` elements at even distances; of(i) is element i.
template <class Of>
std::vector<WrongElement> evenly(size_t wanted, size_t size, Of of) {
  std::vector<WrongElement> some;
  const size_t count = std::min(wanted, size);
  for (size_t i = 0; i < count; ++i)
    some.push_back(of(i * size / count));
  return some;
}

size_t spotsFor(const Product &product) {
  return std::clamp(productsEach / product.depth(), fewestPositions, mostPositions);
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
  const bool isKnown = replayer.choose(evenly(spotsFor(*circumstances.product), stretch.different.size(),
                                              [&](size_t i) { return elementAt(stretch.different[i]); }),
                                       evenly(otherPositions, stretch.size(), elementAt));
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
  if (!replayer.choose(evenly(spotsFor(*circumstances.product), wrong.elements.size(),
                              [&](size_t i) { return wrong.elements[i]; }),
                       evenly(otherPositions, wrong.reference.size(), ofAll)))
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
