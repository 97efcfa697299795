#include "verify/Evidence/MeasureFits.h"

#include "verify/Evidence/GroupSums.h"
#include "verify/Evidence/Moments.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace tilerig::verify {

namespace {

double part(size_t count, size_t all) {
  return all > 0 ? static_cast<double>(count) / static_cast<double>(all) : 0;
}

// The least and the largest finite value of a tensor, either the reference or the target.
struct Rails {
  float low = std::numeric_limits<float>::infinity(), high = -low;

  explicit Rails(const std::vector<float> &values) {
    for (const float value : values)
      if (std::isfinite(value))
        low = std::min(low, value), high = std::max(high, value);
  }
  bool isOff(float value) const { return value > low && value < high; }
};

class Fitter {
public:
  Fitter(const Measured &measured, Features &features)
      : in(measured), stretch(measured.stretch), features(features),
        largest(std::max(in.comparison.largestReference, in.comparison.largestTarget)) {}

  void measure() {
    if (stretch.different.empty() || !(largest > 0))
      return;
    sum();
    setFits();
    setGains();
    setOthers();
    setWraps();
    setTargets();
  }

private:
  void set(Feature feature, double value) {
    features[static_cast<size_t>(feature)] = static_cast<float>(value);
  }

  // Sums up the inner elements, of which neither reference nor target is at an end of its range.
  void sum() {
    const Rails ofReference(stretch.reference), ofTarget(stretch.target);
    channels.resize(in.place.channels());
    lines.resize(in.place.channels());
    members.resize(in.place.channels());
    PlaceWalk walk(in.place, stretch.begin);
    for (size_t i = 0; i < stretch.size(); ++i) {
      const size_t channel = walk.next().channel;
      members[channel].push_back(i);
      const float reference = stretch.reference[i], target = stretch.target[i];
      if (!ofReference.isOff(reference) || !ofTarget.isOff(target))
        continue;
      const double r = static_cast<double>(reference) / largest, t = static_cast<double>(target) / largest;
      ++elements;
      differing += r != t;
      squares += (t - r) * (t - r);
      all.add(r, t - r);
      channels[channel].add(r, t - r);
      lines[channel].add(r, t);
    }
  }

  void setFits() {
    const auto explaining = [&](double parts, size_t numbers) {
      return explained(parts, squares, numbers, elements);
    };
    set(Feature::innerDifferent, part(differing, stretch.different.size()));
    set(Feature::innerOffset, explaining(all.byMean(), 1));
    set(Feature::innerGain, explaining(all.byLine(), 2));
    set(Feature::innerChannelOffset, explaining(sumOver(channels, &GroupSums::byMean), usedOf(channels)));
    set(Feature::innerChannelGain, explaining(sumOver(channels, &GroupSums::byLine), 2 * usedOf(channels)));
  }

  // Sets the features about slopes of the target over the reference. Uses channels whose target is a linear
  // function of the reference but differs from it.
  void setGains() {
    constexpr double isLine = 0.95; // minimum correlation of reference and target for a linear relationship
    constexpr size_t fewest = 8;    // minimum number of elements that a channel must have
    size_t count = 0, even = 0;
    double sum = 0, sumOfSquares = 0;
    for (size_t channel = 0; channel < lines.size(); ++channel) {
      const auto correlation = lines[channel].correlation();
      if (!correlation || lines[channel].n < fewest || *correlation < isLine || channels[channel].e == 0)
        continue;
      const Moments &line = lines[channel];
      const double slope = (line.n * line.xy - line.x * line.y) / (line.n * line.xx - line.x * line.x);
      ++count;
      even += isOtherPower(slope);
      const double bounded = slope / (1 + slope);
      sum += bounded, sumOfSquares += bounded * bounded;
    }
    set(Feature::powerGains, part(even, count));
    if (count > 0) {
      const double mean = sum / static_cast<double>(count);
      set(Feature::gainSpread,
          std::sqrt(std::max(sumOfSquares / static_cast<double>(count) - mean * mean, 0.0)));
    }
  }
  // Whether a slope is a power of two other than 1, with a tolerance of a thirtieth.
  static bool isOtherPower(double slope) {
    int exponent = 0;
    const double fraction = std::frexp(slope, &exponent);
    const bool isEven = fraction < 0.5 * 31 / 30 || fraction > 1 - 1.0 / 30;
    return isEven && (slope < 0.75 || slope > 1.5);
  }

  // Sets the feature otherCorrelation: correlates a few wrong channels, element by element, with all other
  // channels of the reference.
  void setOthers() {
    constexpr size_t most = 8, mostElements = 256;
    std::vector<size_t> wrong;
    for (size_t channel = 0; channel < members.size(); ++channel)
      if (std::ranges::any_of(members[channel],
                              [&](size_t i) { return stretch.reference[i] != stretch.target[i]; }))
        wrong.push_back(channel);
    const size_t count = std::min(most, wrong.size());
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
      const size_t channel = wrong[i * wrong.size() / count];
      double best = 0;
      for (size_t other = 0; other < members.size(); ++other)
        if (other != channel && members[other].size() == members[channel].size())
          best = std::max(best, std::fabs(correlationOf(other, channel, mostElements)));
      sum += best;
    }
    set(Feature::otherCorrelation, count > 0 ? sum / static_cast<double>(count) : 0);
  }
  // Correlation of one channel of the reference with another channel of the target, by a limited number of
  // elements.
  double correlationOf(size_t reference, size_t target, size_t most) const {
    const size_t size = members[reference].size(), count = std::min(size, most);
    Moments pairs;
    for (size_t i = 0; i < count; ++i) {
      const double r = static_cast<double>(stretch.reference[members[reference][i * size / count]]),
                   t = static_cast<double>(stretch.target[members[target][i * size / count]]);
      if (std::isfinite(r) && std::isfinite(t))
        pairs.add(r / largest, t / largest);
    }
    return pairs.correlation().value_or(0);
  }

  void setWraps() {
    const bool isWhole = in.type == DType::i8 || in.type == DType::u8;
    const double step = isWhole ? 1 : in.rule.eightBit ? 2 * in.rule.halfStep : 0;
    size_t count = 0;
    for (const size_t i : stretch.different) {
      const double steps =
          step > 0 ? std::fabs(static_cast<double>(stretch.target[i] - stretch.reference[i])) / step : 0;
      count += steps >= 16 && std::fmod(steps, 16) == 0;
    }
    set(Feature::wholeWraps, part(count, stretch.different.size()));
  }

  void setTargets() {
    std::unordered_map<float, size_t> counts;
    size_t most = 0, beforeInRow = 0, beforeInColumn = 0;
    const size_t line = in.place.heightAxis().stride, next = in.place.widthAxis().stride;
    const auto isSame = [&](size_t i, size_t back) {
      return i >= back && stretch.target[i - back] == stretch.target[i];
    };
    for (const size_t i : stretch.different) {
      const float target = stretch.target[i];
      if (!std::isnan(target))
        most = std::max(most, ++counts[target]);
      beforeInRow += isSame(i, next);
      beforeInColumn += isSame(i, line);
    }
    set(Feature::commonTarget, part(most, stretch.different.size()));
    set(Feature::repeatedTargets, part(std::max(beforeInRow, beforeInColumn), stretch.different.size()));
  }

  const Measured &in;
  const Stretch &stretch;
  Features &features;
  const double largest;
  size_t elements = 0, differing = 0;
  double squares = 0;
  GroupSums all;
  Groups channels;
  std::vector<Moments> lines; // pairs of reference and target values, by channel
  // indices of the channel's elements in the contiguous part that is held in memory, by channel
  std::vector<std::vector<size_t>> members;
};

} // namespace

void measureFits(const Measured &measured, Features &features) { Fitter(measured, features).measure(); }

} // namespace tilerig::verify
