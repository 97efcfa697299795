// Turns a graph description into a model with weights.
#pragma once

#include "classifier/Samples/Networks.h"
#include "models/Builder/GraphBuilder.h"

namespace tilerig::verify {

// Adds the weights to the graph `g` and returns it as a model with this name; `seed` determines the weights.
Result<DrawnNetwork> finishNetwork(models::GraphBuilder &&g, std::string name, uint64_t seed,
                                   reference::Threads &threads);

} // namespace tilerig::verify
