// The model that is to be checked: a file, or bytes that somebody has in memory. Compiler and reference read
// it each in its own way.
#pragma once

#include "compiler/Import/OnnxFile.h"
#include "reference/Model/Graph.h"

#include <memory>
#include <span>
#include <string>

namespace tilerig::verify {

class SourceModel {
public:
  static Result<SourceModel> read(const std::string &path);
  // `name` leads messages and names the program. External data are refused: there is no folder to look in.
  static SourceModel of(std::string name, std::string bytes);

  const std::string &name() const { return path; }
  Result<OnnxFile> forCompiler() const { return OnnxFile::parse(bytes, path, folder); }
  Result<reference::Model> forReference() const;

private:
  std::string path, folder;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

// A message of ours as the bytes of a file.
Result<std::string> bytesOf(const onnx::ModelProto &model, const std::string &name);

} // namespace tilerig::verify
