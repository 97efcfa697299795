// What every network of the zoo has to show.
#pragma once

#include "models/Zoo.h"
#include "reference/Run/Interpreter.h"

namespace tilerig::models {

// The model as the reference loads it from its bytes.
Result<reference::Model> reloaded(const onnx::ModelProto &model);
// Inputs drawn from a seed: pictures, or numbers that fit the tables they look up.
reference::NamedTensors inputsOf(const onnx::ModelProto &model, uint64_t seed);
// A plain standard deviation; needs at least one element.
double deviationOf(const Tensor &tensor);

// Makes the network and runs it on two seeds: outputs are of the declared shapes and finite, nothing vanishes
// or explodes on the way, and what goes in can be told from what comes out.
void checkNetwork(const CatalogueEntry &entry, const ZooOptions &options);

} // namespace tilerig::models
