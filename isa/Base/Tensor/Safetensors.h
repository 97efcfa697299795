// Reads .safetensors files, in which PyTorch users save tensors: the length of a header, the header in JSON with the type, the shape and the
// place of each tensor, and the bytes of all of them (https://github.com/huggingface/safetensors).
#pragma once

#include "isa/Base/Tensor/TensorFilter.h"
#include "isa/Base/Tensor/TensorMap.h"

#include <memory>
#include <span>

namespace tilerig {

// Parses a file in memory that `owner` keeps alive. Without an owner the tensors are copied.
Result<TensorMap> parseSafetensors(std::span<const std::byte> file, std::shared_ptr<const void> owner,
                                   const std::string &place, const TensorFilter &filter = {});

} // namespace tilerig
