#include "compiler/Import/OnnxFile.h"

#include "isa/Support/File.h"
#include "isa/Tensor/TensorProto.h"

#include <filesystem>
#include <fmt/core.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

namespace tilerig {

Result<OnnxFile> OnnxFile::read(const std::string &path) {
  TRY(const MappedFile file, MappedFile::open(path));
  if (file.bytes().size() > INT32_MAX)
    return invalidInput(path, "is larger than 2 GiB, which no protobuf is",
                        "store its tensors as external data");
  auto message = std::make_shared<onnx::ModelProto>();
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(file.bytes().data()),
                                                static_cast<int>(file.bytes().size()));
  stream.SetRecursionLimit(200);
  if (!message->ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
    return invalidInput(path, "is not an ONNX model: it does not parse as protobuf");
  if (!message->has_graph())
    return invalidInput(path, "holds no graph", "give a complete ONNX model");
  OnnxFile result;
  result.message = std::move(message);
  result.name = path;
  result.folder = std::filesystem::path(path).parent_path().string();
  if (result.folder.empty())
    result.folder = ".";
  return result;
}

std::optional<int64_t> OnnxFile::opset(const std::string &domain) const {
  const auto canonical = [](const std::string &it) { return it == "ai.onnx" ? std::string() : it; };
  for (const onnx::OperatorSetIdProto &set : message->opset_import())
    if (canonical(set.domain()) == canonical(domain))
      return set.version();
  return {};
}

Result<Tensor> OnnxFile::tensor(const onnx::TensorProto &tensor, const std::string &place) const {
  const auto type = dtypeOfOnnx(tensor.data_type());
  if (type && tensor.has_raw_data() && tensor.data_location() != onnx::TensorProto::EXTERNAL) {
    Shape shape(tensor.dims().begin(), tensor.dims().end());
    TRY(const size_t size, sizeBytesOf(*type, shape));
    if (size == tensor.raw_data().size()) {
      TRY(Tensor shown, Tensor::view(*type, std::move(shape),
                                     std::as_bytes(std::span(tensor.raw_data().data(), size)), message));
      CHECK_OK(checkBools(shown, place));
      return shown;
    }
  }
  // The rare forms, and what is wrong, go through the one reader that knows them all.
  const std::string bytes = tensor.SerializeAsString();
  TRY(NamedTensor read, parseTensorProto(std::as_bytes(std::span(bytes)), nullptr, folder, place));
  return std::move(read.tensor);
}

} // namespace tilerig
