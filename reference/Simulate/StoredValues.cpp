#include "reference/Simulate/StoredValues.h"

#include "reference/Run/Plan.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace tilerig::reference {

namespace {

// Operators that become element-wise functions of one input if all their other inputs are constants.
constexpr auto elementwise = std::to_array<std::string_view>({"Abs",
                                                              "Add",
                                                              "BatchNormalization",
                                                              "Celu",
                                                              "Clip",
                                                              "Div",
                                                              "Elu",
                                                              "Erf",
                                                              "Exp",
                                                              "Gelu",
                                                              "HardSigmoid",
                                                              "HardSwish",
                                                              "LeakyRelu",
                                                              "Log",
                                                              "Mish",
                                                              "Mul",
                                                              "Neg",
                                                              "PRelu",
                                                              "Relu",
                                                              "Selu",
                                                              "Sigmoid",
                                                              "Softplus",
                                                              "Softsign",
                                                              "Sqrt",
                                                              "Sub",
                                                              "Swish",
                                                              "Tanh",
                                                              "ThresholdedRelu"});
// Operators whose outputs consist of input elements or zeros.
constexpr auto moving = std::to_array<std::string_view>(
    {"DepthToSpace", "Dropout", "Expand", "Flatten", "Gather", "GatherElements", "Identity", "MaxPool",
     "Reshape", "SequenceAt", "Slice", "SpaceToDepth", "Split", "Squeeze", "Tile", "Transpose", "Unsqueeze"});

bool isOneOf(std::span<const std::string_view> names, const Node &node) {
  return node.domain.empty() && std::ranges::find(names, node.op) != names.end();
}

int64_t attributeOf(const Node &node, std::string_view name) {
  const auto attribute = node.attributes.find(name);
  const auto *number =
      attribute == node.attributes.end() ? nullptr : std::get_if<int64_t>(&attribute->second);
  return number ? *number : 0;
}

class Finder {
public:
  explicit Finder(const Graph &graph)
      : graph(graph), computed(graph.values.size()), readers(graph.values.size()) {
    for (const ValueId id : graph.inputs) // an initialiser that is also an input counts as an input
      computed[at(id)] = true;
    for (const Node &node : graph.nodes) {
      const std::vector<ValueId> reads = readsOf(node);
      const bool depends = std::ranges::any_of(reads, [&](ValueId id) { return isComputed(id); });
      for (const ValueId id : reads)
        if (id != absent)
          readers[at(id)].push_back(&node);
      for (const ValueId id : node.outputs)
        if (id != absent)
          computed[at(id)] = depends;
    }
  }

  StoredValues find() {
    StoredValues storedValues;
    storedValues.rounded.insert(graph.inputs.begin(), graph.inputs.end());
    for (const Node &node : graph.nodes) {
      addWeights(node, storedValues);
      for (const ValueId id : node.outputs)
        if (id != absent && isComputed(id) && !isOneOf(moving, node) && isStored(id))
          storedValues.rounded.insert(id);
    }
    return storedValues;
  }

private:
  static size_t at(ValueId id) { return static_cast<size_t>(id); }
  bool isComputed(ValueId id) const { return id != absent && computed[at(id)]; }

  // Whether the node is an element-wise function whose only input, besides constants, is `value`.
  bool finishes(const Node &node, ValueId value) const {
    return isOneOf(elementwise, node) && node.outputs.size() == 1 &&
           std::ranges::all_of(node.inputs, [&](ValueId id) { return id == value || !isComputed(id); });
  }
  bool isStored(ValueId id) const {
    const bool isOutput = std::ranges::find(graph.outputs, id) != graph.outputs.end();
    const auto &its = readers[at(id)];
    return isOutput || its.size() != 1 || !finishes(*its.front(), id);
  }

  void addWeights(const Node &node, StoredValues &storedValues) const {
    if (!node.domain.empty() || node.inputs.size() < 2)
      return;
    const ValueId a = node.inputs[0], b = node.inputs[1];
    const bool isConstant = b != absent && !isComputed(b);
    if (node.op == "Conv" && isConstant)
      storedValues.weights.emplace(b, 0);
    else if (node.op == "ConvTranspose" && isConstant)
      storedValues.weights.emplace(b, 1);
    else if (node.op == "Gemm" && isConstant)
      storedValues.weights.emplace(b, attributeOf(node, "transB") ? 0 : 1);
    else if (node.op == "MatMul" && isConstant)
      storedValues.weights.emplace(b, -1);
    else if (node.op == "MatMul" && a != absent && !isComputed(a))
      storedValues.weights.emplace(a, -2);
  }

  const Graph &graph;
  std::vector<bool> computed; // for each value, indexed by ValueId: whether it depends on the model's inputs
  std::vector<std::vector<const Node *>> readers;
};

} // namespace

StoredValues findStoredValues(const Graph &graph) { return Finder(graph).find(); }

} // namespace tilerig::reference
