#include "reference/Model/Tensors.h"

#include "isa/Base/Tensor/FloatEight.h"
#include "isa/Base/Tensor/FourBits.h"
#include "isa/Base/Tensor/TensorProto.h"

#include <fmt/core.h>
#include <onnx/onnx_pb.h>

namespace tilerig::reference {

Result<Tensor> TensorSource::read(const onnx::TensorProto &proto, const std::string &label) const {
  std::string where = place + ": " + label;
  auto type = dtypeOfOnnx(proto.data_type());
  const bool isNarrow = fourBitsOfOnnx(proto.data_type()) || isFloatEight(proto.data_type());
  if (!type && !isNarrow)
    return unsupported(where, fmt::format("element type {} is not supported", proto.data_type()));
  bool external = proto.data_location() == onnx::TensorProto::EXTERNAL;
  if (!external && !isNarrow && proto.has_raw_data()) {
    Shape shape(proto.dims().begin(), proto.dims().end());
    auto bytes = std::as_bytes(std::span(proto.raw_data()));
    auto tensor = Tensor::view(*type, std::move(shape), bytes, model);
    if (!tensor)
      return tensor.error().within(where);
    if (*type == DType::boolean)
      TILERIG_CHECK_OK(checkBools(*tensor, where));
    return tensor;
  }
  if (external && directory.empty())
    return invalidInput(where, "the tensor's data is external, but the model was not read from a file");
  // The general reader of tensors, isa/Base/Tensor, decodes elements in typed fields and maps external files
  // into memory. It reads encoded messages, so the message is encoded again. This costs little: typed fields
  // are rare, and a message with external data is short.
  std::string message = proto.SerializeAsString();
  TILERIG_TRY(NamedTensor named,
              parseTensorProto(std::as_bytes(std::span(message)), nullptr, directory, where));
  return std::move(named.tensor);
}

} // namespace tilerig::reference
