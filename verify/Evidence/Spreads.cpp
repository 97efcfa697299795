#include "verify/Evidence/Spreads.h"

#include "verify/Evidence/Moments.h"
#include "verify/Evidence/Place.h"

#include <algorithm>
#include <cmath>

namespace tilerig::verify {

namespace {

constexpr size_t borderWidth = 3; // rows and columns that padding reaches into

double varianceOf(double n, double sum, double squares) {
  return n > 1 ? std::max(squares - sum * sum / n, 0.0) / n : 0;
}
// ln(target / reference) of the variances; nothing where a side does not vary.
std::optional<double> changeOf(const Moments &of) {
  const double reference = varianceOf(of.n, of.x, of.xx), target = varianceOf(of.n, of.y, of.yy);
  if (!(reference > 0) || !(target > 0))
    return {};
  return std::log(target / reference);
}

// The sum of the variances along a line of the image, channel by channel: a bias has no share in it.
class LineSpread {
public:
  explicit LineSpread(size_t channels) : ofChannel(channels) {}

  void add(size_t channel, double r, double t) { ofChannel[channel].add(r, t); }
  double change() const {
    double reference = 0, target = 0;
    for (const Moments &of : ofChannel) {
      reference += varianceOf(of.n, of.x, of.xx);
      target += varianceOf(of.n, of.y, of.yy);
    }
    return reference > 0 && target > 0 ? std::log(target / reference) : 0;
  }

private:
  std::vector<Moments> ofChannel;
};

double shareOfMarked(const std::vector<bool> &marks) {
  return static_cast<double>(std::ranges::count(marks, true)) / static_cast<double>(marks.size());
}

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
  std::vector<Moments> inside(place.channels());
  LineSpread top(place.channels()), bottom(place.channels()), left(place.channels()), right(place.channels());
  PlaceWalk walk(place);
  for (size_t i = 0; i < wrong.reference.size(); ++i) {
    const Place::Of at = walk.next();
    const double r = static_cast<double>(wrong.reference[i]), t = static_cast<double>(wrong.target[i]);
    if (!std::isfinite(r) || !std::isfinite(t))
      continue;
    if (at.border >= borderWidth)
      inside[at.channel].add(r, t);
    if (at.row == 0)
      top.add(at.channel, r, t);
    if (at.row + 1 == place.height())
      bottom.add(at.channel, r, t);
    if (at.column == 0)
      left.add(at.channel, r, t);
    if (at.column + 1 == place.width())
      right.add(at.channel, r, t);
  }
  std::vector<double> changes;
  for (const Moments &of : inside)
    if (const std::optional<double> change = changeOf(of))
      changes.push_back(std::fabs(*change));
  if (!changes.empty()) {
    const auto middle = changes.begin() + static_cast<ptrdiff_t>(changes.size() / 2);
    std::ranges::nth_element(changes, middle);
    spreads.change = *middle;
  }
  spreads.downwards = bottom.change() - top.change();
  spreads.rightwards = right.change() - left.change();
  return spreads;
}

double shareInWholeChannels(const WrongElements &wrong) {
  constexpr double wholeFrom = 0.4, rightUpTo = 0.01, leastRight = 0.1;
  const Place place(wrong.shape, wrong.reference.size(), {});
  if (wrong.elements.empty() || place.channelAxis().stride <= 1)
    return 0;
  std::vector<double> wrongIn(place.channels()), sizes(place.channels());
  for (const WrongElement &element : wrong.elements)
    ++wrongIn[place.of(element.index).channel];
  // Zeros on both sides, as a rectifier leaves them, show nothing.
  const double kept = static_cast<double>(wrong.elements.size()) / static_cast<double>(wrong.count);
  PlaceWalk walk(place);
  for (size_t i = 0; i < wrong.reference.size(); ++i)
    sizes[walk.next().channel] += wrong.reference[i] != 0 || wrong.target[i] != 0 ? kept : 0;
  double inWhole = 0, right = 0;
  for (size_t channel = 0; channel < sizes.size(); ++channel) {
    inWhole += wrongIn[channel] >= wholeFrom * sizes[channel] ? wrongIn[channel] : 0;
    right += wrongIn[channel] <= rightUpTo * sizes[channel];
  }
  return right >= leastRight * static_cast<double>(wrongIn.size())
             ? inWhole / static_cast<double>(wrong.elements.size())
             : 0;
}

} // namespace tilerig::verify
