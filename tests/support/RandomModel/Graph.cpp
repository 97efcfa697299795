#include "tests/support/RandomModel/Graph.h"

#include <cmath>
#include <numeric>

namespace tilerig::test {

namespace {

constexpr int64_t mostElements = 12000;
constexpr double mostSize = 6; // values of larger magnitude are scaled down before use

} // namespace

int64_t RandomValue::elements() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

void describeType(onnx::ValueInfoProto &info, const RandomValue &value) {
  info.set_name(value.name);
  auto &type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnxNumber(value.type));
  type.mutable_shape();
  for (int64_t size : value.shape)
    if (auto &axis = *type.mutable_shape()->add_dim(); size >= 0)
      axis.set_dim_value(size);
}

RandomGraph::RandomGraph(OnnxGraph &model, int opset, uint64_t seed)
    : random(seed), opset(opset), model(model) {
  listsConstants = opset < 9 && random.chance(50);
  namesNodes = random.chance(80);
  describesValues = random.chance(50);
}

RandomGraph::RandomGraph(OnnxGraph &model, RandomGraph &outer, const std::string &prefix)
    : random(outer.random.next()), opset(outer.opset), depth(outer.depth + 1), operators(outer.operators),
      model(model), prefix(prefix), values(outer.values), listsConstants(false), namesNodes(outer.namesNodes),
      describesValues(outer.describesValues) {
  model.graph.set_name(prefix + "graph");
}

// --- Values ---

RandomValue RandomGraph::input(const Shape &shape, DType type) {
  RandomValue value{fresh("input"), shape, 1, type};
  model.input(value.name, value.type, value.shape);
  values.push_back(value);
  return value;
}

RandomValue RandomGraph::pick() {
  std::vector<size_t> floats;
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i].type == DType::f32 && !values[i].isOpen())
      floats.push_back(i);
  const size_t back = random.ragged(floats.size());
  return tamed(values[floats[floats.size() - back]]);
}

RandomValue RandomGraph::pickOfRank(int64_t least, int64_t most) {
  for (int attempt = 0; attempt < 6; ++attempt) {
    const RandomValue value = pick();
    if (value.rank() >= least && value.rank() <= most)
      return value;
  }
  const RandomValue value = pick();
  Shape shape(static_cast<size_t>(random.between(least, most)), 1);
  int64_t rest = value.elements();
  for (int64_t factor = 2; rest > 1; ++factor)
    for (; rest % factor == 0; rest /= factor) {
      if (shape.empty())
        return value;
      shape[random.below(shape.size())] *= factor;
    }
  return reshaped(value, shape);
}

RandomValue RandomGraph::pickOfShape(const Shape &shape) {
  std::vector<RandomValue> same;
  for (const RandomValue &value : values)
    if (value.type == DType::f32 && value.shape == shape)
      same.push_back(value);
  if (!same.empty())
    return tamed(random.pick(same));
  const std::string a = floats(shape, -1, 1), b = floats(shape, -1, 1);
  return give(node("Add", {a, b}), shape, 1);
}

std::optional<RandomValue> RandomGraph::pickOfType(DType type) {
  std::vector<RandomValue> candidates;
  for (const RandomValue &value : values)
    if (value.type == type && !value.isOpen())
      candidates.push_back(value);
  if (candidates.empty())
    return {};
  return random.pick(candidates);
}

std::optional<RandomValue> RandomGraph::pickOpen(const std::string &rows) {
  std::vector<RandomValue> candidates;
  for (const RandomValue &value : values)
    if (value.isOpen() && (rows.empty() || value.rows == rows))
      candidates.push_back(value);
  if (candidates.empty())
    return {};
  return tamed(candidates[candidates.size() - random.ragged(candidates.size())]);
}

RandomValue RandomGraph::bounded(const RandomValue &value) {
  return unary(random.pick({"Tanh", "Sin", "Softsign"}), value, 0.5);
}

RandomValue RandomGraph::positive(const RandomValue &value) {
  const RandomValue part =
      unary(random.pick({"Sigmoid", "Abs", "Softplus"}), value, std::max(0.5, value.size));
  const double offset = static_cast<double>(random.between(2, 8)) / 4;
  return binary("Add", part, number(offset), part.size + offset);
}

RandomValue RandomGraph::offStep(const RandomValue &value) {
  return binary("Add", value, floats({}, 0.1, 0.4), value.size + 0.25);
}

RandomValue RandomGraph::tamed(const RandomValue &value) {
  if (value.size <= mostSize && value.size >= 1 / mostSize)
    return value;
  const double factor = std::exp2(-std::round(std::log2(value.size)));
  if (value.isOpen()) {
    const std::string constant = number(factor);
    return giveOpen(node("Mul", {value.name, constant}), value.shape, value.size * factor, value.rows);
  }
  return binary("Mul", value, number(factor), value.size * factor);
}

// --- Constants ---

std::string RandomGraph::constant(const Tensor &tensor) {
  const std::string name = fresh("constant");
  if (random.chance(20)) {
    setTensor(model.node("Constant", {}, {name}), "value", tensor);
  } else {
    model.initialiser(name, tensor);
    if (listsConstants)
      model.input(name, tensor.dtype(), tensor.shape());
  }
  return name;
}

std::string RandomGraph::floats(const Shape &shape, double low, double high) {
  Tensor tensor(DType::f32, shape);
  for (float &element : tensor.mutableAs<float>())
    element = static_cast<float>(low + (high - low) * static_cast<double>(random.below(1 << 20)) / (1 << 20));
  return constant(tensor);
}

std::string RandomGraph::filled(const Shape &shape, double value) {
  Tensor tensor(DType::f32, shape);
  for (float &element : tensor.mutableAs<float>())
    element = static_cast<float>(value);
  return constant(tensor);
}

std::string RandomGraph::ints(const std::vector<int64_t> &values) {
  Tensor tensor(DType::i64, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.mutableAs<int64_t>().begin());
  return constant(tensor);
}

std::string RandomGraph::integer(int64_t value) { return constant(Tensor::scalar<int64_t>(value)); }

std::string RandomGraph::whole(DType type, const Shape &shape, int64_t low, int64_t high) {
  Tensor tensor(type, shape);
  dispatch(type, [&]<class T>() {
    if constexpr (std::is_integral_v<T>)
      for (T &element : tensor.mutableAs<T>())
        element = static_cast<T>(random.between(low, high));
  });
  return constant(tensor);
}

Shape RandomGraph::broadcasting(const Shape &shape) {
  Shape result = shape;
  const unsigned percent = random.pick({0u, 40u, 80u, 100u});
  for (int64_t &size : result)
    if (random.chance(percent))
      size = 1;
  if (random.chance(60))
    while (!result.empty() && result.front() == 1)
      result.erase(result.begin());
  return result;
}

// --- Nodes ---

onnx::NodeProto &RandomGraph::node(const std::string &op, const Names &inputs, int outputs) {
  read.insert(inputs.begin(), inputs.end());
  Names names;
  for (int i = 0; i < outputs; ++i)
    names.push_back(fresh(op));
  onnx::NodeProto &nodeProto = model.node(op, inputs, names);
  if (!namesNodes)
    nodeProto.clear_name();
  return nodeProto;
}

onnx::NodeProto &RandomGraph::runtimeNode(const std::string &op, const Names &inputs, int outputs) {
  onnx::NodeProto &nodeProto = node(op, inputs, outputs);
  nodeProto.set_domain("com.microsoft");
  return nodeProto;
}

RandomValue RandomGraph::keep(const onnx::NodeProto &node, const Shape &shape, DType type, int output) {
  const RandomValue value{node.output(output), shape, 1, type};
  if (describesValues)
    describeType(*model.graph.add_value_info(), value);
  return value;
}

RandomValue RandomGraph::give(const onnx::NodeProto &node, const Shape &shape, double size, DType type,
                              int output) {
  RandomValue value = keep(node, shape, type, output);
  value.size = size;
  values.push_back(value);
  return value;
}

RandomValue RandomGraph::giveOpen(const onnx::NodeProto &node, const Shape &shape, double size,
                                  const std::string &rows, int output) {
  const RandomValue value{node.output(output), shape, size, DType::f32, rows};
  if (describesValues)
    describeType(*model.graph.add_value_info(), value);
  values.push_back(value);
  return value;
}

RandomValue RandomGraph::unary(const std::string &op, const RandomValue &x, double size) {
  return give(node(op, {x.name}), x.shape, size);
}

RandomValue RandomGraph::binary(const std::string &op, const RandomValue &a, const std::string &constant,
                                double size) {
  const bool commutes = op == "Add" || op == "Mul";
  if (commutes && random.chance(40))
    return give(node(op, {constant, a.name}), a.shape, size);
  return give(node(op, {a.name, constant}), a.shape, size);
}

RandomValue RandomGraph::reshaped(const RandomValue &x, const Shape &shape) {
  std::vector<int64_t> wanted = shape;
  const bool isLeftOpen = !shape.empty() && random.chance(40);
  if (isLeftOpen)
    wanted[random.below(wanted.size())] = -1;
  for (size_t i = 0; i < wanted.size() && i < x.shape.size(); ++i)
    if (wanted[i] == x.shape[i] && random.chance(30))
      wanted[i] = 0; // for a size of 0, Reshape takes the input's size
  return give(node("Reshape", {x.name, ints(wanted)}), shape, x.size);
}

RandomValue RandomGraph::transposed(const RandomValue &x, const std::vector<int64_t> &perm) {
  Shape shape;
  for (int64_t axis : perm)
    shape.push_back(x.shape[static_cast<size_t>(axis)]);
  onnx::NodeProto &transpose = node("Transpose", {x.name});
  setInts(transpose, "perm", perm);
  return give(transpose, shape, x.size);
}

int64_t RandomGraph::written(int64_t axis, int64_t rank) {
  return opset >= 11 && random.chance(40) ? axis - rank : axis;
}

void RandomGraph::setIntsOrInput(onnx::NodeProto &node, const std::string &name,
                                 const std::vector<int64_t> &values, int inputSince) {
  if (opset < inputSince) {
    setInts(node, name, values);
    return;
  }
  node.add_input(ints(values));
  // A constant that was added as a Constant node must stand before the node that reads it.
  if (&node != &model.graph.node(nodes() - 1))
    model.graph.mutable_node()->SwapElements(nodes() - 2, nodes() - 1);
}

bool RandomGraph::fits(const Shape &shape) {
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  return elements <= mostElements;
}

void RandomGraph::close() {
  const size_t before = values.size();
  for (size_t i = 0; i < before; ++i) {
    const RandomValue &value = values[i];
    const bool isInput = value.name.starts_with("input");
    if (isInput || (read.contains(value.name) && !random.chance(4)))
      continue;
    describeType(*model.graph.add_output(), value);
  }
}

void RandomGraph::result(const RandomValue &value) { describeType(*model.graph.add_output(), value); }

} // namespace tilerig::test
