// Which layers of the network the layers of a strategy file are.
//
// A file that the compiler wrote has the compiler's numbers. A file of another tool numbers its own layers,
// often from the first convolution on, and fuses other nodes: its layers are found by the ONNX nodes that
// "first_onnx_op" and "last_onnx_op" name.
#pragma once

#include "compiler/Strategy/StrategyFile.h"
#include "compiler/Tiling/DeviceNetwork.h"

namespace tilerig {

// The nodes that a layer was made of, first and last; a layer that is the compiler's own has none.
std::pair<std::string, std::string> nodesOf(const NetworkLayer &layer);
// The kind of a layer as strategy files write it.
std::string opOf(const NetworkLayer &layer);

// The layers of the file that have hints, with the compiler's numbers. Layers of the file that are fused here
// give their hints to one layer. Refuses a layer that has no counterpart, or several, and numbers that
// contradict each other.
Result<StrategyFile> matchStrategy(const StrategyFile &file, const DeviceNetwork &network);

} // namespace tilerig
