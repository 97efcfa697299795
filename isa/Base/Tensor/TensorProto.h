// Reads and writes ONNX TensorProto messages: the .pb files of test data, and the initialisers inside a
// model.
//
// Elements are read from raw_data, from the typed lists (packed or not; small integers and 16-bit floats in
// int32_data), and from external files, which must lie in the folder of the message. They are written as
// raw_data. Integers of 4 bits are read as bytes (FourBits.h), floats
// of 8 bits as float32 (FloatEight.h).
#pragma once

#include "isa/Base/Tensor/TensorMap.h"

#include <memory>
#include <span>
#include <string>

namespace tilerig {

Result<NamedTensor> readTensorProto(const std::string &path);
// Parses a message in memory that `owner` keeps alive; without an owner the data are copied. External data
// are looked for in `folder`, and refused if `folder` is empty.
Result<NamedTensor> parseTensorProto(std::span<const std::byte> message, std::shared_ptr<const void> owner,
                                     const std::string &folder, const std::string &place);

Status writeTensorProto(const std::string &path, std::string_view name, const Tensor &tensor);

} // namespace tilerig
