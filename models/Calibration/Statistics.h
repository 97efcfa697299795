// Mean and variance of each channel of a batch.
#pragma once

#include "isa/Base/Tensor/Tensor.h"
#include "reference/Run/Threads.h"

namespace tilerig::models {

struct ChannelStatistics {
  std::vector<float> means, variances;
};

// Statistics of values of shape [images, channels, ...]. A channel with few positions gives poor estimates,
// so its mean and variance are moved towards the average over all channels, as if the channel had 16 more
// positions with average statistics.
ChannelStatistics statisticsOf(const Tensor &values, reference::Threads &threads);

} // namespace tilerig::models
