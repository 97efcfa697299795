// The interpreter's representation of an ONNX model: values by number, nodes in topological order.
//
// Everything that can be checked without running a model is checked when it is loaded (Load.h), so a Graph is
// always valid: every value that a node reads is an input, an initialiser, the output of an earlier node, or
// a value of an enclosing graph.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tilerig::reference {

struct Graph;

// The value of a node's attribute, in one of the attribute types of ONNX.
using Attribute = std::variant<int64_t, float, std::string, Tensor, std::shared_ptr<const Graph>,
                               std::vector<int64_t>, std::vector<float>, std::vector<std::string>>;

// The number of a value of a graph: its index in Graph::values.
using ValueId = int;
inline constexpr ValueId absent = -1; // an optional input or output that is omitted

// An operation of a graph, with its operands and attributes.
struct Node {
  std::string name; // as in the file, or "Op#index" where the file has none
  std::string domain, op;
  int opset = 0; // version of the operator's domain for which the model was written
  std::vector<ValueId> inputs, outputs;
  std::map<std::string, Attribute, std::less<>> attributes;
};

// A shape as a model declares it; a dimension without a value is unknown until the inputs are known.
using DeclaredShape = std::vector<std::optional<int64_t>>;

// The type and shape that a model declares for a value.
struct DeclaredType {
  DType type = DType::f32;
  std::optional<DeclaredShape> shape;
};

// A value of a graph: an input, an initialiser, an output of a node, or a value of an enclosing graph.
struct Value {
  std::string name;
  std::optional<DeclaredType> declared;
};

// A value of an enclosing graph that a nested graph reads: its numbers in the two graphs.
struct OuterValue {
  ValueId outer, inner;
};

// A graph of a model: the main graph, or a graph that is an attribute of a node.
struct Graph {
  std::string name;
  std::vector<Value> values;
  std::vector<ValueId> inputs;      // inputs of the graph that are not initialisers
  std::vector<ValueId> overridable; // inputs that are also initialisers: the caller may replace them
  std::vector<ValueId> outputs;
  std::map<ValueId, Tensor> initialisers;
  std::vector<OuterValue> outerValues;
  std::vector<Node> nodes;
};

// A loaded ONNX file.
struct Model {
  std::string path;
  Graph graph;
};

// The name of a node in messages: "node 'conv1' (Conv)".
std::string placeOf(const Node &node);
// A declared shape as text: "[?, 3, 224, 224]".
std::string showDeclared(const DeclaredShape &shape);

} // namespace tilerig::reference
