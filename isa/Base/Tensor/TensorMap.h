// Named tensors in insertion order: the content of a tensor file, or the inputs and outputs of a model.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tilerig {

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

class TensorMap {
public:
  // Adds a tensor; refuses a name that another tensor already has.
  Status add(std::string name, Tensor tensor);

  // Returns the tensor with the given name, or null if there is none.
  const Tensor *find(std::string_view name) const;
  Tensor *find(std::string_view name);
  // Returns the tensor with the given name, or an error that lists the existing names.
  Result<const Tensor *> get(std::string_view name) const;

  size_t size() const { return entries.size(); }
  bool empty() const { return entries.empty(); }
  auto begin() const { return entries.begin(); }
  auto end() const { return entries.end(); }

private:
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::vector<NamedTensor> entries;
  std::unordered_map<std::string, size_t, TextHash, std::equal_to<>> indices;
};

// Formats many names for an error message: "'a', 'b', 'c' and 12 more".
std::string showNames(std::span<const std::string> names);

} // namespace tilerig
