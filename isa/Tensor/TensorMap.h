// Named tensors in the order they were added: what a tensor file holds, and what goes in and out of a model.
#pragma once

#include "isa/Tensor/Tensor.h"

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
  // Refuses a name that is there already.
  Status add(std::string name, Tensor tensor);

  // Null when there is no such tensor.
  const Tensor *find(std::string_view name) const;
  Tensor *find(std::string_view name);
  // As find(), with an error that names the tensors there are.
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

// "'a', 'b', 'c' and 12 more": what an error shows of many names.
std::string showNames(std::span<const std::string> names);

} // namespace tilerig
