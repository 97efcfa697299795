// Mean and variance of the channels of a batch.
#pragma once

#include "isa/Tensor/Tensor.h"
#include "reference/Run/Threads.h"

namespace tilerig::models {

struct ChannelStatistics {
  std::vector<float> means, variances;
};

// Of [images, channels, ...]. A channel seen at few positions says little of itself: its numbers are drawn
// towards those of all channels together, as if it had been seen at 16 more positions of the average channel.
ChannelStatistics statisticsOf(const Tensor &values, reference::Threads &threads);

} // namespace tilerig::models
