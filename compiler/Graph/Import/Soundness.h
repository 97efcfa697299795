// Checks that an ONNX model is well-formed before it is imported.
#pragma once

#include "compiler/Graph/Import/OnnxFile.h"

#include <vector>

namespace tilerig::compiler {

// Finds duplicate or undefined names, data that do not fit their shape or type, invalid types, and cycles, in
// the model's graph and in all subgraphs.
Status checkSoundness(const OnnxFile &file);

// Indices of the graph's nodes in a topological order; the order of the file if that is topological. Refuses
// cyclic graphs.
Result<std::vector<int>> executionOrder(const OnnxFile &file, const onnx::GraphProto &graph);

} // namespace tilerig::compiler
