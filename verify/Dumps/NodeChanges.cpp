#include "verify/Dumps/NodeChanges.h"

#include "verify/Dumps/Attributes.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

namespace tilerig::verify {

namespace {

using enum BugClass;
using reference::Graph;
using reference::Node;
using reference::ValueId;
using Integers = std::vector<int64_t>;
using Classes = std::vector<BugClass>;

// Operators with one axis as an attribute.
constexpr auto withAxis = std::to_array<std::string_view>(
    {"Softmax", "LogSoftmax", "LayerNormalization", "Concat", "Split", "Gather", "ArgMax", "ArgMin",
     "DequantizeLinear", "QuantizeLinear", "Flatten", "GatherElements"});
// Operators that slide a window over the input.
constexpr auto windows =
    std::to_array<std::string_view>({"Conv", "ConvTranspose", "MaxPool", "AveragePool", "LpPool"});
// Functions of each element alone, without attributes that matter when one takes the place of another.
constexpr auto functions = std::to_array<std::string_view>(
    {"Relu", "Sigmoid", "Tanh", "HardSigmoid", "HardSwish", "Elu", "Selu", "Softplus", "Softsign", "Erf",
     "Exp", "Sqrt", "Abs", "Neg", "Floor", "Ceil", "Round"});
// Operators, and what may be computed by mistake in their place.
constexpr auto other =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"Add", "Sub"},
                                                                  {"Sub", "Add"},
                                                                  {"Mul", "Div"},
                                                                  {"Div", "Mul"},
                                                                  {"Min", "Max"},
                                                                  {"Max", "Min"},
                                                                  {"MaxPool", "AveragePool"},
                                                                  {"GlobalMaxPool", "GlobalAveragePool"},
                                                                  {"GlobalAveragePool", "GlobalMaxPool"},
                                                                  {"ReduceMean", "ReduceSum"},
                                                                  {"ReduceSum", "ReduceMean"},
                                                                  {"ReduceMax", "ReduceMean"},
                                                                  {"Floor", "Ceil"},
                                                                  {"Ceil", "Floor"},
                                                                  {"Floor", "Round"}});

bool isOneOf(std::span<const std::string_view> names, std::string_view op) {
  return std::ranges::find(names, op) != names.end();
}

// Adds a constant to a graph.
ValueId addConstant(Graph &graph, Tensor tensor) {
  const auto id = static_cast<ValueId>(graph.values.size());
  graph.values.push_back({fmt::format("changed constant {}", id), {}});
  graph.initialisers.emplace(id, std::move(tensor));
  return id;
}

// Adds a value that a node computes.
ValueId addValue(Graph &graph) {
  const auto id = static_cast<ValueId>(graph.values.size());
  graph.values.push_back({fmt::format("changed value {}", id), {}});
  return id;
}

class Changes {
public:
  Changes(const Graph &graph, const Node &node, std::span<const size_t> ranks)
      : graph(graph), node(node), ranks(ranks), rank(ranks.empty() ? 0 : ranks.front()) {}

  std::vector<NodeChange> all() {
    tryClip();
    tryFunctions();
    tryOperands();
    tryAxes();
    tryPermutations();
    tryWindows();
    tryResize();
    tryEpsilon();
    tryGemm();
    tryShape();
    tryIndices();
    tryZeroPoint();
    return std::move(changes);
  }

private:
  bool is(std::string_view op) const { return node.op == op; }

  void add(Classes classes, const std::string &words, std::function<void(Graph &, size_t)> apply) {
    changes.push_back(
        {fmt::format("{} '{}' {}", node.op, node.name, words), std::move(classes), std::move(apply)});
  }
  void addNode(Classes classes, const std::string &words, std::function<void(Node &)> apply) {
    add(std::move(classes), words,
        [apply = std::move(apply)](Graph &changed, size_t at) { apply(changed.nodes[at]); });
  }
  // Another value of an attribute.
  template <class T>
  void addAttribute(Classes classes, const std::string &name, T value, T usual) {
    const T present = attributeOf<T>(node, name, usual);
    if (present == value)
      return;
    addNode(std::move(classes), fmt::format("with {} {} in place of {}", name, show(value), show(present)),
            [name, value](Node &changed) { changed.attributes[name] = value; });
  }
  static std::string show(int64_t value) { return fmt::format("{}", value); }
  static std::string show(float value) { return fmt::format("{:g}", value); }
  static std::string show(const std::string &value) { return value.empty() ? "none" : value; }
  static std::string show(const Integers &values) { return fmt::format("[{}]", fmt::join(values, ", ")); }

  const Tensor *constantOf(size_t input) const {
    if (input >= node.inputs.size() || node.inputs[input] == reference::absent)
      return nullptr;
    const auto entry = graph.initialisers.find(node.inputs[input]);
    return entry == graph.initialisers.end() ? nullptr : &entry->second;
  }

  // One operand in place of the result.
  void tryPassing(size_t operand, Classes classes, const std::string &words) {
    addNode(std::move(classes), words, [operand](Node &changed) {
      changed.op = "Identity";
      changed.domain.clear();
      changed.opset = 14;
      changed.inputs = {changed.inputs[operand]};
      changed.outputs.resize(1);
      changed.attributes.clear();
    });
  }

  void tryOperands() {
    if (!node.inputs.empty() && !is("Identity"))
      tryPassing(0, {rewrite, instructionCalls},
                 "left out"); // counts only if the result has the right shape, or is broadcast to it
    if (is("MatMul"))
      for (const size_t operand : {0, 1})
        tryTransposed(operand);
    tryVectors();
    const bool isBinary =
        node.inputs.size() == 2 &&
        isOneOf(std::to_array<std::string_view>({"Add", "Sub", "Mul", "Div", "Pow", "MatMul", "Min", "Max",
                                                 "Concat", "And", "Or", "Greater", "Less"}),
                node.op);
    if (!isBinary)
      return;
    if (!is("Add") && !is("Mul") && !is("Min") && !is("Max"))
      addNode({rewrite, instructionCalls}, "with its operands exchanged",
              [](Node &changed) { std::swap(changed.inputs[0], changed.inputs[1]); });
    if (is("MatMul") || is("Concat"))
      return;
    tryPassing(0, {rewrite, instructionCalls}, "without its second operand");
    tryPassing(1, {rewrite, instructionCalls}, "without its first operand");
    for (const size_t operand : {0, 1})
      addNode({memoryAllocation, rewrite},
              fmt::format("with its {} operand twice", operand ? "second" : "first"),
              [operand](Node &changed) { changed.inputs[1 - operand] = changed.inputs[operand]; });
  }

  // An operand of a matrix product with its last two axes exchanged.
  void tryTransposed(size_t operand) {
    const size_t axes = operand < ranks.size() ? ranks[operand] : 0;
    if (axes < 2)
      return;
    Integers order(axes);
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[axes - 1], order[axes - 2]);
    add({rewrite, orientation}, fmt::format("with its {} operand transposed", operand ? "second" : "first"),
        [order, operand](Graph &changed, size_t at) {
          const ValueId turned = addValue(changed);
          Node transpose = changed.nodes[at];
          transpose.op = "Transpose", transpose.opset = 13, transpose.domain.clear();
          transpose.attributes = {{"perm", order}};
          transpose.inputs = {changed.nodes[at].inputs[operand]};
          transpose.outputs = {turned};
          changed.nodes[at].inputs[operand] = turned;
          changed.nodes.insert(changed.nodes.begin() + static_cast<std::ptrdiff_t>(at), transpose);
        });
  }

  // A constant vector along another axis.
  void tryVectors() {
    const size_t axes = ranks.empty() ? 0 : std::ranges::max(ranks);
    for (size_t input = 0; input < node.inputs.size() && node.inputs.size() == 2; ++input) {
      const Tensor *vector = constantOf(input);
      if (!vector || vector->elementCount() < 2 || axes < 2 ||
          std::ranges::max(vector->shape()) != static_cast<int64_t>(vector->elementCount()))
        continue;
      for (size_t axis = 0; axis < axes; ++axis) {
        Shape shape(axes, 1);
        shape[axis] = static_cast<int64_t>(vector->elementCount());
        add({rewrite, biasLoading}, fmt::format("with its constants along axis {}", axis),
            [shape, input](Graph &changed, size_t at) {
              auto turned = changed.initialisers.at(changed.nodes[at].inputs[input]).reshaped(shape);
              if (turned)
                changed.nodes[at].inputs[input] = addConstant(changed, *std::move(turned));
            });
      }
    }
  }

  void tryFunctions() {
    // In these versions, the axes are an attribute of one and an operand of the other.
    const bool isOfTwoForms = node.op.starts_with("Reduce") && node.opset >= 13 && node.opset < 18;
    for (const auto &[op, another] : other)
      if (is(op) && !isOfTwoForms)
        addNode({instructionCalls, rewrite}, fmt::format("replaced by {}", another),
                [another](Node &changed) {
                  changed.op = another;
                  changed.outputs.resize(1);
                });
    const bool isFunction = isOneOf(functions, node.op) || is("LeakyRelu") || is("Clip") || is("Gelu");
    if (!isFunction)
      return;
    tryPassing(0, {instructionCalls, rewrite}, "without its function");
    for (const std::string_view another : functions)
      if (another != node.op)
        addNode({instructionCalls, table}, fmt::format("replaced by {}", another), [another](Node &changed) {
          changed.op = another;
          changed.attributes.clear();
          changed.inputs.resize(1);
        });
    const bool isLeaky = is("LeakyRelu");
    if (isLeaky || is("Elu") || is("HardSigmoid"))
      for (const float alpha : {0.01f, 0.1f, 0.2f, 0.25f, 1.0f})
        addAttribute<float>({instructionCalls, table}, "alpha", alpha,
                            isLeaky     ? 0.01f
                            : is("Elu") ? 1.0f
                                        : 0.2f);
  }

  void tryClip() {
    if (!is("Clip"))
      return;
    for (const size_t bound : {1, 2})
      if (bound < node.inputs.size() && node.inputs[bound] != reference::absent)
        addNode({clipping, rewrite}, fmt::format("without its {} bound", bound == 1 ? "lower" : "upper"),
                [bound](Node &changed) { changed.inputs[bound] = reference::absent; });
    if (node.inputs.size() == 3)
      addNode({rewrite, clipping}, "with its bounds exchanged",
              [](Node &changed) { std::swap(changed.inputs[1], changed.inputs[2]); });
  }

  void tryAxes() {
    const auto axes = static_cast<int64_t>(rank);
    if (isOneOf(withAxis, node.op)) {
      const bool isSoftmax = is("Softmax") || is("LogSoftmax");
      const int64_t usual = (isSoftmax && node.opset >= 13) || is("LayerNormalization")       ? -1
                            : isSoftmax || is("Flatten") || node.op.ends_with("antizeLinear") ? 1
                                                                                              : 0;
      const int64_t present = attributeOf<int64_t>(node, "axis", usual);
      for (int64_t axis = 0; axis < axes; ++axis)
        if (axis != present && axis - axes != present)
          addAttribute<int64_t>({rewrite, orientation}, "axis", axis, usual);
    }
    if (!node.op.starts_with("Reduce"))
      return;
    for (int64_t first = 0; first < axes; ++first)
      for (int64_t last = first; last < axes; ++last) {
        Integers list(static_cast<size_t>(last - first) + 1);
        std::iota(list.begin(), list.end(), first);
        tryReduced(list);
      }
  }
  void tryReduced(const Integers &axes) {
    const std::string words = fmt::format("over the axes {}", show(axes));
    const bool areInput = node.opset >= (is("ReduceSum") ? 13 : 18);
    if (areInput)
      add({rewrite, orientation}, words, [axes](Graph &changed, size_t at) {
        changed.nodes[at].inputs.resize(2);
        Tensor list(DType::i64, {static_cast<int64_t>(axes.size())});
        std::ranges::copy(axes, list.mutableAs<int64_t>().begin());
        changed.nodes[at].inputs[1] = addConstant(changed, std::move(list));
      });
    else
      addNode({rewrite, orientation}, words, [axes](Node &changed) { changed.attributes["axes"] = axes; });
  }

  void tryPermutations() {
    constexpr size_t mostAxes = 4;
    if (!is("Transpose") || rank > mostAxes)
      return;
    Integers reversed(rank);
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    const auto present = attributeOf<Integers>(node, "perm", reversed);
    Integers inverse(rank);
    for (size_t axis = 0; axis < present.size() && axis < rank; ++axis)
      inverse[static_cast<size_t>(present[axis])] = static_cast<int64_t>(axis);
    Integers order(rank);
    std::iota(order.begin(), order.end(), 0);
    const Integers unchanged = order;
    do
      if (order != present) {
        // A pass that moves or removes transpositions leaves these; other orders are of the layout of results.
        const bool isOfPass = order == inverse || order == unchanged;
        addAttribute<Integers>(isOfPass ? Classes{rewrite, orientation} : Classes{orientation, rewrite},
                               "perm", order, reversed);
        // The elements in the order of another permutation, but in the right shape.
        tryReordered(order, isOfPass);
      }
    while (std::ranges::next_permutation(order).found);
  }
  // A permutation in place of the node, whose result is then taken for one of the right shape.
  void tryReordered(const Integers &order, bool isOfPass) {
    add(isOfPass ? Classes{rewrite, orientation} : Classes{orientation, rewrite},
        fmt::format("with perm {}, read in the right shape", show(order)),
        [order](Graph &changed, size_t at) {
          Node reshape = changed.nodes[at];
          const ValueId between = addValue(changed), shape = addValue(changed), right = addValue(changed);
          Node transposed = changed.nodes[at], measure = changed.nodes[at], wrong = changed.nodes[at];
          transposed.outputs = {right};
          wrong.attributes["perm"] = order;
          wrong.outputs = {between};
          measure.op = "Shape", measure.opset = 13, measure.attributes.clear();
          measure.inputs = {right}, measure.outputs = {shape};
          reshape.op = "Reshape", reshape.opset = 13, reshape.attributes.clear();
          reshape.inputs = {between, shape};
          changed.nodes[at] = transposed;
          changed.nodes.insert(changed.nodes.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                               {measure, wrong, reshape});
        });
  }

  void tryWindows() {
    if (!isOneOf(windows, node.op))
      return;
    const size_t axes = rank > 2 ? rank - 2 : 0;
    const auto pads = attributeOf<Integers>(node, "pads", Integers(2 * axes, 0));
    if (pads.size() == 2 * axes && axes > 0) {
      Integers swapped(pads.begin() + static_cast<std::ptrdiff_t>(axes), pads.end());
      swapped.insert(swapped.end(), pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(axes));
      addAttribute<Integers>({padding, rewrite}, "pads", swapped, pads);
      for (size_t axis = 0; axis < axes; ++axis)
        for (const int64_t by : {-2, -1, 1, 2}) {
          Integers moved = pads;
          moved[axis] += by;
          moved[axis + axes] -= by;
          if (moved[axis] >= 0 && moved[axis + axes] >= 0)
            addAttribute<Integers>({padding, rewrite}, "pads", moved, pads);
        }
      if (axes == 2)
        addAttribute<Integers>({padding, rewrite}, "pads", Integers{pads[1], pads[0], pads[3], pads[2]},
                               pads);
    }
    if (is("AveragePool")) {
      addAttribute<int64_t>({padding, rewrite}, "count_include_pad",
                            attributeOf<int64_t>(node, "count_include_pad", 0) == 0 ? 1 : 0, 0);
      for (const int64_t mode : {0, 1})
        addAttribute<int64_t>({padding, rewrite}, "ceil_mode", mode, 0);
    }
    for (const char *const way : {"SAME_UPPER", "SAME_LOWER"})
      if (node.attributes.contains("auto_pad"))
        addAttribute<std::string>({padding, rewrite}, "auto_pad", way, "");
  }

  void tryResize() {
    if (!is("Resize"))
      return;
    for (const char *const mode : {"nearest", "linear", "cubic"})
      addAttribute<std::string>({rewrite, dataAccess}, "mode", mode, "nearest");
    for (const char *const mode : {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"}) {
      addAttribute<std::string>({rewrite, dataAccess}, "coordinate_transformation_mode", mode, "half_pixel");
      for (const char *const rounding : {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})
        if (attributeOf<std::string>(node, "mode", "nearest") == "nearest")
          addNode({rewrite, dataAccess},
                  fmt::format("with {} positions that are rounded by {}", mode, rounding),
                  [mode, rounding](Node &changed) {
                    changed.attributes["coordinate_transformation_mode"] = std::string(mode);
                    changed.attributes["nearest_mode"] = std::string(rounding);
                  });
    }
    for (const float coefficient : {-0.5f, -0.75f})
      addAttribute<float>({rewrite, dataAccess}, "cubic_coeff_a", coefficient, -0.75f);
  }

  void tryEpsilon() {
    if (!node.op.ends_with("Normalization"))
      return;
    for (const float epsilon : {0.0f, 1e-12f, 1e-9f, 1e-8f, 1e-7f, 1e-6f, 1e-5f, 1e-4f, 1e-3f})
      addAttribute<float>({rewrite, typeDecision}, "epsilon", epsilon, 1e-5f);
  }

  void tryGemm() {
    if (!is("Gemm"))
      return;
    for (const char *const which : {"transA", "transB"})
      addAttribute<int64_t>({orientation, rewrite}, which, attributeOf<int64_t>(node, which, 0) == 0 ? 1 : 0,
                            0);
    for (const char *const factor : {"alpha", "beta"})
      addAttribute<float>({scaling, rewrite}, factor, 1.0f, 1.0f);
    if (node.inputs.size() > 2 && node.inputs[2] != reference::absent)
      addNode({biasLoading, rewrite}, "without its bias", [](Node &changed) { changed.inputs.resize(2); });
  }

  // A reshape of the elements in the order with channels last.
  void tryShape() {
    if (!is("Reshape") && !is("Flatten"))
      return;
    if (rank < 3)
      return;
    Integers last(rank);
    std::iota(last.begin(), last.end(), 0);
    std::rotate(last.begin() + 1, last.begin() + 2, last.end());
    add({orientation, rewrite}, "of the elements with channels last", [last](Graph &changed, size_t at) {
      const ValueId turned = addValue(changed);
      Node transpose = changed.nodes[at];
      transpose.op = "Transpose", transpose.opset = 13;
      transpose.attributes = {{"perm", last}};
      transpose.inputs.resize(1);
      transpose.outputs = {turned};
      changed.nodes[at].inputs[0] = turned;
      changed.nodes.insert(changed.nodes.begin() + static_cast<std::ptrdiff_t>(at), transpose);
    });
  }

  // Whole numbers among the operands, such as the starts of a slice, moved by one.
  void tryIndices() {
    if (!is("Slice") && !is("Gather") && !is("Pad"))
      return;
    const size_t input = 1;
    constexpr int64_t farthest = int64_t{1} << 32;
    const Tensor *present = constantOf(input);
    if (present && present->dtype() == DType::i64)
      for (const int64_t by : {-1, 1})
        add({dataAccess, rewrite}, fmt::format("with indices moved by {}", by),
            [input, by](Graph &changed, size_t at) {
              Tensor moved = changed.initialisers.at(changed.nodes[at].inputs[input]);
              for (int64_t &index : moved.mutableAs<int64_t>())
                index += by;
              changed.nodes[at].inputs[input] = addConstant(changed, std::move(moved));
            });
    if (is("Pad"))
      for (const char *const mode : {"constant", "reflect", "edge"})
        addAttribute<std::string>({padding, rewrite}, "mode", mode, "constant");
  }

  void tryZeroPoint() {
    if ((is("QuantizeLinear") || is("DequantizeLinear")) && node.inputs.size() > 2 &&
        node.inputs[2] != reference::absent)
      if (const Tensor *zero = constantOf(2))
        add({quantisationType, typeDecision}, "with the zero point 0",
            [type = zero->dtype(), shape = zero->shape()](Graph &changed, size_t at) {
              changed.nodes[at].inputs[2] = addConstant(changed, Tensor(type, shape));
            });
  }

  const Graph &graph;
  const Node &node;
  std::span<const size_t> ranks; // of the operands
  size_t rank;                   // of the first one
  std::vector<NodeChange> changes;
};

} // namespace

std::vector<NodeChange> changesOf(const Graph &graph, const Node &node, std::span<const size_t> ranks) {
  return node.domain.empty() || node.domain == "ai.onnx" ? Changes(graph, node, ranks).all()
                                                         : std::vector<NodeChange>();
}

std::vector<NodeChange> exchangesOf(const Graph &graph, const Node &node) {
  const auto isMovable = [](const Node &any) {
    constexpr auto binary = std::to_array<std::string_view>({"Add", "Sub", "Mul", "Div"});
    return any.outputs.size() == 1 &&
           (isOneOf(functions, any.op) || isOneOf(binary, any.op) || any.op == "Clip" ||
            any.op == "LeakyRelu" || any.op == "BatchNormalization");
  };
  if (!isMovable(node) || node.outputs.front() == reference::absent)
    return {};
  std::vector<const Node *> readers;
  for (const Node &reader : graph.nodes)
    if (std::ranges::find(reader.inputs, node.outputs.front()) != reader.inputs.end())
      readers.push_back(&reader);
  if (readers.size() != 1 || !isMovable(*readers.front()))
    return {};
  const Node &behind = *readers.front();
  const auto at = static_cast<size_t>(&behind - graph.nodes.data());
  const size_t operand =
      static_cast<size_t>(std::ranges::find(behind.inputs, node.outputs.front()) - behind.inputs.begin());
  std::vector<NodeChange> changes;
  for (size_t input = 0; input < node.inputs.size(); ++input)
    if (node.inputs[input] != reference::absent && !graph.initialisers.contains(node.inputs[input]))
      changes.push_back(
          {fmt::format("{} '{}' and {} '{}' in the other order", node.op, node.name, behind.op, behind.name),
           {rewrite, instructionCalls},
           [at, operand, input](Graph &changed, size_t first) {
             Node &before = changed.nodes[first], &after = changed.nodes[at];
             const ValueId from = before.inputs[input], between = before.outputs[0], to = after.outputs[0];
             after.inputs[operand] = from, after.outputs[0] = between;
             before.inputs[input] = between, before.outputs[0] = to;
             std::swap(before, after);
           }});
  return changes;
}

} // namespace tilerig::verify
