#include "verify/Evidence/ByValues/Hypotheses.h"

#include <algorithm>

namespace tilerig::verify {

namespace {

// The channel that the values of a wrong channel come from, and an offset that is added to them.
struct Partner {
  size_t channel = 0;
  float offset = 0;
};

// The reference value of another channel at the position of wrong element i.
float valueIn(const ValueHypotheses &hypotheses, size_t i, size_t channel) {
  return hypotheses.wrong.reference[hypotheses.element(i).index + (channel - hypotheses.channelOf(i)) *
                                                                      hypotheses.place.channelAxis().stride];
}

Fit fitOfPartner(const ValueHypotheses &hypotheses, size_t i, const Partner &partner) {
  const WrongElement &element = hypotheses.element(i);
  const float value = valueIn(hypotheses, i, partner.channel);
  if (!hypotheses.ends.isAt(value) && !hypotheses.ends.isAt(element.target))
    return hypotheses.wrong.fitOf(element, value + partner.offset);
  // If channels were swapped but their biases were not, the values differ by a constant offset. If a Relu
  // clamps one of the two values, they differ by less than the offset.
  const float rest = element.target - value;
  return nearIf(rest * partner.offset >= 0 && std::fabs(rest) <= 1.25F * std::fabs(partner.offset));
}

// The first other channel that explains nearly all of a sample of the wrong elements of a channel.
std::optional<Partner> partnerOf(const ValueHypotheses &hypotheses, size_t channel,
                                 const std::vector<size_t> &ofChannel) {
  constexpr size_t mostOfChannel = 24, fewestOfChannel = 8;
  const size_t used = std::min(mostOfChannel, ofChannel.size());
  const auto sampled = [&](size_t i) { return ofChannel[i * ofChannel.size() / used]; };
  for (size_t other = 0; used >= fewestOfChannel && other < hypotheses.place.channels(); ++other) {
    std::vector<float> offsets;
    for (size_t i = 0; i < used && other != channel; ++i)
      if (const float value = valueIn(hypotheses, sampled(i), other); !hypotheses.ends.isAt(value))
        offsets.push_back(hypotheses.element(sampled(i)).target - value);
    if (offsets.size() < fewestOfChannel)
      continue;
    const Partner partner{other, medianOf(std::move(offsets))};
    size_t hits = 0;
    for (size_t i = 0; i < used; ++i)
      hits += fitOfPartner(hypotheses, sampled(i), partner) != Fit::none;
    if (10 * hits >= 9 * used)
      return partner;
  }
  return {};
}

} // namespace

void explainOtherChannels(ValueHypotheses &hypotheses) {
  const Place::Axis axis = hypotheses.place.channelAxis();
  if (axis.stride <= 1 || axis.size < 2)
    return;
  std::map<size_t, std::vector<size_t>> byChannel;
  for (size_t i = 0; i < hypotheses.count(); ++i)
    if (const WrongElement &element = hypotheses.element(i);
        ValueHypotheses::isFinite(element) && !hypotheses.ends.isAt(element.target))
      byChannel[hypotheses.channelOf(i)].push_back(i);
  std::map<size_t, Partner> partners;
  for (const auto &[channel, ofChannel] : byChannel)
    if (const std::optional<Partner> partner = partnerOf(hypotheses, channel, ofChannel))
      partners[channel] = *partner;
  hypotheses.add(Feature::otherChannels, [&](size_t i) {
    const auto partner = partners.find(hypotheses.channelOf(i));
    return partner != partners.end() ? fitOfPartner(hypotheses, i, partner->second) : Fit::none;
  });
}

} // namespace tilerig::verify
