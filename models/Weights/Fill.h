// Draws the random weights of a network description.
#pragma once

#include "models/Builder/Network.h"
#include "reference/Run/Threads.h"

namespace tilerig::models {

// All weights are multiples of this number, which makes the sums of the calibration exact
// (Calibration/Calibrate.h).
inline constexpr double weightGrid = 0x1p-28;

// Adds an initialiser for every recipe of the network. Each weight has its own random stream, given by the
// seed and the weight's name.
void fillWeights(Network &network, uint64_t seed, reference::Threads &threads);

} // namespace tilerig::models
