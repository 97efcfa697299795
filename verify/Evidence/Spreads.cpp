#include "verify/Evidence/Spreads.h"

#include "verify/Evidence/Moments.h"
#include "verify/Evidence/Place.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tilerig::verify {

namespace {

// Number of rows and columns at each border of the image whose values may depend on padding.
constexpr size_t borderWidth = 3;

double varianceOf(double n, double sum, double squares) {
  const double spread = n > 1 ? squares - sum * sum / n : 0;
  return isSpread(spread, squares) ? spread / n : 0;
}

// The variance of each channel over a part of the image, in the reference and in the target.
class PartSpread {
public:
  struct Variances {
    double reference = 0, target = 0;
  };

  explicit PartSpread(size_t channels) : ofChannel(channels) {}

  void add(size_t channel, double r, double t) { ofChannel[channel].add(r, t); }
  // ln(variance of target / variance of reference) of a channel; empty if one of the two does not vary.
  std::optional<double> change(size_t channel) const {
    const auto [reference, target] = of(channel);
    return reference > 0 && target > 0 ? std::optional(std::log(target / reference)) : std::nullopt;
  }
  Variances of(size_t channel) const {
    const Moments &moments = ofChannel[channel];
    return {varianceOf(moments.n, moments.x, moments.xx), varianceOf(moments.n, moments.y, moments.yy)};
  }
  Variances sum() const {
    Variances sum;
    for (size_t channel = 0; channel < ofChannel.size(); ++channel)
      sum.reference += of(channel).reference, sum.target += of(channel).target;
    return sum;
  }
  size_t channels() const { return ofChannel.size(); }

private:
  std::vector<Moments> ofChannel;
};

// How much larger ln(variance of target / variance of reference) is in one part of the image (`last`) than in
// another (`first`). The variances are summed over channels. The standard error is propagated to first order.
Estimate differenceOfChanges(const PartSpread &last, const PartSpread &first) {
  const auto [r1, t1] = first.sum();
  const auto [r2, t2] = last.sum();
  if (!(r1 > 0 && t1 > 0 && r2 > 0 && t2 > 0))
    return {};
  double squares = 0;
  for (size_t channel = 0; channel < first.channels(); ++channel) {
    const auto [ofR1, ofT1] = first.of(channel);
    const auto [ofR2, ofT2] = last.of(channel);
    const double moved = ofT2 / t2 - ofR2 / r2 - ofT1 / t1 + ofR1 / r1;
    squares += moved * moved;
  }
  return {std::log(t2 / r2) - std::log(t1 / r1), std::sqrt(squares)};
}

double agreementOf(const PartSpread &upper, const PartSpread &lower) {
  constexpr double fewestChannels = 16;
  Moments pairs;
  for (size_t channel = 0; channel < upper.channels(); ++channel)
    if (const std::optional<double> u = upper.change(channel), l = lower.change(channel); u && l)
      pairs.add(*u, *l);
  return pairs.n < fewestChannels ? 0 : pairs.correlation().value_or(0);
}

double medianChange(const PartSpread &part) {
  std::vector<double> changes;
  for (size_t channel = 0; channel < part.channels(); ++channel)
    if (const std::optional<double> change = part.change(channel))
      changes.push_back(std::fabs(*change));
  if (changes.empty())
    return 0;
  const auto middle = changes.begin() + static_cast<ptrdiff_t>(changes.size() / 2);
  std::ranges::nth_element(changes, middle);
  return *middle;
}

double shareOfMarked(const std::vector<bool> &marks) {
  return static_cast<double>(std::ranges::count(marks, true)) / static_cast<double>(marks.size());
}

// Statistics of the errors of a channel. Elements whose reference and target are zero, as after a rectifier,
// are not counted.
struct ChannelErrors {
  // number of the channel's elements among the wrong elements that are held in memory (WrongElements.h)
  double wrong = 0;
  double size = 0, errorSquares = 0;
  Moments references;

  void add(float reference, float target) {
    const auto r = static_cast<double>(reference), t = static_cast<double>(target);
    size += r != 0 || t != 0;
    errorSquares += (t - r) * (t - r);
    references.add(r, 0);
  }
  // Whether all values of a channel were replaced by unrelated ones: all are wrong, and their errors are
  // about as large as the variation of the values. Only a share of the tensor's wrong elements, `kept`, is
  // held in memory.
  bool isReplaced(double kept) const {
    constexpr double least = 0.4, leastEnergy = 0.25;
    const double variance = varianceOf(references.n, references.x, references.xx);
    return wrong >= least * kept * size && errorSquares >= leastEnergy * references.n * variance;
  }
  bool isRight(double kept) const {
    constexpr double most = 0.01;
    return wrong <= most * kept * size;
  }
};

void setWrongShares(const WrongElements &wrong, const Place &place, Spreads &spreads) {
  std::vector<bool> channels(place.channels()), rows(place.height()), columns(place.width());
  for (const WrongElement &element : wrong.elements) {
    const Place::Of at = place.of(element.index);
    channels[at.channel] = rows[at.row] = columns[at.column] = true;
  }
  spreads.wrongChannels = shareOfMarked(channels);
  spreads.wrongRows = shareOfMarked(rows);
  spreads.wrongColumns = shareOfMarked(columns);
}

} // namespace

Spreads spreadsOf(const WrongElements &wrong) {
  Spreads spreads;
  if (wrong.shape.size() < 4 || wrong.elements.empty())
    return spreads;
  const Place place(wrong.shape, wrong.reference.size(), {});
  setWrongShares(wrong, place, spreads);
  const size_t channels = place.channels();
  PartSpread inside(channels), upper(channels), lower(channels);
  PartSpread top(channels), bottom(channels), left(channels), right(channels);
  PlaceWalk walk(place);
  for (size_t i = 0; i < wrong.reference.size(); ++i) {
    const Place::Of at = walk.next();
    const auto r = static_cast<double>(wrong.reference[i]), t = static_cast<double>(wrong.target[i]);
    if (!std::isfinite(r) || !std::isfinite(t))
      continue;
    const auto addIf = [&](bool isIn, PartSpread &part) {
      if (isIn)
        part.add(at.channel, r, t);
    };
    const bool isInside = at.border >= borderWidth, isUpper = 2 * at.row < place.height();
    addIf(isInside, inside);
    addIf(isInside && isUpper, upper);
    addIf(isInside && !isUpper, lower);
    addIf(at.row == 0, top);
    addIf(at.row + 1 == place.height(), bottom);
    addIf(at.column == 0, left);
    addIf(at.column + 1 == place.width(), right);
  }
  spreads.change = medianChange(inside);
  spreads.agreement = agreementOf(upper, lower);
  spreads.downwards = differenceOfChanges(bottom, top);
  spreads.rightwards = differenceOfChanges(right, left);
  return spreads;
}

double shareInReplacedChannels(const WrongElements &wrong) {
  constexpr double leastRight = 0.1;
  const Place place(wrong.shape, wrong.reference.size(), {});
  if (wrong.elements.empty() || place.channelAxis().stride <= 1)
    return 0;
  std::vector<ChannelErrors> channels(place.channels());
  for (const WrongElement &element : wrong.elements)
    ++channels[place.of(element.index).channel].wrong;
  PlaceWalk walk(place);
  for (size_t i = 0; i < wrong.reference.size(); ++i)
    channels[walk.next().channel].add(wrong.reference[i], wrong.target[i]);
  const double kept = static_cast<double>(wrong.elements.size()) / static_cast<double>(wrong.count);
  double inReplaced = 0, right = 0;
  for (const ChannelErrors &channel : channels) {
    inReplaced += channel.isReplaced(kept) ? channel.wrong : 0;
    right += channel.isRight(kept);
  }
  return right >= leastRight * static_cast<double>(channels.size())
             ? inReplaced / static_cast<double>(wrong.elements.size())
             : 0;
}

} // namespace tilerig::verify
