// Checks that every network of the zoo must pass.
#pragma once

#include "models/Zoo.h"
#include "reference/Run/Interpreter.h"

namespace tilerig::models {

// Serialises the ONNX model and loads it with the reference interpreter.
Result<reference::Model> reloaded(const onnx::ModelProto &model);
// Random inputs from a seed: images, or integers that are valid indices of the tables they look up.
reference::NamedTensors inputsOf(const onnx::ModelProto &model, uint64_t seed);
// The standard deviation of the tensor's elements; there must be at least one element.
double deviationOf(const Tensor &tensor);

// Builds the network and runs it on two seeds. Outputs must have the declared shapes and be finite, values
// must neither vanish nor explode on the way, and different inputs must give different outputs.
void checkNetwork(const CatalogueEntry &entry, const ZooOptions &options);

} // namespace tilerig::models
