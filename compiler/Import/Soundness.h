// Checks that an ONNX model is well-formed before it is imported.
#pragma once

#include "compiler/Import/OnnxFile.h"

#include <vector>

namespace tilerig::compiler {

// Finds duplicate or undefined names, data that do not fit their shape or type, invalid types, and cycles, in
// the model's graph and in all subgraphs.
Status checkSoundness(const OnnxFile &file);

// A topological order of the graph's nodes; the order of the file if it is one. Refuses cyclic graphs.
Result<std::vector<int>> executionOrder(const OnnxFile &file, const onnx::GraphProto &graph);

} // namespace tilerig::compiler
