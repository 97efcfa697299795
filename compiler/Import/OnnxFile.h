// An ONNX file in memory.
#pragma once

#include "isa/Tensor/Tensor.h"

#include <map>
#include <memory>
#include <onnx/onnx_pb.h>
#include <span>
#include <string>

namespace tilerig {

// The message, its functions unfolded, and everything that its tensors show.
class OnnxFile {
public:
  static Result<OnnxFile> read(const std::string &path);
  // A file's bytes. `path` is for messages; external data lie in `folder`, and are refused where that is
  // empty.
  static Result<OnnxFile> parse(std::span<const std::byte> bytes, const std::string &path,
                                const std::string &folder);

  const onnx::ModelProto &model() const { return *message; }
  const std::string &path() const { return name; }
  // The version of the operator set of a domain; "" is ONNX's own.
  std::optional<int64_t> opset(const std::string &domain) const;
  // A tensor of the message; large ones show the file's bytes, and keep only their own in memory.
  Result<Tensor> tensor(const onnx::TensorProto &tensor, const std::string &place) const;

private:
  std::shared_ptr<const onnx::ModelProto> message; // without the bytes of large tensors
  std::map<const onnx::TensorProto *, std::shared_ptr<const std::string>> large;
  std::string name, folder;
};

} // namespace tilerig
