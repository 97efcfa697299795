// Layers that need more memory than a tile has, however they are split: that is known only when the program is
// planned. The model is then compiled again with the ONNX nodes of such a layer on the host, or in the framework (the
// host's ONNX interpreter) if the host has no kernel.
#pragma once

#include "compiler/Pipelines/Pipelines.h"
#include "compiler/Tile/Ops/DeviceNetwork.h"

namespace tilerig::compiler {

class TooLargeLayers {
public:
  // To be called if no program can be generated. If that is because of a layer that is too large, takes note of it
  // and of all layers of the same kind and sizes, and returns true: the model is to be compiled again. If it returns
  // false, there is another reason, compiling again would not help, or the user excludes the framework or states
  // how much OCM (on-chip memory) may be used.
  bool add(const DeviceNetwork &network, const PipelineOptions &pipeline);

  // Names of the ONNX nodes, for ImportOptions::tooLarge.
  const std::vector<std::string> &nodes() const { return names; }
  // A warning for each layer that was found.
  const std::vector<std::string> &warnings() const { return texts; }
  // An error of a later attempt, with the warnings as a part of what is wrong.
  Error explained(Error error) const;

private:
  std::vector<std::string> names;
  std::vector<std::string> texts;
};

} // namespace tilerig::compiler
