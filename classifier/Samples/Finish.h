// Turns a graph description into a model with weights.
#pragma once

#include "classifier/Samples/Networks.h"
#include "models/Builder/GraphBuilder.h"

namespace tilerig::verify {

// Adds random weights to a graph and returns it as a model. The weights are determined by the seed.
Result<DrawnNetwork> finishNetwork(models::GraphBuilder &&g, std::string name, uint64_t seed,
                                   reference::Threads &threads);

} // namespace tilerig::verify
