// Draws the weights of a described network.
#pragma once

#include "models/Builder/Network.h"
#include "reference/Run/Threads.h"

namespace tilerig::models {

// Weights are multiples of this: what makes the sums of the calibration exact (Calibration/Calibrate.h).
inline constexpr double weightGrid = 0x1p-28;

// Adds an initialiser for every recipe. Each weight's numbers come from a stream of its own, by seed and
// name.
void fillWeights(Network &network, uint64_t seed, reference::Threads &threads);

} // namespace tilerig::models
