// Runs single nodes while a network is calibrated. Values are doubles on a grid.
#pragma once

#include "isa/Tensor/Tensor.h"
#include "models/Calibration/Weights.h"
#include "reference/Run/Threads.h"

#include <map>

namespace tilerig::models {

// Activations are multiples of this while calibrating.
inline constexpr double activationGrid = 0x1p-10;
void roundToGrid(Tensor &values, reference::Threads &threads);

// What the nodes so far have made.
using Values = std::map<std::string, Tensor>;

// The output of a node, on the grid; its inputs are among the values and weights. Normalisations of a batch
// are not evaluated here.
Result<Tensor> evaluate(const onnx::NodeProto &node, int opset, const Values &values, const Weights &weights,
                        reference::Threads &threads);

} // namespace tilerig::models
