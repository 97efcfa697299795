#include "reference/Tools/Inputs.h"

#include "isa/Base/Tensor/SeededTensor.h"
#include "reference/Run/Floats.h"
#include "reference/Tools/Names.h"

#include <charconv>
#include <fmt/ranges.h>

namespace tilerig::reference {

namespace {

Result<Tensor> randomTensor(const Value &value, const Shape &shape, uint64_t seed) {
  const DType type = value.declared->type;
  TILERIG_TRY(Tensor tensor, seededTensor(type, shape, seed, value.name));
  return isHalf(type) ? narrowed(tensor, type) : tensor;
}

Result<Shape> parseShape(std::string_view text, const std::string &option) {
  Shape shape;
  while (!text.empty()) {
    int64_t dim = -1;
    auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), dim);
    bool last = end == text.data() + text.size();
    if (code != std::errc() || dim < 0 || (!last && (*end != 'x' || end + 1 == text.data() + text.size())))
      return usageError("--input-shape " + option, "the text after '=' is not a shape",
                        "write it like name=1x3x224x224");
    shape.push_back(dim);
    text.remove_prefix(static_cast<size_t>(end - text.data()) + !last);
  }
  return shape;
}

Result<std::map<std::string, Shape>> parseShapes(const Graph &graph,
                                                 const std::vector<std::string> &options) {
  std::map<std::string, Shape> shapes;
  std::vector<std::string> names = namesOf(graph, graph.inputs);
  for (const std::string &option : options) {
    size_t split = option.rfind('=');
    if (split == std::string::npos)
      return usageError("--input-shape " + option, "the option has no '='", "write it like name=1x3x224x224");
    std::string name = option.substr(0, split);
    if (!std::ranges::count(names, name))
      return usageError("--input-shape " + option, fmt::format("the model has no input '{}'", name),
                        suggestName(name, names));
    TILERIG_TRY(Shape shape, parseShape(std::string_view(option).substr(split + 1), option));
    if (!shapes.emplace(name, std::move(shape)).second)
      return usageError("--input-shape " + option, "the shape of this input is given twice", "give it once");
  }
  return shapes;
}

// An example of an input's shape, for an error message; dimensions that the model leaves open are 1.
std::string exampleOf(const Value &value) {
  if (!value.declared->shape)
    return "1x3x224x224";
  std::vector<int64_t> shape;
  for (const auto &dim : *value.declared->shape)
    shape.push_back(dim.value_or(1));
  return fmt::format("{}", fmt::join(shape, "x"));
}

// The declared shape; an error if the model leaves dimensions of it open.
Result<Shape> declaredShape(const Value &value) {
  Shape shape;
  bool isWhole = value.declared->shape.has_value();
  if (isWhole)
    for (const auto &dim : *value.declared->shape) {
      isWhole &= dim.has_value();
      shape.push_back(dim.value_or(0));
    }
  if (isWhole)
    return shape;
  std::string known =
      value.declared->shape ? "the shape " + showDeclared(*value.declared->shape) : "no shape";
  return usageError(fmt::format("input '{}'", value.name),
                    fmt::format("the model declares {}, but a random input needs all dimensions", known),
                    fmt::format("set the dimensions with --input-shape '{}={}', or give tensors with -i",
                                value.name, exampleOf(value)));
}

} // namespace

Result<NamedTensors> makeInputs(const Model &model, const std::vector<std::string> &shapes, uint64_t seed) {
  TILERIG_TRY(auto stated, parseShapes(model.graph, shapes));
  NamedTensors inputs;
  for (ValueId id : model.graph.inputs) {
    const Value &value = model.graph.values[static_cast<size_t>(id)];
    if (!value.declared)
      return usageError(fmt::format("input '{}'", value.name),
                        "the model declares no type, so no random input can be made", "give tensors with -i");
    Shape shape;
    if (auto entry = stated.find(value.name); entry != stated.end()) {
      shape = entry->second;
    } else {
      TILERIG_TRY(shape, declaredShape(value));
    }
    auto tensor = randomTensor(value, shape, seed);
    if (!tensor)
      return tensor.error().within(fmt::format("input '{}'", value.name));
    inputs.emplace(value.name, *std::move(tensor));
  }
  return inputs;
}

} // namespace tilerig::reference
