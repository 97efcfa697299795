// Description of a layer of a module: its inputs and outputs, and which tensors of the exported model hold
// them. Used to compare a layer with its float version from before its precision was decided.
//
// This header does not include MLIR, so callers do not depend on MLIR.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilerig::compiler {

struct LayerElement {
  std::string type;           // "float", "float16", "bfloat16", "int8", "uint8", ...
  std::vector<double> scales; // scales of a quantised type: a single one, or one for each index of `axis`
  std::vector<int64_t> zeroPoints;
  int64_t axis = -1; // axis of the layer's tensor along which scales vary

  bool operator==(const LayerElement &) const = default;
};

// The tensor of the exported model that holds an operand or result of a layer. Axis i of the exported tensor
// is axis order[i] of the layer's tensor.
struct LayerTensor {
  std::string name;
  std::vector<size_t> order;
  LayerElement element;
  std::string role = {}; // of inputs: "Input", "Weight", "Bias", "Addend", ...
  bool isConstant = false;
};

struct DescribedLayer {
  std::string key; // the layer's kind, ONNX nodes and result tensor, which are the same in every precision
  std::string name, kind, function;
  bool onHost = false;
  std::vector<LayerTensor> inputs, outputs;
  std::optional<LayerElement> middle; // element type of the sum of products, before the addend is added
};

} // namespace tilerig::compiler
