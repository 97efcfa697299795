// Evaluates single ONNX nodes during calibration, on doubles that are rounded to a grid.
#pragma once

#include "isa/Base/Tensor/Tensor.h"
#include "models/Calibration/Weights.h"
#include "reference/Run/Threads.h"

#include <map>

namespace tilerig::models {

// The grid of activations: during calibration they are rounded to multiples of this number.
inline constexpr double activationGrid = 0x1p-10;
void roundToGrid(Tensor &values, reference::Threads &threads);

// The outputs of the nodes evaluated so far, by name.
using Values = std::map<std::string, Tensor>;

// The output of a node, rounded to the grid. Its inputs must be in `values` or `weights`. Batch
// normalisations are not handled here.
Result<Tensor> evaluate(const onnx::NodeProto &node, int opset, const Values &values, const Weights &weights,
                        reference::Threads &threads);

} // namespace tilerig::models
