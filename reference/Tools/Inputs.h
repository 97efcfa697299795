// Inputs of a model: read from files, or generated from a seed.
#pragma once

#include "reference/Run/Interpreter.h"

#include <string>
#include <vector>

namespace tilerig::reference {

// Reads files of any form that readTensors() supports. Tensors of .npz files are matched to inputs by name. A
// single .npy or .pb file whose name matches no input goes to the first input that has no value yet. Of a
// folder in the form of ONNX's test data, the files input_0.pb, input_1.pb, ... are read in the same way, and
// the outputs are ignored.
Result<NamedTensors> readInputs(const Model &model, const std::vector<std::string> &paths);

// Generates all inputs from a seed, as isa/Base/Tensor/SeededTensor.h says.
// `shapes`, such as "x=1x3x224x224", set the dimensions that the model leaves open.
Result<NamedTensors> makeInputs(const Model &model, const std::vector<std::string> &shapes, uint64_t seed);

} // namespace tilerig::reference
