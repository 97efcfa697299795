#include "verify/Check/SourceModel.h"

#include "isa/Base/Support/File.h"
#include "reference/Model/Load.h"

#include <filesystem>

namespace tilerig::verify {

Result<SourceModel> SourceModel::read(const std::string &path) {
  TILERIG_TRY(MappedFile file, MappedFile::open(path));
  const auto shared = std::make_shared<const MappedFile>(std::move(file));
  SourceModel model;
  model.path = path;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  model.folder = folder.empty() ? std::string(".") : folder.string();
  model.bytes = shared->bytes();
  model.owner = shared;
  return model;
}

SourceModel SourceModel::of(std::string name, std::string bytes) {
  const auto shared = std::make_shared<const std::string>(std::move(bytes));
  SourceModel model;
  model.path = std::move(name);
  model.bytes = std::as_bytes(std::span(*shared));
  model.owner = shared;
  return model;
}

SourceModel SourceModel::withContent(std::string name, std::string content) const {
  SourceModel model = of(std::move(name), std::move(content));
  model.folder = folder;
  model.batch = batch;
  return model;
}

Result<reference::Model> SourceModel::forReference() const {
  TILERIG_TRY(reference::Model model, reference::parseModel(bytes, path, folder));
  if (batch)
    for (const reference::ValueId id : model.graph.inputs)
      if (auto &declared = model.graph.values[static_cast<size_t>(id)].declared;
          declared && declared->shape && !declared->shape->empty())
        declared->shape->front() = *batch;
  return model;
}

Result<std::string> bytesOf(const onnx::ModelProto &model, const std::string &name) {
  std::string bytes;
  if (model.ByteSizeLong() > INT32_MAX || !model.SerializeToString(&bytes))
    return unsupported(name, "the model is larger than 2 GiB, the limit of an ONNX model in memory");
  return bytes;
}

} // namespace tilerig::verify
