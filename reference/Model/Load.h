// Loads an ONNX file as a valid Graph. Errors name the file, the node and the reason.
#pragma once

#include "reference/Model/Graph.h"

#include <memory>
#include <span>

namespace onnx {
class ModelProto;
}

namespace tilerig::reference {

// Reads the file and the external data beside it. Functions of the model are inlined; nodes that the file
// lists out of order are sorted topologically.
Result<Model> loadModel(const std::string &path);
// Parses a model in memory. External data is read from `directory`, and is an error if that is empty.
Result<Model> parseModel(std::span<const std::byte> bytes, const std::string &place,
                         const std::string &directory);
// The same for a message that is parsed already. Large constants of the model are not copied, unless it has functions:
// they refer to the message and share its ownership. The pointer may own nothing if the message outlives the model.
Result<Model> modelOf(std::shared_ptr<const onnx::ModelProto> proto, const std::string &place,
                      const std::string &directory);

} // namespace tilerig::reference
