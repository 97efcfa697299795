// Evaluates single ONNX nodes during calibration, on doubles that are rounded to multiples of 2^-10.
#pragma once

#include "isa/Base/Tensor/Tensor.h"
#include "models/Calibration/Weights.h"
#include "reference/Run/Threads.h"

#include <map>

namespace tilerig::models {

// During calibration, activations are rounded to multiples of this number.
inline constexpr double activationGrid = 0x1p-10;
void roundToGrid(Tensor &values, reference::Threads &threads);

// The outputs of the nodes that calibration has evaluated so far, by name.
using Values = std::map<std::string, Tensor>;

// Computes the output of a node, rounded to multiples of activationGrid. The node's inputs must be in
// `values` or `weights`. The node must not be a batch normalisation.
Result<Tensor> evaluate(const onnx::NodeProto &node, int opset, const Values &values, const Weights &weights,
                        reference::Threads &threads);

} // namespace tilerig::models
