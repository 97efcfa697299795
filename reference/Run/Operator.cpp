#include "reference/Run/Operator.h"

#include <fmt/core.h>

namespace tilerig::reference {

Error OpContext::invalid(std::string description, std::string remedy) const {
  return invalidInput(placeOf(node), std::move(description), std::move(remedy));
}

Error OpContext::notSupported(std::string description, std::string remedy) const {
  return unsupported(placeOf(node), std::move(description), std::move(remedy));
}

Result<Tensor> OpContext::tensorIn(RuntimeValue value) const {
  if (auto *tensor = std::get_if<Tensor>(&value))
    return std::move(*tensor);
  return invalid("a value is a sequence of tensors, expected a tensor");
}

template <class T>
static Result<T> attributeOf(const OpContext &context, std::string_view name,
                             const std::optional<T> &fallback, std::string_view kind) {
  auto attribute = context.node.attributes.find(name);
  if (attribute == context.node.attributes.end()) {
    if (fallback)
      return *fallback;
    return context.invalid(fmt::format("attribute '{}' is missing", name));
  }
  if (const T *value = std::get_if<T>(&attribute->second))
    return *value;
  return context.invalid(fmt::format("attribute '{}' is not {}", name, kind));
}

Result<int64_t> OpContext::intAttribute(std::string_view name, std::optional<int64_t> fallback) const {
  return attributeOf(*this, name, fallback, "an integer");
}
Result<float> OpContext::floatAttribute(std::string_view name, std::optional<float> fallback) const {
  return attributeOf(*this, name, fallback, "a float");
}
Result<std::string> OpContext::textAttribute(std::string_view name,
                                             std::optional<std::string> fallback) const {
  return attributeOf(*this, name, fallback, "a string");
}
Result<std::vector<int64_t>> OpContext::intsAttribute(std::string_view name,
                                                      std::optional<std::vector<int64_t>> fallback) const {
  return attributeOf(*this, name, fallback, "a list of integers");
}
Result<std::vector<float>> OpContext::floatsAttribute(std::string_view name,
                                                      std::optional<std::vector<float>> fallback) const {
  return attributeOf(*this, name, fallback, "a list of floats");
}
Result<std::vector<std::string>> OpContext::textsAttribute(std::string_view name) const {
  return attributeOf<std::vector<std::string>>(*this, name, std::vector<std::string>{}, "a list of strings");
}
Result<Tensor> OpContext::tensorAttribute(std::string_view name) const {
  return attributeOf<Tensor>(*this, name, {}, "a tensor");
}
Result<std::shared_ptr<const Graph>> OpContext::graphAttribute(std::string_view name) const {
  return attributeOf<std::shared_ptr<const Graph>>(*this, name, {}, "a graph");
}

Result<std::vector<int64_t>> OpContext::integers(size_t index) const {
  const Tensor &tensor = input(index);
  if (tensor.dtype() == DType::i64) {
    auto elements = tensor.as<int64_t>();
    return std::vector<int64_t>(elements.begin(), elements.end());
  }
  if (tensor.dtype() == DType::i32) {
    auto elements = tensor.as<int32_t>();
    return std::vector<int64_t>(elements.begin(), elements.end());
  }
  return invalid(fmt::format("input {} has type {}, expected int32 or int64", index, nameOf(tensor.dtype())));
}

Result<size_t> OpContext::axis(int64_t axis, size_t rank) const {
  int64_t counted = axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
  if (counted < 0 || counted >= static_cast<int64_t>(rank))
    return invalid(fmt::format("axis {} is out of range for a tensor of rank {}", axis, rank));
  return static_cast<size_t>(counted);
}

} // namespace tilerig::reference
