#include "verify/Check/WidenHalves.h"

#include "reference/Run/Floats.h"
#include "verify/Check/Rounding.h"

#include <algorithm>

namespace tilerig::verify {

namespace {

using reference::Attribute;
using reference::Graph;

// Attributes of ONNX nodes that state a type, by its number or, in early operators, by its name.
constexpr std::string_view namesOfTypes[] = {"to", "dtype", "output_dtype", "output_datatype"};

bool isHalf(DType type) { return type == DType::f16 || type == DType::bf16; }

class Widening {
public:
  explicit Widening(DType wide) : wide(wide) {}

  bool widenedAny() const { return hasHalves; }

  void widen(Graph &graph) {
    for (reference::Value &value : graph.values)
      if (value.declared && finds(value.declared->type))
        value.declared->type = wide;
    for (auto &[id, tensor] : graph.initialisers)
      widen(tensor);
    for (reference::Node &node : graph.nodes)
      for (auto &[name, attribute] : node.attributes)
        widen(name, attribute);
  }

private:
  bool finds(DType type) {
    hasHalves |= isHalf(type);
    return isHalf(type);
  }

  void widen(Tensor &tensor) {
    if (finds(tensor.dtype()))
      tensor = wide == DType::f64 ? asDoubles(tensor) : reference::widened(tensor);
  }

  void widen(std::string_view name, Attribute &attribute) {
    const bool namesType = std::ranges::find(namesOfTypes, name) != std::end(namesOfTypes);
    if (auto *tensor = std::get_if<Tensor>(&attribute)) {
      widen(*tensor);
    } else if (auto *inner = std::get_if<std::shared_ptr<const Graph>>(&attribute)) {
      auto copy = std::make_shared<Graph>(**inner);
      widen(*copy);
      *inner = std::move(copy);
    } else if (auto *number = std::get_if<int64_t>(&attribute); number && namesType) {
      if (const auto type = dtypeOfOnnx(*number); type && finds(*type))
        *number = onnxNumber(wide);
    } else if (auto *text = std::get_if<std::string>(&attribute); text && namesType) {
      if (*text == "FLOAT16" || *text == "BFLOAT16") {
        hasHalves = true;
        *text = wide == DType::f64 ? "DOUBLE" : "FLOAT";
      }
    }
  }

  const DType wide;
  bool hasHalves = false;
};

} // namespace

bool widenHalves(reference::Model &model, DType wide) {
  Widening widening(wide);
  widening.widen(model.graph);
  return widening.widenedAny();
}

TensorMap withoutHalves(const TensorMap &tensors) {
  TensorMap wide = tensors;
  for (const NamedTensor &named : tensors)
    if (isHalf(named.tensor.dtype()))
      *wide.find(named.name) = reference::widened(named.tensor);
  return wide;
}

} // namespace tilerig::verify
