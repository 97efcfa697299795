// Determines from which tensors each tensor of a model is computed, counting only the tensors whose names are
// given (those between layers).
#pragma once

#include <map>
#include <onnx/onnx_pb.h>
#include <set>
#include <string>

namespace tilerig::verify {

using TensorSources = std::map<std::string, std::set<std::string>>;

// For each tensor of `names`, its sources: those tensors of `names` from which a path of nodes leads to it
// without passing another tensor of `names`. What a subgraph of a node reads counts as read by that node.
TensorSources sourcesOf(const onnx::GraphProto &graph, const std::set<std::string> &names);

} // namespace tilerig::verify
