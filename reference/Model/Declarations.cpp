#include "reference/Model/Declarations.h"

#include <fmt/core.h>
#include <onnx/onnx_pb.h>

namespace tilerig::reference {

Result<std::optional<DeclaredType>> declaredType(const onnx::ValueInfoProto &info, const std::string &place) {
  if (!info.type().has_tensor_type() || !info.type().tensor_type().elem_type())
    return std::optional<DeclaredType>();
  const auto &tensor = info.type().tensor_type();
  auto type = dtypeOfOnnx(tensor.elem_type());
  if (!type)
    return std::optional<DeclaredType>();
  DeclaredType declared{*type, std::nullopt};
  if (tensor.has_shape()) {
    declared.shape.emplace();
    for (const auto &dim : tensor.shape().dim()) {
      if (dim.has_dim_value() && dim.dim_value() < 0)
        return invalidInput(
            place, fmt::format("value '{}' is declared with the dimension {}", info.name(), dim.dim_value()),
            "leave an unknown dimension without a value, or give it a name");
      declared.shape->push_back(dim.has_dim_value() ? std::optional(dim.dim_value()) : std::nullopt);
    }
  }
  return std::optional(declared);
}

Error isSequence(const std::string &value, const std::string &place) {
  return unsupported(
      place, fmt::format("{} is a sequence, but inputs and outputs of a model must be tensors", value));
}

Status checkIsTensor(const onnx::TypeProto &type, const std::string &value, const std::string &place) {
  if (type.has_sequence_type())
    return isSequence(value, place);
  if (type.has_tensor_type() || type.value_case() == onnx::TypeProto::VALUE_NOT_SET)
    return success();
  return unsupported(place, fmt::format("{} is not a tensor", value));
}

Status checkModelInput(const onnx::ValueInfoProto &info, const std::string &place) {
  const std::string value = fmt::format("input '{}'", info.name());
  TILERIG_CHECK_OK(checkIsTensor(info.type(), value, place));
  int number = info.type().tensor_type().elem_type();
  if (number && !dtypeOfOnnx(number))
    return unsupported(place, fmt::format("{} has element type {}, which is not supported", value, number));
  return success();
}

} // namespace tilerig::reference
