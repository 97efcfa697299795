// Mean and variance of each channel of a batch. All sums have a fixed order for any number of threads,
// because each channel is summed by a single thread.
#include "models/Calibration/Statistics.h"

namespace tilerig::models {

namespace {

struct Moments {
  double mean = 0, variance = 0;
};

// Calls f(element) for every element of a channel, one element of the batch after the other.
template <class F>
void forChannel(const Tensor &values, int64_t channel, F f) {
  int64_t images = values.shape()[0], channels = values.shape()[1];
  int64_t plane = static_cast<int64_t>(values.elementCount()) / (images * channels);
  auto elements = values.as<double>();
  for (int64_t image = 0; image < images; ++image)
    for (double element : elements.subspan((image * channels + channel) * plane, plane))
      f(element);
}

Moments momentsOf(const Tensor &values, int64_t channel, double count) {
  double sum = 0, squares = 0;
  forChannel(values, channel, [&](double value) { sum += value; });
  double mean = sum / count;
  forChannel(values, channel, [&](double value) { squares += (value - mean) * (value - mean); });
  return {mean, squares / count};
}

// Mean and variance over all channels, which have equal sizes: the variance is the mean variance within the
// channels plus the variance of the channels' means.
Moments together(std::span<const Moments> channels) {
  Moments all;
  for (const Moments &channel : channels)
    all.mean += channel.mean / static_cast<double>(channels.size());
  for (const Moments &channel : channels) {
    double away = channel.mean - all.mean;
    all.variance += (channel.variance + away * away) / static_cast<double>(channels.size());
  }
  return all;
}

} // namespace

ChannelStatistics statisticsOf(const Tensor &values, reference::Threads &threads) {
  int64_t channels = values.shape()[1];
  double count = static_cast<double>(values.elementCount()) / static_cast<double>(channels);
  std::vector<Moments> moments(channels);
  threads.forEach(channels, 1, [&](int64_t begin, int64_t end) {
    for (int64_t channel = begin; channel < end; ++channel)
      moments[channel] = momentsOf(values, channel, count);
  });
  Moments all = together(moments);
  constexpr double averagePositions = 16;
  ChannelStatistics statistics;
  for (const Moments &own : moments) {
    double share = count / (count + averagePositions);
    statistics.means.push_back(static_cast<float>(all.mean + share * (own.mean - all.mean)));
    statistics.variances.push_back(static_cast<float>(all.variance + share * (own.variance - all.variance)));
  }
  return statistics;
}

} // namespace tilerig::models
