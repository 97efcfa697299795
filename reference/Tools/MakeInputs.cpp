#include "isa/Support/Hash.h"
#include "reference/Tools/Inputs.h"
#include "reference/Tools/Names.h"

#include "reference/Run/Floats.h"

#include <charconv>
#include <fmt/ranges.h>

namespace tilerig::reference {

const char *const inputDistribution =
    "floats uniform in [-1, 1), 8-bit integers uniform over all values, other integers and bools 0 or 1";

namespace {

// The generator SplitMix64 (G. Steele, D. Lea, C. Flood: Fast splittable pseudorandom number generators,
// 2014).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t word = state += 0x9E3779B97F4A7C15;
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9;
    word = (word ^ word >> 27) * 0x94D049BB133111EB;
    return word ^ word >> 31;
  }
  // Uniform multiples of 2^-23 in [-1, 1), which are exact in float.
  float nextFloat() { return static_cast<float>(static_cast<int64_t>(next() >> 40) - (1 << 23)) * 0x1p-23f; }

private:
  uint64_t state;
};

template <class T>
T draw(Random &random) {
  if constexpr (std::is_floating_point_v<T>)
    return random.nextFloat();
  else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
    return {random.nextFloat(), random.nextFloat()};
  else if constexpr (sizeof(T) == 1 && !std::is_same_v<T, bool>)
    return static_cast<T>(random.next() >> 56);
  else
    return static_cast<T>(random.next() >> 63);
}

Result<Tensor> randomTensor(DType type, const Shape &shape, uint64_t seed) {
  bool half = type == DType::f16 || type == DType::bf16;
  TRY(Tensor tensor, Tensor::makeUninitialised(half ? DType::f32 : type, shape));
  Random random(seed);
  dispatch(tensor.dtype(), [&]<class T>() {
    if constexpr (!std::is_same_v<T, Float16> && !std::is_same_v<T, BFloat16>)
      for (T &element : tensor.mutableAs<T>())
        element = draw<T>(random);
  });
  return half ? narrowed(tensor, type) : tensor;
}

Result<Shape> parseShape(std::string_view text, const std::string &option) {
  Shape shape;
  while (!text.empty()) {
    int64_t dim = -1;
    auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), dim);
    bool last = end == text.data() + text.size();
    if (code != std::errc() || dim < 0 || (!last && (*end != 'x' || end + 1 == text.data() + text.size())))
      return usageError("--input-shape " + option, "is not a shape", "write it like name=1x3x224x224");
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
      return usageError("--input-shape " + option, "has no '='", "write it like name=1x3x224x224");
    std::string name = option.substr(0, split);
    if (!std::ranges::count(names, name))
      return usageError("--input-shape " + option, fmt::format("the model has no input '{}'", name),
                        suggestName(name, names));
    TRY(Shape shape, parseShape(std::string_view(option).substr(split + 1), option));
    if (!shapes.emplace(name, std::move(shape)).second)
      return usageError("--input-shape " + option, "that input has a shape already");
  }
  return shapes;
}

// An example of a shape for a message; open dimensions are 1.
std::string exampleOf(const Value &value) {
  if (!value.declared->shape)
    return "1x3x224x224";
  std::vector<int64_t> shape;
  for (const auto &dim : *value.declared->shape)
    shape.push_back(dim.value_or(1));
  return fmt::format("{}", fmt::join(shape, "x"));
}

// The declared shape; an error if it has open dimensions.
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
  return usageError(fmt::format("input '{}'", value.name), fmt::format("the model gives it {}", known),
                    fmt::format("settle it with --input-shape '{}={}', or give tensors with -i", value.name,
                                exampleOf(value)));
}

} // namespace

Result<NamedTensors> makeInputs(const Model &model, const std::vector<std::string> &shapes, uint64_t seed) {
  TRY(auto stated, parseShapes(model.graph, shapes));
  NamedTensors inputs;
  for (ValueId id : model.graph.inputs) {
    const Value &value = model.graph.values[static_cast<size_t>(id)];
    if (!value.declared)
      return usageError(fmt::format("input '{}'", value.name), "the model does not say what type it has",
                        "give tensors with -i");
    Shape shape;
    if (auto found = stated.find(value.name); found != stated.end()) {
      shape = found->second;
    } else {
      TRY(shape, declaredShape(value));
    }
    auto tensor = randomTensor(value.declared->type, shape, combineHashes(seed, hashText(value.name)));
    if (!tensor)
      return tensor.error().within(fmt::format("input '{}'", value.name));
    inputs.emplace(value.name, *std::move(tensor));
  }
  return inputs;
}

} // namespace tilerig::reference
