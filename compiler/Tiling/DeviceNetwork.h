// Works in an order in which they may run, and the tensors between them.
#pragma once

#include "compiler/Tiling/Work.h"
#include "isa/Program/Metadata.pb.h"

#include <map>
#include <variant>

namespace tilerig {

// What a kernel of the host does, between tensors in DDR.
struct HostStep {
  std::string kernel;
  std::vector<std::optional<TensorIndex>> inputs = {};
  std::vector<TensorIndex> outputs = {};
  std::map<std::string, proto::Attribute> attributes = {};
  uint32_t layer = 0;
};

using NetworkStep = std::variant<Work, HostStep>;

// A layer as reports and metadata name it.
struct NetworkLayer {
  std::string name, kind;
  std::vector<std::string> onnxNodes = {}, onnxOps = {};
  bool onHost = false;
  uint64_t hostNanoseconds = 0; // of the host's
  uint64_t macs = 0;
  std::map<std::string, std::string> decisions = {};
};

struct DeviceNetwork {
  std::string name;
  std::vector<DeviceTensor> tensors;
  std::vector<NetworkStep> steps;
  std::vector<TensorIndex> inputs, outputs;
  std::vector<NetworkLayer> layers;
};

} // namespace tilerig
