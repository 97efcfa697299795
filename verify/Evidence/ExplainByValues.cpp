#include "verify/Evidence/ExplainByValues.h"

#include "verify/Evidence/Numbers.h"
#include "verify/Evidence/Place.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace tilerig::verify {

namespace {

// Number of evenly spaced wrong elements by which the best shift or channel is chosen.
constexpr size_t elementsToChoose = 256;
// The best shift must explain at least this share of the elements by which it is chosen.
constexpr double leastShareOfShift = 0.3;
// Least number of wrong elements of a group to which a number, such as an offset, is fitted.
constexpr size_t fewestOfFit = 4;
constexpr int64_t mostRowsOff = 3, mostOff = 31;

float medianOf(std::vector<float> numbers) {
  const auto middle = numbers.begin() + static_cast<ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle);
  return *middle;
}
// Centre of numbers that are rounded to integers: the mean of those that are at most one away from the
// median.
float middleOfRounded(const std::vector<float> &numbers) {
  const float median = medianOf(numbers);
  float sum = 0, count = 0;
  for (const float number : numbers)
    if (std::fabs(number - median) <= 1)
      sum += number, ++count;
  return sum / count;
}

// The ends of the reference's range, each only if several elements have this value, such as the zero of a
// rectifier or the extremes of eight bits.
struct RangeEnds {
  std::optional<float> low, high;

  explicit RangeEnds(const std::vector<float> &reference) {
    float least = INFINITY, most = -INFINITY;
    for (const float r : reference)
      if (std::isfinite(r))
        least = std::min(least, r), most = std::max(most, r);
    const auto areMany = [&](float value) {
      return static_cast<size_t>(std::ranges::count(reference, value)) >
             std::max<size_t>(fewestOfFit, reference.size() / 200);
    };
    if (areMany(least))
      low = least;
    if (areMany(most))
      high = most;
  }
  bool isAt(float value) const { return (low && value <= *low) || (high && value >= *high); }
};

class Explainer {
public:
  Explainer(const WrongElements &wrong, const Circumstances &known)
      : wrong(wrong), known(known), place(wrong.shape, wrong.reference.size(), {}), rails(wrong.reference) {
    for (const WrongElement &element : wrong.elements) {
      const Place::Of at = place.of(element.index);
      places.push_back(at);
      channelOf.push_back(at.channel);
    }
  }

  std::vector<Explanation> all() {
    explainOffsets();
    explainPowers();
    explainShifts();
    explainTurns();
    explainOtherChannels();
    explainOneValue();
    explainFunction();
    explainRails();
    explainBorder();
    explainSingles();
    explainVarying();
    return std::move(explanations);
  }

private:
  using Element = WrongElement;

  size_t count() const { return wrong.elements.size(); }
  bool areWhole() const { return wrong.type == DType::i8 || wrong.type == DType::u8; }
  const Element &element(size_t i) const { return wrong.elements[i]; }
  bool isInner(const Element &element) const {
    return !rails.isAt(element.reference) && !rails.isAt(element.target);
  }
  bool isFinite(const Element &element) const {
    return std::isfinite(element.reference) && std::isfinite(element.target);
  }

  // Adds a hypothesis to the explanations; fitOfElement(i) returns how well it explains wrong element i.
  template <class FitOfElement>
  void add(Feature feature, FitOfElement fitOfElement) {
    Explanation explanation{feature, std::vector<Fit>(count())};
    for (size_t i = 0; i < count(); ++i)
      if (isFinite(element(i)))
        explanation.fits[i] = fitOfElement(i);
    explanations.push_back(std::move(explanation));
  }
  // Adds a hypothesis for which a number was fitted to each group of wrong elements, such as a channel;
  // groupOf(i) is the group of wrong element i. A fitted number always explains some element, so the fits of
  // a group count only if the hypothesis explains most of it.
  template <class GroupOf, class FitOfElement>
  void addFitted(Feature feature, GroupOf groupOf, FitOfElement fitOfElement) {
    constexpr double most = 0.6;
    add(feature, fitOfElement);
    std::vector<Fit> &fits = explanations.back().fits;
    // For each group, the number of its elements and of its explained elements.
    std::map<size_t, std::pair<double, double>> groups;
    for (size_t i = 0; i < count(); ++i) {
      auto &[all, fitting] = groups[groupOf(i)];
      ++all;
      fitting += fits[i] != Fit::none;
    }
    for (size_t i = 0; i < count(); ++i)
      if (const auto &[all, fitting] = groups[groupOf(i)]; fitting < most * all)
        fits[i] = Fit::none;
  }
  auto ofChannels() const {
    return [this](size_t i) { return channelOf[i]; };
  }
  static Fit exactIf(bool holds) { return holds ? Fit::exact : Fit::none; }
  static Fit nearIf(bool holds) { return holds ? Fit::near : Fit::none; }

  // --- A constant for each channel ---

  // Fits a number to each channel: the middle of number(element) over the wrong elements away from the ends
  // of the range. A channel gets a number only if enough of these elements have different references: if all
  // references are equal, as after a pooling over a whole small image, both an offset and a factor would
  // explain any error.
  template <class Number, class Middle>
  std::map<size_t, float> middlesOfChannels(Number number, Middle middleOf) const {
    std::map<size_t, std::vector<float>> numbers;
    std::map<size_t, std::set<float>> due;
    for (size_t i = 0; i < count(); ++i)
      if (isFinite(element(i)) && isInner(element(i))) {
        numbers[channelOf[i]].push_back(number(element(i)));
        due[channelOf[i]].insert(element(i).reference);
      }
    std::map<size_t, float> middles;
    for (auto &[channel, of] : numbers)
      if (due[channel].size() >= fewestOfFit)
        middles[channel] = middleOf(std::move(of));
    return middles;
  }

  // How well an offset explains a wrong element. At an end of the range only a part of the offset shows, so
  // the target must lie between the reference and the reference plus the offset.
  Fit fitOfOffset(const Element &element, float offset) const {
    if (isInner(element)) {
      const bool isRounded = areWhole() && std::fabs(element.reference + offset - element.target) <= 1;
      return std::max(wrong.fitOf(element, element.reference + offset), nearIf(isRounded));
    }
    const float error = element.target - element.reference;
    return nearIf(error * offset > 0 && std::fabs(error) <= 1.25F * std::fabs(offset));
  }
  void explainOffsets() {
    const auto error = [](const Element &element) { return element.target - element.reference; };
    const std::map<size_t, float> offsets =
        areWhole() ? middlesOfChannels(error, middleOfRounded) : middlesOfChannels(error, medianOf);
    addFitted(Feature::byChannelOffset, ofChannels(), [&](size_t i) {
      const auto offset = offsets.find(channelOf[i]);
      return offset != offsets.end() ? fitOfOffset(element(i), offset->second) : Fit::none;
    });
  }

  void explainPowers() {
    if (wrong.isEightBit)
      return; // eight-bit numbers count from a zero point, so a factor says nothing
    std::map<size_t, float> factors = middlesOfChannels(
        [](const Element &element) {
          return element.reference != 0 ? element.target / element.reference : 0;
        },
        medianOf);
    std::erase_if(factors, [](const auto &of) {
      int exponent = 0;
      return !(std::fabs(std::frexp(of.second, &exponent) - 0.5F) < 0.01F) || exponent == 1;
    });
    addFitted(Feature::powerGains, ofChannels(), [&](size_t i) {
      const auto factor = factors.find(channelOf[i]);
      return factor != factors.end() ? wrong.fitOf(element(i), element(i).reference * factor->second)
                                     : Fit::none;
    });
  }

  // --- Values from other places ---

  struct Shift {
    int64_t rows = 0, columns = 0, channels = 0, memory = 0;
  };
  // Index of the element whose value a shift would bring to wrong element i; empty if that index lies outside
  // the tensor.
  std::optional<size_t> cameFrom(size_t i, const Shift &shift) const {
    const Place::Axis height = place.heightAxis(), width = place.widthAxis(), channel = place.channelAxis();
    const auto isWithin = [](size_t at, int64_t by, size_t size) {
      const int64_t moved = static_cast<int64_t>(at) + by;
      return moved >= 0 && moved < static_cast<int64_t>(size);
    };
    if (!isWithin(places[i].row % height.size, shift.rows, height.size) ||
        !isWithin(places[i].column, shift.columns, width.size) ||
        !isWithin(places[i].channel, shift.channels, channel.size))
      return {};
    const int64_t by = shift.memory + shift.rows * static_cast<int64_t>(height.stride) +
                       shift.columns * static_cast<int64_t>(width.stride) +
                       shift.channels * static_cast<int64_t>(channel.stride);
    if (!isWithin(element(i).index, by, wrong.reference.size()))
      return {};
    return static_cast<size_t>(static_cast<int64_t>(element(i).index) + by);
  }
  Fit fitOfShift(size_t i, const Shift &shift) const {
    const std::optional<size_t> from = cameFrom(i, shift);
    return from ? wrong.fitOf(element(i), wrong.reference[*from]) : Fit::none;
  }
  bool isShifted(size_t i, const Shift &shift) const { return fitOfShift(i, shift) != Fit::none; }

  std::vector<Shift> shiftsOfImage() const {
    std::vector<Shift> shifts;
    for (int64_t rows = -mostRowsOff; rows <= mostRowsOff; ++rows)
      for (int64_t columns = -mostRowsOff; columns <= mostRowsOff; ++columns)
        if (rows != 0 || columns != 0)
          shifts.push_back({.rows = rows, .columns = columns});
    return shifts;
  }
  std::vector<Shift> otherShifts() const {
    std::vector<Shift> shifts;
    for (int64_t by = -mostOff; by <= mostOff; ++by) {
      if (by == 0)
        continue;
      shifts.push_back({.channels = by});
      shifts.push_back({.memory = by});
      if (std::abs(by) > mostRowsOff) {
        shifts.push_back({.rows = by});
        shifts.push_back({.columns = by});
      }
    }
    return shifts;
  }
  // The shift that explains the most elements of a sample of the wrong ones; empty if no shift explains
  // enough. Targets at an end of the range, such as zeros, are not used, as they would match everywhere.
  std::optional<Shift> bestOf(const std::vector<Shift> &shifts) const {
    std::vector<size_t> some;
    for (size_t i = 0; i < count(); ++i)
      if (isFinite(element(i)) && !rails.isAt(element(i).target))
        some.push_back(i);
    const size_t used = std::min(elementsToChoose, some.size());
    std::optional<Shift> best;
    size_t most = static_cast<size_t>(leastShareOfShift * static_cast<double>(used));
    for (const Shift &shift : shifts) {
      size_t hits = 0;
      for (size_t i = 0; i < used; ++i)
        hits += isShifted(some[i * some.size() / used], shift);
      if (hits > most)
        most = hits, best = shift;
    }
    return best;
  }

  // Whether the shift displaces the whole image: nearly all rows, columns and channels have wrong elements,
  // and nearly every wrong element whose source lies within the image has the value of its source.
  bool isOfWholeImage(const Shift &shift) const {
    std::vector<bool> rows(place.height()), columns(place.width()), channels(place.channels());
    size_t partners = 0, explained = 0;
    for (size_t i = 0; i < count(); ++i) {
      rows[places[i].row] = columns[places[i].column] = channels[places[i].channel] = true;
      partners += cameFrom(i, shift).has_value();
      explained += isShifted(i, shift);
    }
    const auto isFull = [](const std::vector<bool> &marks) {
      return 10 * std::ranges::count(marks, true) >= 9 * static_cast<ptrdiff_t>(marks.size());
    };
    return isFull(rows) && isFull(columns) && isFull(channels) && 10 * explained >= 9 * partners;
  }
  void explainShifts() {
    if (const std::optional<Shift> best = bestOf(shiftsOfImage())) {
      const bool isWhole = isOfWholeImage(*best);
      // If the whole image is shifted, elements whose source lies outside the image count as nearly
      // explained, whatever their value is.
      add(isWhole ? Feature::replayShiftedInput : Feature::bestLag,
          [&](size_t i) { return isWhole && !cameFrom(i, *best) ? Fit::near : fitOfShift(i, *best); });
    }
    if (const std::optional<Shift> best = bestOf(otherShifts()))
      add(Feature::bestLag, [&](size_t i) { return fitOfShift(i, *best); });
  }

  // Tests whether matrices in memory were transposed: [outer, rows, columns] read as [outer, columns, rows],
  // or vice versa.
  void explainTurn(Feature feature, size_t rows, size_t columns) {
    const size_t matrix = rows * columns;
    if (rows < 2 || columns < 2)
      return;
    const auto add = [&](size_t inner, size_t outer) {
      this->add(feature, [&, inner, outer](size_t i) {
        const size_t at = element(i).index % matrix, first = element(i).index - at;
        return wrong.fitOf(element(i), wrong.reference[first + at % inner * outer + at / inner]);
      });
    };
    add(rows, columns);
    add(columns, rows);
  }
  void explainTurns() {
    explainTurn(Feature::transposed, place.heightAxis().size, place.widthAxis().size);
    const Place::Axis channels = place.channelAxis();
    if (channels.stride > 1)
      explainTurn(Feature::channelsLast, channels.size, channels.stride);
  }

  // The channel that the values of a wrong channel come from, and an offset that is added to them: the
  // weights may be those of another output while the bias is right.
  struct Partner {
    size_t channel = 0;
    float offset = 0;
  };
  void explainOtherChannels() {
    const Place::Axis axis = place.channelAxis();
    if (axis.stride <= 1 || axis.size < 2)
      return;
    std::map<size_t, std::vector<size_t>> ofChannel;
    for (size_t i = 0; i < count(); ++i)
      if (isFinite(element(i)) && !rails.isAt(element(i).target))
        ofChannel[channelOf[i]].push_back(i);
    std::map<size_t, Partner> partners;
    for (const auto &[channel, of] : ofChannel)
      if (const std::optional<Partner> partner = partnerOf(channel, of))
        partners[channel] = *partner;
    add(Feature::otherChannels, [&](size_t i) {
      const auto partner = partners.find(channelOf[i]);
      return partner != partners.end() ? fitOfPartner(i, partner->second) : Fit::none;
    });
  }
  float valueIn(size_t i, size_t channel) const {
    return wrong.reference[element(i).index + (channel - channelOf[i]) * place.channelAxis().stride];
  }
  Fit fitOfPartner(size_t i, const Partner &partner) const {
    const float value = valueIn(i, partner.channel);
    if (!rails.isAt(value) && !rails.isAt(element(i).target))
      return wrong.fitOf(element(i), value + partner.offset);
    // If channels were swapped but their biases were not, the values differ by a constant offset. If one of
    // the two values is clamped (by a Relu), only a part of the offset remains.
    const float rest = element(i).target - value;
    return nearIf(rest * partner.offset >= 0 && std::fabs(rest) <= 1.25F * std::fabs(partner.offset));
  }
  std::optional<Partner> partnerOf(size_t channel, const std::vector<size_t> &of) const {
    constexpr size_t mostOfChannel = 24, fewestOfChannel = 8;
    const size_t used = std::min(mostOfChannel, of.size());
    for (size_t other = 0; used >= fewestOfChannel && other < place.channels(); ++other) {
      std::vector<float> offsets;
      for (size_t i = 0; i < used && other != channel; ++i)
        if (const size_t at = of[i * of.size() / used]; !rails.isAt(valueIn(at, other)))
          offsets.push_back(element(at).target - valueIn(at, other));
      if (offsets.size() < fewestOfChannel)
        continue;
      const Partner partner{other, medianOf(std::move(offsets))};
      size_t hits = 0;
      for (size_t i = 0; i < used; ++i)
        hits += fitOfPartner(of[i * of.size() / used], partner) != Fit::none;
      if (10 * hits >= 9 * used)
        return partner;
    }
    return {};
  }

  // --- One value, or a function of the reference ---

  void explainOneValue() {
    add(Feature::zeroTargets, [&](size_t i) { return exactIf(element(i).target == 0); });
    std::map<size_t, float> values;
    std::map<size_t, std::vector<float>> targets;
    for (size_t i = 0; i < count(); ++i)
      if (element(i).target != 0)
        targets[channelOf[i]].push_back(element(i).target);
    for (auto &[channel, of] : targets)
      if (of.size() >= fewestOfFit)
        values[channel] = medianOf(std::move(of));
    addFitted(Feature::commonTarget, ofChannels(), [&](size_t i) {
      const auto value = values.find(channelOf[i]);
      return exactIf(value != values.end() && element(i).target == value->second);
    });
  }

  // Tests whether the target is a function of the reference: the reference plus the median error in the part
  // of the range where the reference lies; for eight bits each value is a part.
  void explainFunction() {
    constexpr int parts = 1024;
    float least = INFINITY, most = -INFINITY;
    for (const Element &element : wrong.elements)
      if (isFinite(element))
        least = std::min(least, element.reference), most = std::max(most, element.reference);
    const auto partOf = [&](const Element &element) {
      return wrong.isEightBit ? static_cast<int>(element.reference)
                              : static_cast<int>((element.reference - least) / (most - least) * (parts - 1));
    };
    if (!(most > least))
      return;
    std::map<int, std::vector<float>> errors;
    for (const Element &element : wrong.elements)
      if (isFinite(element))
        errors[partOf(element)].push_back(element.target - element.reference);
    std::map<int, float> medians;
    for (auto &[part, of] : errors)
      if (of.size() >= fewestOfFit)
        medians[part] = medianOf(std::move(of));
    const auto ofParts = [&](size_t i) { return static_cast<size_t>(partOf(element(i)) + 128); };
    addFitted(Feature::byValue, ofParts, [&](size_t i) {
      const auto error = medians.find(partOf(element(i)));
      return error != medians.end() ? wrong.fitOf(element(i), element(i).reference + error->second)
                                    : Fit::none;
    });
  }

  // --- Ends of the range ---

  void explainRails() {
    add(Feature::referencesAtRail, [&](size_t i) { return nearIf(rails.isAt(element(i).reference)); });
    float least = INFINITY, most = -INFINITY;
    for (const Element &element : wrong.elements)
      if (isFinite(element))
        least = std::min(least, element.target), most = std::max(most, element.target);
    add(Feature::targetsAtRail, [&](size_t i) {
      const Element &wrongElement = element(i);
      return nearIf((wrongElement.target == most && wrongElement.reference > most) ||
                    (wrongElement.target == least && wrongElement.reference < least));
    });
  }

  // --- Position of the errors ---

  // Tests whether a channel is wrong only at the border of the image, except for a few elements. Channels
  // with too few wrong elements are judged by the whole tensor.
  void explainBorder() {
    constexpr size_t mostWidth = 4, leastSide = 6, timesFewer = 20;
    struct Counts {
      size_t atBorder = 0, inside = 0;
      bool areFew() const { return atBorder + inside < fewestOfFit; }
      bool lieAtBorder() const { return !areFew() && timesFewer * inside <= atBorder; }
    };
    const size_t rank = wrong.shape.size();
    const size_t side = rank > 3 ? std::min(place.height(), place.width()) : place.width();
    if (rank < 3 || side < leastSide)
      return;
    const auto isAtBorder = [width = std::min(mostWidth, side / 3)](const Place::Of &at) {
      return at.border < width;
    };
    Counts all;
    std::vector<Counts> ofChannel(place.channels());
    for (const Place::Of &at : places)
      for (Counts *counts : {&all, &ofChannel[at.channel]})
        ++(isAtBorder(at) ? counts->atBorder : counts->inside);
    add(Feature::borderDifferent, [&](size_t i) {
      const Counts &counts = ofChannel[channelOf[i]];
      return nearIf(isAtBorder(places[i]) && (counts.areFew() ? all : counts).lieAtBorder());
    });
  }

  void explainSingles() {
    add(Feature::negated, [&](size_t i) { return exactIf(element(i).target == -element(i).reference); });
    if (areWhole()) {
      add(Feature::halfRange,
          [&](size_t i) { return exactIf(std::fabs(element(i).target - element(i).reference) == 128); });
      add(Feature::smallSteps,
          [&](size_t i) { return nearIf(std::fabs(element(i).target - element(i).reference) <= 1); });
      return;
    }
    const int bits = wrong.type == DType::f16 ? 10 : wrong.type == DType::bf16 ? 7 : 23;
    add(Feature::smallSteps, [&](size_t i) {
      const Element &wrongElement = element(i);
      int exponent = 0;
      std::frexp(std::max(std::fabs(wrongElement.reference), std::fabs(wrongElement.target)), &exponent);
      return nearIf(std::fabs(wrongElement.target - wrongElement.reference) <=
                    std::ldexp(1.0F, exponent - 1 - bits));
    });
  }

  void explainVarying() {
    if (!known.otherRuns)
      return;
    std::vector<std::vector<double>> runs;
    for (const Tensor &run : *known.otherRuns)
      runs.push_back(numbersOf(run));
    add(Feature::varying, [&](size_t i) {
      return exactIf(std::ranges::any_of(runs, [&](const std::vector<double> &run) {
        return static_cast<float>(run[element(i).index]) != element(i).target;
      }));
    });
  }

  const WrongElements &wrong;
  const Circumstances &known;
  const Place place;
  const RangeEnds rails;
  std::vector<Place::Of> places; // position of each wrong element
  std::vector<size_t> channelOf; // channel of each wrong element
  std::vector<Explanation> explanations;
};

} // namespace

std::vector<Explanation> explainByValues(const WrongElements &wrong, const Circumstances &known) {
  return Explainer(wrong, known).all();
}

} // namespace tilerig::verify
