// Weights, biases, scales and tables of a network, in the form in which the device stores them.
#pragma once

#include "compiler/Tile/Ops/DeviceNetwork.h"
#include "isa/Base/Tensor/TensorMap.h"

namespace tilerig::compiler {

// All constants that instructions read, under the names "LAYER.NAME.WHAT": the layer's number, counted from
// 1, its name, and one of weights, operandN, bias, scale or table. Elements have their stored type: quantised
// ones are integers, and a table consists of the bytes of its results.
Result<TensorMap> deviceWeights(const DeviceNetwork &network);

} // namespace tilerig::compiler
