// Named tensors of a file or a folder, each read when it is asked for: an archive may be larger than memory.
#pragma once

#include "isa/Tensor/Npz.h"

#include <variant>

namespace tilerig::verify {

class TensorSource {
public:
  // .npz is left on disk; other forms (TensorFiles.h) are read whole. Refuses what holds no tensor.
  static Result<TensorSource> open(const std::string &path);

  const std::string &path() const { return file; }
  const std::vector<std::string> &names() const { return tensorNames; }
  bool has(const std::string &name) const;
  Result<Tensor> load(const std::string &name) const;
  // The same without taking memory for what is large.
  Result<TensorStream> stream(const std::string &name) const;

private:
  TensorSource() = default;

  std::string file;
  std::vector<std::string> tensorNames;
  std::variant<TensorMap, NpzReader> tensors{TensorMap()};
};

} // namespace tilerig::verify
