#include "verify/Evidence/Lags.h"

#include <algorithm>
#include <cmath>

namespace tilerig::verify {

namespace {

constexpr size_t rowsOfProfile = evidenceSide / numLagAxes / 2;

struct PairSums {
  double n = 0, r = 0, t = 0, rr = 0, tt = 0, rt = 0;

  void add(double reference, double target) {
    n += 1, r += reference, t += target;
    rr += reference * reference, tt += target * target, rt += reference * target;
  }
  double correlation() const {
    const double ofReference = n * rr - r * r, ofTarget = n * tt - t * t;
    // Two nearly equal sums are subtracted. If their relative difference is below this limit, it is only
    // rounding error.
    constexpr double tiny = 0x1p-40;
    if (ofReference <= tiny * n * rr || ofTarget <= tiny * n * tt)
      return 0;
    return std::clamp((n * rt - r * t) / std::sqrt(ofReference) / std::sqrt(ofTarget), 0.0, 1.0);
  }
};

std::vector<size_t> pickDifferent(const Stretch &stretch) {
  const size_t step = (stretch.different.size() + mostLagElements - 1) / mostLagElements;
  std::vector<size_t> picked;
  for (size_t i = 0; i < stretch.different.size(); i += step)
    picked.push_back(stretch.different[i]);
  return picked;
}

// Tests all lags along one axis at some elements. A lag is the distance from an element to the reference that
// it may equal. The order of elements in memory counts as an axis, too.
LagProfile profileAlong(Place::Axis axis, const Stretch &stretch, const std::vector<size_t> &picked) {
  LagProfile profile;
  if (axis.size < 2)
    return profile;
  std::vector<int64_t> positions;
  for (const size_t element : picked)
    positions.push_back(static_cast<int64_t>((stretch.begin + element) / axis.stride % axis.size));
  for (int64_t lag = -mostLag; lag <= mostLag; ++lag) {
    PairSums sums;
    size_t equal = 0;
    for (size_t k = 0; k < picked.size(); ++k) {
      const int64_t position = positions[k] + lag;
      const int64_t other = static_cast<int64_t>(picked[k]) + lag * static_cast<int64_t>(axis.stride);
      if (position < 0 || position >= static_cast<int64_t>(axis.size) || other < 0 ||
          other >= static_cast<int64_t>(stretch.size()))
        continue;
      const float r = stretch.reference[static_cast<size_t>(other)], t = stretch.target[picked[k]];
      equal += r == t;
      if (std::isfinite(r) && std::isfinite(t))
        sums.add(static_cast<double>(r), static_cast<double>(t));
    }
    const auto at = static_cast<size_t>(lag + mostLag);
    profile.equal[at] = static_cast<double>(equal) / static_cast<double>(picked.size());
    profile.correlation[at] = sums.correlation();
  }
  return profile;
}

} // namespace

Lags findLags(const Stretch &stretch, const Place &place) {
  if (stretch.different.empty())
    return {};
  const std::vector<size_t> picked = pickDifferent(stretch);
  return {profileAlong(place.widthAxis(), stretch, picked), profileAlong(place.heightAxis(), stretch, picked),
          profileAlong(place.channelAxis(), stretch, picked),
          profileAlong({stretch.elements, 1}, stretch, picked)};
}

void drawLags(const Lags &lags, std::span<float> out) {
  std::ranges::fill(out, 0.0F);
  for (size_t axis = 0; axis < numLagAxes; ++axis)
    for (size_t row = 0; row < 2 * rowsOfProfile; ++row) {
      const auto &numbers = row < rowsOfProfile ? lags[axis].equal : lags[axis].correlation;
      for (size_t lag = 0; lag < numLags; ++lag)
        out[(axis * 2 * rowsOfProfile + row) * evidenceSide + lag] = static_cast<float>(numbers[lag]);
    }
}

} // namespace tilerig::verify
