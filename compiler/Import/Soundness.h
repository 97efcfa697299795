// What is wrong with a model before anything is computed from it.
#pragma once

#include "compiler/Import/OnnxFile.h"

#include <vector>

namespace tilerig {

// Names that are there twice or not at all, data that do not fit, types that cannot be, cycles: in the
// model's graph and in those inside its nodes.
Status checkSoundness(const OnnxFile &file);

// The nodes of a graph, each after those that it needs: the file's order where that will do. Refused where
// nodes need each other.
Result<std::vector<int>> executionOrder(const OnnxFile &file, const onnx::GraphProto &graph);

} // namespace tilerig
