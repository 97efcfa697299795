// What a model says about the types and shapes of its values.
#pragma once

#include "reference/Model/Graph.h"

namespace onnx {
class ValueInfoProto;
}

namespace tilerig::reference {

// The type and shape; nothing where that is left open, or is of a kind that we do not have. Refuses negative
// dimensions. `place` is for messages.
Result<std::optional<DeclaredType>> declaredType(const onnx::ValueInfoProto &info, const std::string &place);

// Inputs of a model must be tensors of a type that we have, or not say what they are.
Status checkModelInput(const onnx::ValueInfoProto &info, const std::string &place);

} // namespace tilerig::reference
