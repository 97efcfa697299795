// Sets the mean and variance of every normalisation to what they are when pictures run through the network.
//
// The numbers must be the same on every processor and for any number of threads, and yet come from the fast
// products of the reference, which sum in an order of their own. So everything is made such that no order can
// matter: weights are multiples of 2^-28, and while calibrating activations are doubles rounded to multiples
// of 2^-10 after every node; then a sum of products is exact in a double as long as it stays below 2^15, and
// an exact sum has no order. The bound is checked for every product. What is not a sum (means, deviations,
// roots) is computed here, in one order, by operations that IEEE 754 defines to the bit.
#pragma once

#include "models/Builder/Network.h"
#include "reference/Run/Threads.h"

namespace tilerig::models {

// The network's weights must be filled. A network without normalisations is left as it is.
Status calibrate(Network &network, uint64_t seed, reference::Threads &threads);

} // namespace tilerig::models
