// Matches the layers of a strategy file with the layers of the compiler's network.
//
// A file written by this compiler uses the compiler's layer numbers. A file of another tool has its own
// numbers, which often begin at the first convolution, and its own fusion of nodes. Layers of such a file are
// found by the ONNX nodes named in "first_onnx_op" and "last_onnx_op".
#pragma once

#include "compiler/Planning/Strategy/StrategyFile.h"
#include "compiler/Tile/Ops/DeviceNetwork.h"

namespace tilerig::compiler {

// Names of the first and last ONNX node of a layer; two empty strings for a layer that the compiler added
// itself.
std::pair<std::string, std::string> nodesOf(const NetworkLayer &layer);
// The kind of a layer in upper case, as in the field "op" of strategy files.
std::string opOf(const NetworkLayer &layer);

// The layers of the file that have hints, renumbered with the compiler's layer numbers. Layers of the file
// that this compiler fuses into one give their hints to that layer. Returns an error for a layer without a
// counterpart or with several, and for fused layers that request different tiles, parts or fusion blocks.
Result<StrategyFile> matchStrategy(const StrategyFile &file, const DeviceNetwork &network);

} // namespace tilerig::compiler
