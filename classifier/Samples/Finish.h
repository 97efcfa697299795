// Turns a graph description into a model with weights.
#pragma once

#include "classifier/Samples/Networks.h"
#include "models/Builder/GraphBuilder.h"

namespace tilerig::verify {

// Completes the graph `g` to a model of this name; `seed` determines the weights.
Result<DrawnNetwork> finishNetwork(models::GraphBuilder &&g, std::string name, uint64_t seed,
                                   reference::Threads &threads);

} // namespace tilerig::verify
