#include "compiler/Export/ExternalConstants.h"

#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/DType.h"

#include <filesystem>
#include <unordered_map>

namespace tilerig::compiler {

namespace {

// Places in the file are multiples of a memory page, so that readers can map each constant.
constexpr uint64_t alignment = 4096;

std::unordered_map<std::string, onnx::TensorProto *> initialisersOf(onnx::ModelProto &model) {
  std::unordered_map<std::string, onnx::TensorProto *> byName;
  for (onnx::TensorProto &tensor : *model.mutable_graph()->mutable_initializer())
    byName[tensor.name()] = &tensor;
  return byName;
}

void addExternalData(onnx::TensorProto &tensor, const char *key, const std::string &value) {
  onnx::StringStringEntryProto &entry = *tensor.add_external_data();
  entry.set_key(key);
  entry.set_value(value);
}

} // namespace

ExternalConstant addExternal(onnx::GraphProto &graph, const std::string &name, DType type, const Shape &shape,
                             std::function<Tensor()> elements) {
  onnx::TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnxNumber(type));
  size_t bytes = sizeBytes(type);
  for (const int64_t size : shape) {
    tensor.add_dims(size);
    bytes *= static_cast<size_t>(size);
  }
  return {name, bytes, std::move(elements)};
}

void putInModel(onnx::ModelProto &model, const std::vector<ExternalConstant> &constants) {
  auto byName = initialisersOf(model);
  for (const ExternalConstant &constant : constants) {
    const Tensor tensor = constant.elements();
    byName.at(constant.name)->set_raw_data(tensor.bytes().data(), tensor.sizeBytes());
  }
}

Status putInFile(onnx::ModelProto &model, const std::vector<ExternalConstant> &constants,
                 const std::string &path) {
  TILERIG_TRY(OutputFile file, OutputFile::create(path));
  auto byName = initialisersOf(model);
  uint64_t offset = 0;
  for (const ExternalConstant &constant : constants) {
    TILERIG_CHECK_OK(file.seek(offset));
    const Tensor tensor = constant.elements();
    TILERIG_CHECK_OK(file.write(tensor.bytes()));
    releasePages(tensor.bytes());
    onnx::TensorProto &initialiser = *byName.at(constant.name);
    initialiser.set_data_location(onnx::TensorProto::EXTERNAL);
    addExternalData(initialiser, "location", std::filesystem::path(path).filename().string());
    addExternalData(initialiser, "offset", std::to_string(offset));
    addExternalData(initialiser, "length", std::to_string(constant.bytes));
    offset = (offset + constant.bytes + alignment - 1) / alignment * alignment;
  }
  return file.commit();
}

} // namespace tilerig::compiler
