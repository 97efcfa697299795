// What a model is run on: tensors from files, or made from a seed.
#pragma once

#include "reference/Run/Interpreter.h"

#include <string>
#include <vector>

namespace tilerig::reference {

// From files in any form that readTensors() takes. Tensors of .npz are matched by name. A lone .npy or .pb
// whose name is none of the inputs goes to the first input that has none yet, and so do the files input_0.pb,
// input_1.pb, ... of a folder in ONNX's form of test data; its outputs are left alone.
Result<NamedTensors> readInputs(const Model &model, const std::vector<std::string> &paths);

// What makeInputs() draws from, in words.
extern const char *const inputDistribution;

// All inputs, drawn from a seed: the same for the same seed, name, type and shape, wherever and whenever.
// `shapes`, such as "x=1x3x224x224", settle what the model leaves open.
Result<NamedTensors> makeInputs(const Model &model, const std::vector<std::string> &shapes, uint64_t seed);

} // namespace tilerig::reference
