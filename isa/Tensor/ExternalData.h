// Tensor data that a model keeps in a file beside itself (ONNX's external_data).
#pragma once

#include "isa/Tensor/Tensor.h"

#include <optional>
#include <string>

namespace tilerig {

struct ExternalData {
  std::string location; // relative to the model's folder
  uint64_t offset = 0;
  std::optional<uint64_t> length; // when stated
};

// Maps the file and shows the tensor in it. A location outside `folder`, by its text or by a symbolic link,
// is refused: a model from elsewhere must not read what it likes.
Result<Tensor> loadExternalData(const ExternalData &external, DType type, const Shape &shape,
                                const std::string &folder);

} // namespace tilerig
