// Determines from which tensors each tensor of a model is computed, counting only tensors between layers,
// whose names are given.
#pragma once

#include <map>
#include <onnx/onnx_pb.h>
#include <set>
#include <string>

namespace tilerig::verify {

using TensorSources = std::map<std::string, std::set<std::string>>;

// The sources of each named tensor: those other named tensors from which it is computed directly, that is, on
// a path of nodes without a further named tensor. What a subgraph of a node reads counts as read by the node.
TensorSources sourcesOf(const onnx::GraphProto &graph, const std::set<std::string> &names);

} // namespace tilerig::verify
