// Weights, biases, scales and tables as the device has them.
#pragma once

#include "compiler/Tiling/DeviceNetwork.h"
#include "isa/Tensor/TensorMap.h"

namespace tilerig {

// Each constant that an instruction reads, by "LAYER.NAME.WHAT": the layer's number from 1 and its name, and
// weights, operandN, bias, scale or table. Elements are as they are stored: quantised ones are integers, and
// a table is the bytes that it gives.
Result<TensorMap> deviceWeights(const DeviceNetwork &network);

} // namespace tilerig
