// Reads the types and shapes that a model declares for its values.
#pragma once

#include "reference/Model/Graph.h"

namespace onnx {
class ValueInfoProto;
}

namespace tilerig::reference {

// The declared type and shape; none if it is not declared or of a kind that the reference does not support.
// Negative dimensions are an error. `place` is for messages.
Result<std::optional<DeclaredType>> declaredType(const onnx::ValueInfoProto &info, const std::string &place);

// Checks that an input of a model is a tensor of a supported type, or has no declared type.
Status checkModelInput(const onnx::ValueInfoProto &info, const std::string &place);

} // namespace tilerig::reference
