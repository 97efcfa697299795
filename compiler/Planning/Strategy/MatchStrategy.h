// Matches the layers of a strategy file with the layers of the compiler's network.
//
// A file written by this compiler uses the compiler's layer numbers. A file of another tool has its own
// numbers, which often begin at the first convolution, and its own fusion of nodes. Layers of such a file are
// found by the ONNX nodes named in "first_onnx_op" and "last_onnx_op".
#pragma once

#include "compiler/Planning/Strategy/StrategyFile.h"

namespace tilerig::compiler {

// A layer of the network, with the names by which strategy files refer to it.
struct StrategyTarget {
  std::string op; // name of the layer's kind in upper case
  std::string first = {},
              // names of the layer's first and last ONNX node; empty for a layer that the compiler added
      last = {};
  std::vector<std::string> onnxNodes = {};
};
StrategyTarget strategyTarget(const std::string &kind, std::vector<std::string> onnxNodes);

// The layers of the strategy file that have hints, renumbered with the compiler's layer numbers. If this
// compiler fuses several layers of the file into one, their hints are merged. Returns an error if a layer of
// the file matches no layer of the compiler or several, and if fused layers request different tiles, parts or
// fusion blocks.
Result<StrategyFile> matchStrategy(const StrategyFile &file, const std::vector<StrategyTarget> &layers);

} // namespace tilerig::compiler
