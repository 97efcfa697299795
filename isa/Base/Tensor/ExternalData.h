// Loads tensor data that an ONNX model stores in a separate file (external_data).
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <optional>
#include <string>

namespace tilerig {

struct ExternalData {
  std::string location; // path of the data file, relative to the model's folder
  uint64_t offset = 0;
  std::optional<uint64_t> length; // length of the data in bytes, if the model states it
};

// Maps the file of external data and returns a view of the tensor in it. Refuses a path that leads out of
// `folder`, by its text or through a symbolic link: an untrusted model must not read arbitrary files.
Result<Tensor> loadExternalData(const ExternalData &external, DType type, const Shape &shape,
                                const std::string &folder);

} // namespace tilerig
