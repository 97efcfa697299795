// Which tensors each tensor of a model is made from, counting only those that are looked at: the boundaries
// of layers, as far as anyone can see them.
#pragma once

#include <map>
#include <onnx/onnx_pb.h>
#include <set>
#include <string>

namespace tilerig::verify {

using TensorSources = std::map<std::string, std::set<std::string>>;

// For each of `names`, those of `names` from which a way leads to it that passes no other of them. Inner
// graphs read what their node reads.
TensorSources sourcesOf(const onnx::GraphProto &graph, const std::set<std::string> &names);

} // namespace tilerig::verify
