// From an ONNX file to a sound Graph. Whatever is wrong is refused with the file, the node and the reason.
#pragma once

#include "reference/Model/Graph.h"

#include <span>

namespace tilerig::reference {

// Reads the file and the external data beside it. Functions of the model are expanded in place; the order of
// nodes is repaired where the file does not list them in order.
Result<Model> loadModel(const std::string &path);
// From memory; external data is looked for in `directory`, and refused where that is empty.
Result<Model> parseModel(std::span<const std::byte> bytes, const std::string &place,
                         const std::string &directory);

} // namespace tilerig::reference
