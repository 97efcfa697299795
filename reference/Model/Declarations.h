// Reads the types and shapes that a model declares for its values.
#pragma once

#include "reference/Model/Graph.h"

namespace onnx {
class TypeProto;
class ValueInfoProto;
} // namespace onnx

namespace tilerig::reference {

// The type and shape that a model declares for a value; none if it declares none, or a kind of value that the
// reference does not support. Negative dimensions are an error. Error messages begin with `place`.
Result<std::optional<DeclaredType>> declaredType(const onnx::ValueInfoProto &info, const std::string &place);

// Checks that a value of the model is a tensor, or has no declared type. `value` is "input 'x'" or "output 'y'".
Status checkIsTensor(const onnx::TypeProto &type, const std::string &value, const std::string &place);
// The error for an input or output that is a sequence.
Error isSequence(const std::string &value, const std::string &place);
// Checks that an input of a model is a tensor of a supported type, or has no declared type.
Status checkModelInput(const onnx::ValueInfoProto &info, const std::string &place);

} // namespace tilerig::reference
