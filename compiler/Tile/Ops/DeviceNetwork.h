// The network from which the code generator starts: device operations and host operators in topological
// order, and the tensors between them.
#pragma once

#include "compiler/Tile/Ops/DeviceOp.h"
#include "isa/Program/Metadata.pb.h"

#include <map>
#include <variant>

namespace tilerig::compiler {

// One operator that a kernel of the host computes; its inputs and outputs are tensors in DDR.
struct HostStep {
  std::string kernel;
  std::vector<std::optional<TensorIndex>> inputs = {};
  std::vector<TensorIndex> outputs = {};
  std::map<std::string, proto::Attribute> attributes = {};
  uint32_t layer = 0;
};

using NetworkStep = std::variant<DeviceOp, HostStep>;

// A layer, described for reports and for the program's metadata.
struct NetworkLayer {
  std::string name, kind;
  std::vector<std::string> onnxNodes = {}, onnxOps = {};
  bool onHost = false;
  // Whether the layer runs on the host in the framework (the host's interpreter of ONNX), not in a kernel.
  bool inFramework = false;
  uint64_t hostNanoseconds = 0; // estimated time that the layer takes on the host
  uint64_t macs = 0;
  std::map<std::string, std::string> decisions = {};
};

// Where the layer runs, as a word: "accelerator", "host" or "framework".
inline const char *tierOf(const NetworkLayer &layer) {
  return layer.inFramework ? "framework" : layer.onHost ? "host" : "accelerator";
}

struct DeviceNetwork {
  std::string name;
  std::vector<DeviceTensor> tensors;
  std::vector<NetworkStep> steps;
  std::vector<TensorIndex> inputs, outputs;
  std::vector<NetworkLayer> layers;
};

} // namespace tilerig::compiler
