// Weights, biases, scales and tables of a network, in the form in which the device stores them.
#pragma once

#include "compiler/Tile/Ops/DeviceNetwork.h"
#include "isa/Base/Tensor/TensorMap.h"

namespace tilerig::compiler {

// All constants that instructions read. Each has a name of the form "LAYER.NAME.WHAT": the layer's number,
// counted from 1; the layer's name; and one of the words weights, operandN, bias, scale or table. Quantised
// elements are integers, as the device stores them, and a table consists of the bytes of its results.
Result<TensorMap> deviceWeights(const DeviceNetwork &network);

} // namespace tilerig::compiler
