// The framework: an interpreter of ONNX in the host's process. It runs the parts of a model for which neither
// the accelerator has layers nor the host has kernels. The emulator contains no such interpreter: the caller
// provides it.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <string>
#include <vector>

namespace tilerig::emulator {

// Interface of the framework, an interpreter that runs parts of a model in the host's process. The caller of
// the emulator implements it.
class Framework {
public:
  virtual ~Framework() = default;
  // Returns the outputs of an ONNX model, given in protobuf's text form, for these inputs, in order. An absent
  // optional input is null.
  virtual Result<std::vector<Tensor>> run(const std::string &model,
                                          const std::vector<const Tensor *> &inputs) = 0;
};

} // namespace tilerig::emulator
