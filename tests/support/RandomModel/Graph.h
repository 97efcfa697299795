// A random ONNX graph under construction: its values so far, and helpers with which the operator families add
// more values.
//
// A family is a function that takes values from the graph, adds nodes, and adds the nodes' results as values
// for other families. Random numbers are drawn one per statement, never two in one argument list, because C++
// leaves the order of evaluation open.
#pragma once

#include "tests/support/OnnxModel.h"
#include "tests/support/Random.h"
#include "tests/support/RandomModel/RandomModel.h"

#include <optional>
#include <set>

namespace tilerig::test {

struct RandomValue {
  std::string name;
  Shape shape;
  double size = 1; // approximate magnitude of the value's elements
  DType type = DType::f32;
  // Not empty if the first axis has a size that depends on data, which the shape states as -1. Values with the same
  // text here have the same size.
  std::string rows = {};

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t elements() const;
  bool isOpen() const { return !rows.empty(); }
};

class RandomGraph {
public:
  RandomGraph(OnnxGraph &model, int opset, uint64_t seed);
  // A graph inside of an attribute of a node of `outer`. Its names begin with `prefix`, which is unique in the model.
  // Nodes inside may read the values of `outer`.
  RandomGraph(OnnxGraph &model, RandomGraph &outer, const std::string &prefix);

  Random random;
  const int opset;
  const int depth = 0; // number of graphs around this one
  RandomOperators operators = RandomOperators::core;

  int nodes() const { return model.graph.node_size(); }

  // The values of the graph are fp32 with magnitudes around one, and have fixed shapes, unless stated otherwise.

  RandomValue input(const Shape &shape, DType type = DType::f32);
  // Picks an fp32 value of the graph; recent ones are more likely.
  RandomValue pick();
  // Picks a value with `least` to `most` axes; reshapes another value if none is found.
  RandomValue pickOfRank(int64_t least, int64_t most);
  // Picks a value of the graph that has this shape, or computes one from constants.
  RandomValue pickOfShape(const Shape &shape);
  std::optional<RandomValue> pickBool() { return pickOfType(DType::boolean); }
  std::optional<RandomValue> pickOfType(DType type);
  // A value whose rows depend on data; of the rows `rows` unless that is empty.
  std::optional<RandomValue> pickOpen(const std::string &rows = "");
  // bounded() and positive() compute a new value from `value`, with elements in a known range: between -1 and
  // 1 for bounded(), between a half and a few for positive().
  RandomValue bounded(const RandomValue &value);
  RandomValue positive(const RandomValue &value);
  // Computes from `value` a value whose elements stay away from the points where step functions jump.
  RandomValue offStep(const RandomValue &value);

  // Each constant is added to the graph either as an initialiser or as a Constant node.

  std::string constant(const Tensor &tensor);
  std::string floats(const Shape &shape, double low, double high);
  std::string filled(const Shape &shape, double value);
  std::string number(double value) { return filled({}, value); }
  std::string ints(const std::vector<int64_t> &values);
  std::string integer(int64_t value);
  // A constant of an integer type with random elements in low .. high.
  std::string whole(DType type, const Shape &shape, int64_t low, int64_t high);
  // A random shape that numpy's broadcasting extends to `shape`.
  Shape broadcasting(const Shape &shape);

  // --- Nodes ---

  onnx::NodeProto &node(const std::string &op, const Names &inputs, int outputs = 1);
  // A node of one of ONNX Runtime's own operators.
  onnx::NodeProto &runtimeNode(const std::string &op, const Names &inputs, int outputs = 1);
  // Registers an output of the node as a value that later operators may read.
  RandomValue give(const onnx::NodeProto &node, const Shape &shape, double size, DType type = DType::f32,
                   int output = 0);
  // The same for a result whose first axis has the size of `rows`.
  RandomValue giveOpen(const onnx::NodeProto &node, const Shape &shape, double size, const std::string &rows,
                       int output = 0);
  // Returns an output of the node without registering it: it is for the calling family's own use (shapes and
  // indices), and later operators do not read it.
  RandomValue keep(const onnx::NodeProto &node, const Shape &shape, DType type, int output = 0);
  RandomValue unary(const std::string &op, const RandomValue &x, double size);
  RandomValue binary(const std::string &op, const RandomValue &a, const std::string &constant, double size);
  RandomValue reshaped(const RandomValue &x, const Shape &shape);
  RandomValue transposed(const RandomValue &x, const std::vector<int64_t> &perm);
  // An axis as an attribute states it; from operator set 11 on it is sometimes negative, counted from the
  // end.
  int64_t written(int64_t axis, int64_t rank);
  // Sets a parameter of a node that consists of integers, such as axes: as an attribute before operator set
  // `inputSince`, as an input from then on.
  void setIntsOrInput(onnx::NodeProto &node, const std::string &name, const std::vector<int64_t> &values,
                      int inputSince);

  // Whether a value of this shape has few enough elements for a random model.
  static bool fits(const Shape &shape);

  // Ends the graph: declares all values that no node reads, and a few others, as outputs of the model.
  void close();
  // Declares `value` as the next result of a graph inside of a node.
  void result(const RandomValue &value);

private:
  RandomValue tamed(const RandomValue &value);
  std::string fresh(const std::string &stem) { return prefix + stem + "_" + std::to_string(count++); }

  OnnxGraph &model;
  const std::string prefix;
  std::vector<RandomValue> values;
  std::set<std::string> read;
  int count = 0;
  bool listsConstants, namesNodes, describesValues;
};

void describeType(onnx::ValueInfoProto &info, const RandomValue &value);

} // namespace tilerig::test
