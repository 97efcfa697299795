// A model as the interpreter sees it: values by number, nodes in an order in which they can run.
//
// Everything that can be wrong with a file without running it is found when it is loaded (Load.h); a Graph
// that exists is sound: every value that a node reads is an input, an initialiser, the output of an earlier
// node, or a value of an enclosing graph.
#pragma once

#include "isa/Tensor/Tensor.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tilerig::reference {

struct Graph;

using Attribute = std::variant<int64_t, float, std::string, Tensor, std::shared_ptr<const Graph>,
                               std::vector<int64_t>, std::vector<float>, std::vector<std::string>>;

using ValueId = int;
inline constexpr ValueId absent = -1; // an optional input or output that is not there

struct Node {
  std::string name; // as in the file, or "Op#index" where the file has none
  std::string domain, op;
  int opset = 0; // version of its domain that the model was written for
  std::vector<ValueId> inputs, outputs;
  std::map<std::string, Attribute, std::less<>> attributes;
};

// Dimensions are numbers, or unknown until the inputs are there.
using DeclaredShape = std::vector<std::optional<int64_t>>;

struct DeclaredType {
  DType type = DType::f32;
  std::optional<DeclaredShape> shape;
};

struct Value {
  std::string name;
  std::optional<DeclaredType> declared;
};

// A value of an enclosing graph that this one reads.
struct OuterValue {
  ValueId outer, inner;
};

struct Graph {
  std::string name;
  std::vector<Value> values;
  std::vector<ValueId> inputs;      // without those that are initialisers too
  std::vector<ValueId> overridable; // those: initialisers that whoever runs the model may replace
  std::vector<ValueId> outputs;
  std::map<ValueId, Tensor> initialisers;
  std::vector<OuterValue> outerValues;
  std::vector<Node> nodes;
};

struct Model {
  std::string path;
  Graph graph;
};

// How messages name a node: "node 'conv1' (Conv)".
std::string placeOf(const Node &node);
// "[?, 3, 224, 224]"
std::string showDeclared(const DeclaredShape &shape);

} // namespace tilerig::reference
