// What the layers of a module read and give, and which tensors of the model that was written of it these are:
// for those who compare a layer with what it stood for before its precision was decided.
//
// No MLIR in here, so that callers need not see it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilerig {

struct LayerElement {
  std::string type;           // "float", "float16", "bfloat16", "int8", "uint8", ...
  std::vector<double> scales; // of integers that stand for reals: one, or one for each index of the axis
  std::vector<int64_t> zeroPoints;
  int64_t axis = -1; // of the layer's tensor

  bool operator==(const LayerElement &) const = default;
};

// A tensor of the written model holds it; axis i of that is axis order[i] of the layer's.
struct LayerTensor {
  std::string name;
  std::vector<size_t> order;
  LayerElement element;
  std::string role = {}; // of inputs: "Input", "Weight", "Bias", "Addend", ...
  bool isConstant = false;
};

struct DescribedLayer {
  std::string key; // what it was made of: the same, whatever its precision
  std::string name, kind, function;
  bool onHost = false;
  std::vector<LayerTensor> inputs, outputs;
  std::optional<LayerElement> middle; // to which a sum of products is rounded before what follows
};

} // namespace tilerig
