#include "models/Quantisation/ReadModel.h"

#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/TensorProto.h"

#include <filesystem>

namespace tilerig::models {

namespace {

class ExternalDataReader {
public:
  ExternalDataReader(const std::string &path, std::set<std::string> &files)
      : path(path), folder(std::filesystem::path(path).parent_path()), files(files) {
    if (folder.empty())
      folder = ".";
  }

  Status inlineAll(onnx::GraphProto &graph) {
    for (onnx::TensorProto &initialiser : *graph.mutable_initializer())
      TILERIG_CHECK_OK(inlineOne(initialiser));
    for (onnx::NodeProto &node : *graph.mutable_node())
      for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
        if (attribute.has_t())
          TILERIG_CHECK_OK(inlineOne(*attribute.mutable_t()));
        if (attribute.has_g())
          TILERIG_CHECK_OK(inlineAll(*attribute.mutable_g()));
      }
    return success();
  }

private:
  Status inlineOne(onnx::TensorProto &tensor) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL)
      return success();
    const std::string bytes = tensor.SerializeAsString();
    TILERIG_TRY(const NamedTensor read,
                parseTensorProto(std::as_bytes(std::span(bytes)), nullptr, folder.string(),
                                 path + ": tensor '" + tensor.name() + "'"));
    const std::span<const std::byte> elements = read.tensor.bytes();
    for (const onnx::StringStringEntryProto &entry : tensor.external_data())
      if (entry.key() == "location")
        files.insert((folder / entry.value()).string());
    tensor.clear_external_data();
    tensor.clear_data_location();
    tensor.set_raw_data(elements.data(), elements.size());
    return success();
  }

  const std::string &path;
  std::filesystem::path folder;
  std::set<std::string> &files;
};

} // namespace

Result<WholeModel> readWholeModel(const std::string &path) {
  TILERIG_TRY(const std::string bytes, readText(path));
  WholeModel whole{.model = {}, .files = {path}};
  if (!whole.model.ParseFromString(bytes))
    return invalidInput(path, "the file is not an ONNX model");
  TILERIG_CHECK_OK(ExternalDataReader(path, whole.files).inlineAll(*whole.model.mutable_graph()));
  return whole;
}

} // namespace tilerig::models
