// Calibration of batch normalisations: sets the mean and variance of each normalisation to the statistics of
// its input when synthetic pictures run through the network.
//
// The statistics must be the same on every processor and for any number of threads, although the reference's
// fast matrix products do not fix their order of summation. All sums are therefore exact, so that their order
// does not matter. Weights are multiples of 2^-28. During calibration, activations are doubles, rounded to
// multiples of 2^-10 after every node. A sum of products is then exact in a double as long as it stays below
// 2^15; this bound is checked for every product. Computations that are not sums of products (means,
// deviations, roots) are done in a fixed order, with operations that IEEE 754 defines to the bit.
#pragma once

#include "models/Builder/Network.h"
#include "reference/Run/Threads.h"

namespace tilerig::models {

// Calibrates a network whose weights are filled. A network without normalisations is left unchanged.
Status calibrate(Network &network, uint64_t seed, reference::Threads &threads);

} // namespace tilerig::models
