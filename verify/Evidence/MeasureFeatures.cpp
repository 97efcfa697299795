#include "verify/Evidence/MeasureFeatures.h"

#include "verify/Evidence/GroupSums.h"
#include "verify/Evidence/MeasureFits.h"
#include "verify/Evidence/MeasureParts.h"
#include "verify/Evidence/MeasureReplays.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>

namespace tilerig::verify {

namespace {

double shareOf(double part, double whole) { return whole > 0 ? part / whole : 0; }
double sizeFeature(uint64_t count) { return log2Of(count + 1) / 32; }

// Sums of squared errors, by which features say how much of the errors a simple model explains.
struct Energies {
  size_t elements = 0;
  double squares = 0; // sum of the squares of all errors
  GroupSums all;
  Groups values = Groups(256), channels, places;
};

// In which channels, rows and columns elements differ, and how many at the border and at seams.
struct DifferentPlaces {
  std::vector<bool> channels, rows, columns;
  size_t border = 0, seam = 0;

  explicit DifferentPlaces(const Place &place)
      : channels(place.channels()), rows(place.height()), columns(place.width()) {}
  void add(const Place::Of &at) {
    channels[at.channel] = rows[at.row] = columns[at.column] = true;
    border += at.border <= 2;
    seam += at.seam && *at.seam == 0;
  }
};

double shareOf(const std::vector<bool> &marks) {
  return shareOf(static_cast<double>(std::ranges::count(marks, true)), static_cast<double>(marks.size()));
}
// Distance from the first to the last marked index of a list, both included; 0 if none is marked.
double extentOf(const std::vector<bool> &marks) {
  const auto first = std::ranges::find(marks, true);
  if (first == marks.end())
    return 0;
  const auto last = std::find(marks.rbegin(), marks.rend(), true).base();
  return static_cast<double>(last - first);
}

// Share of the differing elements whose target occurs as the reference of another differing element.
double sharedValues(const Stretch &stretch) {
  const size_t count = stretch.different.size();
  if (!count)
    return 0;
  // References are counted by a hash of their bits; collisions are rare and hardly change the result.
  const int bits = std::min(static_cast<int>(std::bit_width(count)) + 2, 22);
  std::vector<int32_t> balance(size_t{1} << bits);
  auto placeOf = [&](float value) -> int32_t & {
    // adding 0 turns -0 into +0, so that both get the same hash
    const uint32_t word = std::bit_cast<uint32_t>(value + 0.0F);
    return balance[word * 0x9E3779B1U >> (32 - bits)];
  };
  for (const size_t i : stretch.different) {
    ++placeOf(stretch.reference[i]);
    --placeOf(stretch.target[i]);
  }
  double unmatched = 0;
  for (const int32_t surplus : balance)
    unmatched += std::abs(surplus);
  return 1 - unmatched / 2 / static_cast<double>(count);
}

// Share of the differing elements that equal the reference if matrices in memory are transposed: [outer,
// rows, columns] read as [outer, columns, rows], or vice versa. Returns the larger share of the two
// directions.
double transposedShare(const Stretch &stretch, size_t rows, size_t columns) {
  const size_t matrix = rows * columns;
  if (!stretch.isWhole() || stretch.different.empty() || rows < 2 || columns < 2)
    return 0;
  size_t oneWay = 0, otherWay = 0;
  for (const size_t i : stretch.different) {
    const size_t first = i - i % matrix, at = i % matrix;
    oneWay += stretch.target[i] == stretch.reference[first + at % rows * columns + at / rows];
    otherWay += stretch.target[i] == stretch.reference[first + at % columns * rows + at / columns];
  }
  return shareOf(static_cast<double>(std::max(oneWay, otherWay)),
                 static_cast<double>(stretch.different.size()));
}

class Measurer {
public:
  Measurer(const Measured &measured, const Circumstances &circumstances)
      : in(measured), known(circumstances), stretch(measured.stretch),
        largest(std::max({in.comparison.largestReference, in.comparison.largestTarget})) {}

  Features measured() {
    setType();
    setLayer();
    setSizes();
    setKnown();
    setShares();
    setErrors();
    setExplanations();
    setPlaces();
    setRuns();
    setMoved();
    return features;
  }

private:
  void set(Feature feature, double value) {
    features[static_cast<size_t>(feature)] = static_cast<float>(value);
  }

  void setType() {
    const EightBit eightBit = in.comparison.limits.eightBit;
    if (eightBit == EightBit::int8 || in.type == DType::i8)
      set(Feature::isInt8, 1);
    else if (eightBit == EightBit::uint8 || in.type == DType::u8)
      set(Feature::isUint8, 1);
    else if (in.type == DType::f32)
      set(Feature::isF32, 1);
    else if (in.type == DType::f16)
      set(Feature::isF16, 1);
    else
      set(in.type == DType::bf16 ? Feature::isBf16 : Feature::isOtherType, 1);
  }
  void setLayer() {
    if (known.layerKind)
      set(featureOfKind(*known.layerKind), 1);
    set(Feature::layerKnown, known.layerKind.has_value());
  }
  void setSizes() {
    set(Feature::sizeElements, sizeFeature(in.comparison.elements));
    set(Feature::sizeBatch, sizeFeature(in.place.batch()));
    set(Feature::sizeChannels, sizeFeature(in.place.channels()));
    set(Feature::sizeHeight, sizeFeature(in.place.height()));
    set(Feature::sizeWidth, sizeFeature(in.place.width()));
  }
  void setKnown() {
    const double all = static_cast<double>(in.comparison.elements);
    set(Feature::seamsKnown, known.seams.has_value());
    set(Feature::isolatedKnown, known.isolated.has_value());
    set(Feature::jitterKnown, known.otherRuns.has_value());
    set(Feature::orderKnown, known.order.has_value());
    set(Feature::oracleKnown, known.isOracle);
    const Order order = known.order.value_or(Order());
    set(Feature::unordered, order.unordered);
    set(Feature::uninitialised, order.uninitialised);
    set(Feature::otherProblem, order.other);
    setConflicts(order);
    set(Feature::trapped, known.trapped);
    set(Feature::isolatedDifferent, shareOf(static_cast<double>(in.isolatedDifferent), all));
    set(Feature::varying, shareOf(static_cast<double>(in.varying), all));
  }

  void setConflicts(const Order &order) {
    set(Feature::conflicts, sizeFeature(order.conflicts));
    set(Feature::unwrittenReads, sizeFeature(order.unwrittenReads));
    set(Feature::conflictsWithinTile, order.withinTile);
    set(Feature::conflictsBesideControl, order.besideControl);
    set(Feature::conflictInstructions, order.instructions);
    set(Feature::conflictDistance, order.nearest ? sizeFeature(*order.nearest) : 0);
    set(Feature::ofHub, order.ofHub);
    set(Feature::hubInstructions, order.hubInstructions);
    set(Feature::hubAdjacent, order.hubAdjacent);
    set(Feature::hubOutOfOrder, order.hubOutOfOrder);
    set(Feature::hubWrites, order.hubWrites);
    set(Feature::leftOver, order.leftOver);
    set(Feature::stuck, order.stuck);
  }

  void setShares() {
    const Comparison &comparison = in.comparison;
    const double all = static_cast<double>(comparison.elements);
    set(Feature::different, shareOf(static_cast<double>(comparison.different), all));
    set(Feature::failed, shareOf(static_cast<double>(comparison.failed), all));
    set(Feature::discarded, shareOf(static_cast<double>(comparison.discarded), all));
    set(Feature::notFinite, shareOf(static_cast<double>(comparison.nonFiniteDiffering), all));
    const auto [least, most] = extremes();
    setShare(Feature::zeroTargets, [](float, float t) { return t == 0; });
    setShare(Feature::zeroReferences, [](float r, float) { return r == 0; });
    setShare(Feature::smallSteps, [&](float r, float t) { return isSmallStep(r, t); });
    setShare(Feature::targetsAtRail, [&](float, float t) { return t <= least || t >= most; });
    setShare(Feature::referencesAtRail, [&](float r, float) { return r <= least || r >= most; });
    const float half = isEightBits() ? stepSize() * 128 : 0;
    setShare(Feature::halfRange, [&](float r, float t) { return half > 0 && std::fabs(t - r) == half; });
    setShare(Feature::negated, [](float r, float t) { return t == -r; });
  }
  template <class Is>
  void setShare(Feature feature, Is is) {
    size_t count = 0;
    for (const size_t i : stretch.different)
      count += is(stretch.reference[i], stretch.target[i]);
    set(feature, shareOf(static_cast<double>(count), static_cast<double>(stretch.different.size())));
  }
  std::pair<float, float> extremes() const {
    float least = INFINITY, most = -INFINITY;
    for (const float r : stretch.reference)
      if (std::isfinite(r))
        least = std::min(least, r), most = std::max(most, r);
    return {least, most};
  }
  bool isEightBits() const { return in.rule.eightBit || in.type == DType::i8 || in.type == DType::u8; }
  // Size of an 8-bit step: 1 for integers, else the step that the comparison derived from the largest target.
  float stepSize() const {
    const bool isWhole = in.type == DType::i8 || in.type == DType::u8;
    return isWhole ? 1 : static_cast<float>(2 * in.rule.halfStep);
  }
  bool isSmallStep(float r, float t) const {
    if (!std::isfinite(r) || !std::isfinite(t))
      return false;
    const double error = std::fabs(static_cast<double>(t) - static_cast<double>(r));
    if (isEightBits())
      return error <= 1.5 * static_cast<double>(stepSize());
    int exponent = 0;
    std::frexp(std::max(std::fabs(r), std::fabs(t)), &exponent);
    return error <= std::ldexp(1.0, exponent - 1 - fractionBits());
  }
  int fractionBits() const { return in.type == DType::f16 ? 10 : in.type == DType::bf16 ? 7 : 23; }

  void setErrors() {
    const Comparison &comparison = in.comparison;
    if (comparison.maxAbs > 0 && comparison.largestReference > 0 &&
        std::isfinite(comparison.maxAbs / comparison.largestReference)) {
      int exponent = 0;
      const double fraction = std::frexp(comparison.maxAbs / comparison.largestReference, &exponent);
      set(Feature::largestError, std::clamp(exponent + 2 * fraction - 2 + 32, 0.0, 64.0) / 32);
    }
    double signs = 0;
    for (const size_t i : stretch.different)
      signs += stretch.target[i] > stretch.reference[i]   ? 1
               : stretch.target[i] < stretch.reference[i] ? -1
                                                          : 0;
    set(Feature::meanSign, shareOf(signs, static_cast<double>(stretch.different.size())));
    set(Feature::meanError,
        comparison.rms > 0 ? std::clamp(comparison.meanError / comparison.rms, -1.0, 1.0) : 0);
    set(Feature::correlation, std::isfinite(comparison.pearson) ? comparison.pearson : 0);
  }

  Energies energies() const {
    Energies sums;
    sums.channels.resize(in.place.channels());
    sums.places.resize(in.place.height() * in.place.width());
    PlaceWalk walk(in.place, stretch.begin);
    for (size_t i = 0; i < stretch.size(); ++i) {
      const Place::Of at = walk.next();
      const double r = static_cast<double>(stretch.reference[i]) / largest,
                   e = static_cast<double>(stretch.target[i]) / largest - r;
      if (!std::isfinite(r) || !std::isfinite(e))
        continue;
      ++sums.elements;
      sums.squares += e * e;
      sums.all.add(r, e);
      sums.values[static_cast<size_t>(std::clamp((r + 1) / 2 * 256, 0.0, 255.0))].add(r, e);
      sums.channels[at.channel].add(r, e);
      sums.places[at.row * in.place.width() + at.column].add(r, e);
    }
    return sums;
  }

  void setExplanations() {
    if (stretch.different.empty() || !(largest > 0))
      return;
    const Energies sums = energies();
    auto part = [&](double squares, size_t numbers) {
      return explained(squares, sums.squares, numbers, sums.elements);
    };
    const double spread = sums.all.rr - sums.all.r * sums.all.r / std::max(sums.all.n, 1.0);
    if (spread > 0x1p-30 * sums.all.rr) {
      // Slope of the regression line of the target over the reference.
      const double slope = 1 + (sums.all.re - sums.all.r * sums.all.e / sums.all.n) / spread;
      set(Feature::slope, slope / (1 + std::fabs(slope)));
    }
    set(Feature::byOffset, part(sums.all.byMean(), 1));
    set(Feature::byGain, part(sums.all.byLine(), 2));
    set(Feature::byValue, part(sumOver(sums.values, &GroupSums::byMean), usedOf(sums.values)));
    set(Feature::byChannelOffset, part(sumOver(sums.channels, &GroupSums::byMean), usedOf(sums.channels)));
    set(Feature::byChannelGain, part(sumOver(sums.channels, &GroupSums::byLine), 2 * usedOf(sums.channels)));
    set(Feature::byPlace, part(sumOver(sums.places, &GroupSums::byMean), usedOf(sums.places)));
  }

  void setPlaces() {
    DifferentPlaces places(in.place);
    for (const size_t i : stretch.different)
      places.add(in.place.of(stretch.begin + i));
    const double count = static_cast<double>(stretch.different.size());
    set(Feature::channelsDifferent, shareOf(places.channels));
    set(Feature::rowsDifferent, shareOf(places.rows));
    set(Feature::columnsDifferent, shareOf(places.columns));
    // In a tensor of one or two axes, the last axis serves both as channels and as image, but must be counted
    // only once.
    const bool hasImage = in.place.channelAxis().stride != in.place.widthAxis().stride;
    const double image = hasImage ? extentOf(places.columns) * extentOf(places.rows) : 1;
    const double box = extentOf(places.channels) * image * static_cast<double>(in.place.batch());
    set(Feature::boxFilled, std::min(shareOf(count, box), 1.0));
    set(Feature::borderDifferent, shareOf(static_cast<double>(places.border), count));
    set(Feature::seamDifferent, shareOf(static_cast<double>(places.seam), count));
  }

  void setRuns() {
    uint64_t runs = 0, longest = 0, length = 0;
    size_t before = 0;
    for (const size_t i : stretch.different) {
      const bool goesOn = length > 0 && i == before + 1;
      runs += !goesOn;
      length = goesOn ? length + 1 : 1;
      longest = std::max(longest, length);
      before = i;
    }
    set(Feature::runs, sizeFeature(runs));
    set(Feature::longestRun, sizeFeature(longest));
  }

  void setMoved() {
    set(Feature::sameValues, sharedValues(stretch));
    double equal = 0, correlation = 0;
    for (const LagProfile &profile : in.lags)
      for (size_t lag = 0; lag < numLags; ++lag)
        if (lag != mostLag) {
          equal = std::max(equal, profile.equal[lag]);
          correlation = std::max(correlation, profile.correlation[lag]);
        }
    set(Feature::bestLag, equal);
    set(Feature::bestLagCorrelation, correlation);
    const size_t rows = in.place.heightAxis().size, columns = in.place.widthAxis().size;
    set(Feature::transposed, transposedShare(stretch, rows, columns));
    const Place::Axis channels = in.place.channelAxis();
    if (channels.stride > 1)
      set(Feature::channelsLast, transposedShare(stretch, channels.size, channels.stride));
  }

  const Measured &in;
  const Circumstances &known;
  const Stretch &stretch;
  const double largest;
  Features features{};
};

} // namespace

Features measureFeatures(const Measured &measured, const Circumstances &circumstances) {
  Features features = Measurer(measured, circumstances).measured();
  measureParts(measured, circumstances, features);
  measureFits(measured, features);
  measureReplays(measured, circumstances, features);
  return features;
}

Feature featureOfKind(std::string_view kind) {
  struct Row {
    Feature feature;
    std::initializer_list<std::string_view> kinds;
  };
  static const Row rows[] = {
      {Feature::isConv, {"Conv"}},
      {Feature::isMatMul, {"MatMul"}},
      {Feature::isPool, {"MaxPool", "AveragePool", "AverageWithPaddingPool", "SumPool"}},
      {Feature::isElementwise,
       {"Add", "Sub", "Mul", "Div", "Min", "Max", "Pow", "Mod", "Fmod", "Prelu", "Equal", "Less", "LessEqual",
        "Greater", "GreaterEqual", "And", "Or", "Xor", "Select"}},
      {Feature::isActivation, {"Activation", "Convert"}},
      {Feature::isNormalisation, {"Norm", "RmsNorm", "Softmax", "LogSoftmax"}},
      {Feature::isReduction,
       {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProduct", "ReduceSumSquares",
        "ReduceSumAbs", "ReduceArgMax", "ReduceArgMin"}},
      {Feature::isMovement, {"Reshape", "Transpose", "Expand", "Concat", "Slice", "Pad", "Gather", "Dilate"}},
      {Feature::isResize, {"Resize"}},
  };
  for (const Row &row : rows)
    if (std::ranges::find(row.kinds, kind) != row.kinds.end())
      return row.feature;
  return Feature::isOtherLayer;
}

} // namespace tilerig::verify
