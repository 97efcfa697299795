#include "verify/Evidence/MeasureParts.h"

#include "isa/Base/Support/Hash.h"
#include "verify/Evidence/Moments.h"
#include "verify/Evidence/TileCounts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>

namespace tilerig::verify {

namespace {

double quotient(double part, double whole) { return whole > 0 ? part / whole : 0; }

struct ChannelSums {
  size_t elements = 0, different = 0;
  double error = 0, squares = 0; // sum of the errors of a channel, and of their squares
  Moments pairs;
  uint64_t referenceHash = 0, targetHash = 0; // hashes of all elements of the channel, in order

  // Whether all errors of the channel are the same number, except for rounding.
  bool isOffset() const {
    return squares > 0 && error * error >= 0.98 * static_cast<double>(elements) * squares;
  }
};

struct Regions {
  std::vector<ChannelSums> channels;
  size_t border = 0, borderDifferent = 0, interior = 0, interiorDifferent = 0;
};

Regions sumRegions(const Measured &in, double largest) {
  Regions regions;
  regions.channels.resize(in.place.channels());
  PlaceWalk walk(in.place, in.stretch.begin);
  for (size_t i = 0; i < in.stretch.size(); ++i) {
    const Place::Of at = walk.next();
    const float reference = in.stretch.reference[i], target = in.stretch.target[i];
    const bool differs = !nonFiniteAgree(static_cast<double>(reference), static_cast<double>(target));
    (at.border <= 2 ? regions.border : regions.interior) += 1;
    (at.border <= 2 ? regions.borderDifferent : regions.interiorDifferent) += differs;
    ChannelSums &channel = regions.channels[at.channel];
    ++channel.elements;
    channel.different += differs;
    channel.referenceHash = combineHashes(channel.referenceHash, std::bit_cast<uint32_t>(reference + 0.0F));
    channel.targetHash = combineHashes(channel.targetHash, std::bit_cast<uint32_t>(target + 0.0F));
    const double r = static_cast<double>(reference) / largest, t = static_cast<double>(target) / largest;
    if (!std::isfinite(r) || !std::isfinite(t))
      continue;
    channel.error += t - r;
    channel.squares += (t - r) * (t - r);
    channel.pairs.add(r, t);
  }
  return regions;
}

class PartsMeasurer {
public:
  PartsMeasurer(const Measured &measured, const Circumstances &circumstances, Features &features)
      : in(measured), known(circumstances), features(features),
        largest(std::max(in.comparison.largestReference, in.comparison.largestTarget)) {}

  void measure() {
    set(Feature::biasKnown, known.bias.has_value());
    set(Feature::partsKnown, known.parts.has_value());
    if (in.stretch.different.empty() || !(largest > 0))
      return;
    const Regions regions = sumRegions(in, largest);
    set(Feature::borderWrong, quotient(double(regions.borderDifferent), double(regions.border)));
    set(Feature::interiorWrong, quotient(double(regions.interiorDifferent), double(regions.interior)));
    setRanges(regions.channels);
    setResemblance(regions.channels);
    if (known.bias)
      setBias(regions.channels, *known.bias);
    if (known.parts && in.stretch.isWhole())
      setTiles(*known.parts);
  }

private:
  void set(Feature feature, double value) {
    features[static_cast<size_t>(feature)] = static_cast<float>(value);
  }

  // Sets the features that say which channels are wrong: the first ones, the last ones, or whole blocks that
  // the POD (matrix engine) computes together.
  void setRanges(const std::vector<ChannelSums> &channels) {
    auto isWrong = [](const ChannelSums &channel) { return channel.different > 0; };
    const auto first = std::ranges::find_if(channels, isWrong);
    const auto last = std::find_if(channels.rbegin(), channels.rend(), isWrong).base();
    const bool isGapless = std::all_of(first, last, isWrong);
    set(Feature::channelsPrefix, isGapless && first == channels.begin() && last != channels.end());
    set(Feature::channelsSuffix, isGapless && first != channels.begin() && last == channels.end());
    constexpr size_t block = 16;
    size_t touched = 0, whole = 0;
    for (size_t begin = 0; channels.size() > block && begin < channels.size(); begin += block) {
      const auto from = channels.begin() + static_cast<ptrdiff_t>(begin),
                 to = channels.begin() + static_cast<ptrdiff_t>(std::min(begin + block, channels.size()));
      touched += std::any_of(from, to, isWrong);
      whole += std::all_of(from, to, isWrong);
    }
    set(Feature::channelBlocks, quotient(double(whole), double(touched)));
  }

  // Sets features that say what wrong channels resemble: their own reference, their reference plus an offset,
  // or another channel of the reference.
  void setResemblance(const std::vector<ChannelSums> &channels) {
    std::unordered_map<uint64_t, size_t> ofReference;
    for (size_t c = 0; c < channels.size(); ++c)
      ofReference.emplace(channels[c].referenceHash, c);
    size_t wrong = 0, offset = 0, others = 0;
    Moments correlations;
    for (const ChannelSums &channel : channels) {
      if (channel.different == 0)
        continue;
      ++wrong;
      offset += channel.elements > 1 && channel.isOffset();
      others += channel.elements > 1 && ofReference.contains(channel.targetHash);
      if (const auto correlation = channel.pairs.correlation())
        correlations.add(*correlation, 0);
    }
    set(Feature::offsetChannels, quotient(double(offset), double(wrong)));
    set(Feature::otherChannels, quotient(double(others), double(wrong)));
    if (correlations.n > 0) {
      const double mean = correlations.x / correlations.n;
      set(Feature::channelCorrelation, mean);
      set(Feature::channelCorrelationSpread,
          std::sqrt(std::max(correlations.xx / correlations.n - mean * mean, 0.0)));
    }
  }

  // Sets the feature biasCorrelation: correlates the mean errors of channels with their biases, which may be
  // in any unit.
  void setBias(const std::vector<ChannelSums> &channels, const std::vector<float> &bias) {
    if (bias.size() != channels.size())
      return;
    double most = 0;
    for (const float number : bias)
      most = std::max(most, std::fabs(static_cast<double>(number)));
    Moments sums;
    for (size_t c = 0; c < channels.size() && most > 0 && std::isfinite(most); ++c)
      sums.add(static_cast<double>(bias[c]) / most,
               quotient(channels[c].error, double(channels[c].elements)));
    set(Feature::biasCorrelation, sums.correlation().value_or(0));
  }

  void setTiles(const std::vector<TilePart> &parts) {
    std::vector<bool> differs(in.stretch.size());
    for (const size_t i : in.stretch.different)
      differs[i] = true;
    const std::map<uint32_t, TileCount> tiles = countByTile(in.shape, parts, differs);
    size_t wrongTiles = 0, wrongElements = 0, ofWrong = 0, most = 0;
    for (const auto &[id, tile] : tiles) {
      wrongTiles += tile.different > 0;
      wrongElements += tile.different;
      ofWrong += tile.different > 0 ? tile.elements : 0;
      most = std::max<size_t>(most, tile.different);
    }
    set(Feature::tilesDifferent, quotient(double(wrongTiles), double(tiles.size())));
    set(Feature::tilesFilled, quotient(double(wrongElements), double(ofWrong)));
    set(Feature::oneTile, quotient(double(most), double(wrongElements)));
  }

  const Measured &in;
  const Circumstances &known;
  Features &features;
  const double largest;
};

} // namespace

void measureParts(const Measured &measured, const Circumstances &circumstances, Features &features) {
  PartsMeasurer(measured, circumstances, features).measure();
}

} // namespace tilerig::verify
