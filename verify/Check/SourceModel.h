// The ONNX model to be checked: a file, or bytes in memory. Compiler and reference each parse it with their
// own reader.
#pragma once

#include "compiler/Graph/Import/OnnxFile.h"
#include "isa/Base/Support/File.h"
#include "reference/Model/Graph.h"

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace tilerig::verify {

class SourceModel {
public:
  static Result<SourceModel> read(const std::string &path);
  // A model in memory instead of a file. `name` is used in messages and as the program's name. Refuses a
  // model with external data, because a model in memory has no folder in which to find them.
  static SourceModel of(std::string name, std::string bytes);

  // Another model in place of this one, with external data in the same folder.
  SourceModel withContent(std::string name, std::string bytes) const;

  const std::string &name() const { return path; }
  // The folder of external data; empty if the model has none.
  const std::string &dataFolder() const { return folder; }
  // The ONNX file.
  std::span<const std::byte> content() const { return bytes; }
  Result<compiler::OnnxFile> forCompiler() const { return compiler::OnnxFile::parse(bytes, path, folder); }
  Result<reference::Model> forReference() const;

  // Lets the system take back the memory of the model's file until the model is read again.
  void releasePages() const { tilerig::releasePages(bytes); }

  // Sets the first size (the batch) of every input in the model that forReference() returns, even if the
  // model fixes it. The compiler instead takes its shapes from the inputs of the check.
  void setBatch(int64_t images) { batch = images; }

private:
  std::string path, folder;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
  std::optional<int64_t> batch;
};

// Serialises a model; `name` is used in error messages.
Result<std::string> bytesOf(const onnx::ModelProto &model, const std::string &name);

} // namespace tilerig::verify
