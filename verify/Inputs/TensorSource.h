// Named tensors of a file or folder, each read on demand, since an archive may be larger than memory.
#pragma once

#include "isa/Base/Tensor/Npz.h"

#include <variant>

namespace tilerig::verify {

class TensorSource {
public:
  // Opens a file or folder of tensors. Leaves .npz archives on disk; reads other formats (TensorFiles.h)
  // completely. Refuses a source without tensors.
  static Result<TensorSource> open(const std::string &path);

  const std::string &path() const { return file; }
  const std::vector<std::string> &names() const { return tensorNames; }
  bool has(const std::string &name) const;
  Result<Tensor> load(const std::string &name) const;
  // Opens a tensor as a stream, without loading a large one into memory.
  Result<TensorStream> stream(const std::string &name) const;

private:
  TensorSource() = default;

  std::string file;
  std::vector<std::string> tensorNames;
  std::variant<TensorMap, NpzReader> tensors{TensorMap()};
};

} // namespace tilerig::verify
