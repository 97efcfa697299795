// A random graph in the making: the values that there are, and what families of operators need to add more.
//
// A family takes values from here, adds nodes, and leaves their results for others to take. Numbers are drawn
// one statement at a time, never two in one argument list: C++ does not say in which order those would be
// drawn.
#pragma once

#include "tests/support/OnnxModel.h"
#include "tests/support/Random.h"

#include <optional>
#include <set>

namespace tilerig::test {

struct RandomValue {
  std::string name;
  Shape shape;
  double size = 1; // about how large its elements are
  DType type = DType::f32;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t elements() const;
};

class RandomGraph {
public:
  RandomGraph(OnnxModel &model, int opset, uint64_t seed);

  Random random;
  const int opset;

  int nodes() const { return model.graph.node_size(); }

  // --- Values: floats of order one, unless said otherwise ---

  RandomValue input(const Shape &shape);
  // One that is there, new ones rather than old.
  RandomValue pick();
  // One of that many axes; made from another if there is none.
  RandomValue pickOfRank(int64_t least, int64_t most);
  // Another one of this shape, or something computed from constants alone.
  RandomValue pickOfShape(const Shape &shape);
  std::optional<RandomValue> pickBool();
  // Between -1 and 1; and between a half and a few.
  RandomValue bounded(const RandomValue &value);
  RandomValue positive(const RandomValue &value);
  // Away from the numbers at which a step is.
  RandomValue offStep(const RandomValue &value);

  // --- Constants, as an initialiser or as a node ---

  std::string constant(const Tensor &tensor);
  std::string floats(const Shape &shape, double low, double high);
  std::string filled(const Shape &shape, double value);
  std::string number(double value) { return filled({}, value); }
  std::string ints(const std::vector<int64_t> &values);
  std::string integer(int64_t value);
  // A shape that broadcasts to the given one without changing it.
  Shape broadcasting(const Shape &shape);

  // --- Nodes ---

  onnx::NodeProto &node(const std::string &op, const Names &inputs, int outputs = 1);
  // What the node gives, from now on there to be taken.
  RandomValue give(const onnx::NodeProto &node, const Shape &shape, double size, DType type = DType::f32,
                   int output = 0);
  // Likewise, but for the family alone: shapes and indices.
  RandomValue keep(const onnx::NodeProto &node, const Shape &shape, DType type, int output = 0);
  RandomValue unary(const std::string &op, const RandomValue &x, double size);
  RandomValue binary(const std::string &op, const RandomValue &a, const std::string &constant, double size);
  RandomValue reshaped(const RandomValue &x, const Shape &shape);
  RandomValue transposed(const RandomValue &x, const std::vector<int64_t> &perm);
  // An axis as the operator set lets one write it: also counted from the end, since set 11.
  int64_t written(int64_t axis, int64_t rank);
  // Integers that were an attribute, and are an input since that operator set.
  void setIntsOrInput(onnx::NodeProto &node, const std::string &name, const std::vector<int64_t> &values,
                      int inputSince);

  // Whether a value of that shape is small enough.
  static bool fits(const Shape &shape);

  // Declares what nobody reads, and a few others, as outputs.
  void close();

private:
  RandomValue tamed(const RandomValue &value);
  std::string fresh(const std::string &what) { return what + "_" + std::to_string(count++); }

  OnnxModel &model;
  std::vector<RandomValue> values;
  std::set<std::string> read;
  int count = 0;
  bool listsConstants, namesNodes, describesValues;
};

void describeType(onnx::ValueInfoProto &info, const RandomValue &value);

} // namespace tilerig::test
