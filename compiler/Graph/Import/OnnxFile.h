// An ONNX model file in memory.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <map>
#include <memory>
#include <onnx/onnx_pb.h>
#include <span>
#include <string>

namespace tilerig::compiler {

// The model with its functions inlined, and the memory that its tensors share.
// Name of the attribute of a DequantizeLinear that states that its operand holds 8-bit floats, as float32.
inline constexpr const char *storedFloats = "stored_dtype";

class OnnxFile {
public:
  static Result<OnnxFile> read(const std::string &path);
  // Parses the bytes of a file. `path` is used in messages. External data are read from `folder`; if it is
  // empty, they are refused.
  static Result<OnnxFile> parse(std::span<const std::byte> bytes, const std::string &path,
                                const std::string &folder);

  const onnx::ModelProto &model() const { return *message; }
  const std::string &path() const { return name; }
  // The operator set version of a domain; "" is ONNX's own domain.
  std::optional<int64_t> opset(const std::string &domain) const;
  // The contents of a tensor of the model; `place` names the tensor in errors. Large tensors are not copied.
  Result<Tensor> tensor(const onnx::TensorProto &tensor, const std::string &place) const;

private:
  std::shared_ptr<const onnx::ModelProto> message; // the parsed file without the bytes of large tensors
  std::map<const onnx::TensorProto *, std::shared_ptr<const std::string>> large;
  std::string name, folder;
};

} // namespace tilerig::compiler
