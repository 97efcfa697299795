#include "verify/Check/FloatForms.h"

#include "reference/Model/Load.h"
#include "reference/Model/Tensors.h"
#include "reference/Run/Interpreter.h"
#include "verify/Check/Rounding.h"
#include "verify/Check/SourceModel.h"
#include "verify/Check/WidenHalves.h"
#include "verify/Inputs/Transpose.h"

#include <algorithm>

namespace tilerig::verify {

namespace {

constexpr const char *place = "the emitted layers in floats";

bool isSum(const onnx::NodeProto &node) {
  static const std::set<std::string> sums = {"Conv",  "Gemm", "MatMul", "AveragePool", "GlobalAveragePool",
                                             "LpPool"};
  return sums.contains(node.op_type()) || node.op_type().starts_with("Reduce");
}

bool isIntegerSum(const onnx::NodeProto &node) {
  return node.op_type() == "MatMulInteger" || node.op_type() == "ConvInteger";
}

bool isHalf(const Tensor &tensor) { return tensor.dtype() == DType::f16 || tensor.dtype() == DType::bf16; }

bool isMove(const onnx::NodeProto &node) {
  return node.op_type() == "Reshape" || node.op_type() == "Transpose" || node.op_type() == "Identity";
}

// Operators that do not magnify an error of their first input.
constexpr std::string_view gentleOperators[] = {"Add",       "Cast",      "Clip",    "Identity",
                                                "LeakyRelu", "Relu",      "Reshape", "Sigmoid",
                                                "Tanh",      "Transpose", "Softsign"};

bool isGentle(const onnx::NodeProto *node) {
  return std::ranges::find(gentleOperators, node->op_type()) != std::end(gentleOperators);
}

reference::RunOptions inDoubles() {
  reference::RunOptions options;
  options.precision = reference::Precision::fp64;
  return options;
}

void declare(onnx::GraphProto &graph, const std::string &name, const Tensor &like) {
  onnx::ValueInfoProto &input = *graph.add_input();
  input.set_name(name);
  onnx::TypeProto::Tensor &type = *input.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnxNumber(like.dtype()));
  // ONNX requires a shape of every graph input, even of a scalar, whose shape has no dimensions.
  type.mutable_shape();
  for (const int64_t size : like.shape())
    type.mutable_shape()->add_dim()->set_dim_value(size);
}

} // namespace

Result<FloatForms> FloatForms::of(const onnx::ModelProto &layers, reference::Threads &threads) {
  FloatForms forms(layers, threads);
  const onnx::GraphProto &graph = layers.graph();
  for (int i = 0; i < graph.node_size(); ++i)
    for (const std::string &output : graph.node(i).output())
      forms.makers[output] = i;
  // Large constants are not copied; the caller keeps the model alive.
  const reference::TensorSource tensors(place, "",
                                        std::shared_ptr<const void>(std::shared_ptr<void>(), &layers));
  for (const onnx::TensorProto &initialiser : graph.initializer()) {
    TILERIG_TRY(forms.constants[initialiser.name()], tensors.read(initialiser, initialiser.name()));
  }
  return forms;
}

const Tensor *FloatForms::constant(const std::string &tensor) const {
  const auto entry = constants.find(tensor);
  return entry == constants.end() ? nullptr : &entry->second;
}

Result<Operands> FloatForms::completed(Operands operands) const {
  std::vector<std::string> names;
  for (const auto &[name, value] : operands)
    names.push_back(name);
  while (!names.empty()) {
    const std::string name = std::move(names.back());
    names.pop_back();
    const onnx::NodeProto *node = maker(name);
    if (!node || node->op_type() != "Transpose" || operands.contains(node->input(0)))
      continue;
    const auto &order = node->attribute(0).ints();
    std::vector<size_t> back(static_cast<size_t>(order.size()));
    for (int i = 0; i < order.size(); ++i)
      back[static_cast<size_t>(order[i])] = static_cast<size_t>(i);
    TILERIG_TRY(operands[node->input(0)], transpose(operands.at(name), back));
    names.push_back(node->input(0));
  }
  return operands;
}

std::set<int> FloatForms::nodesTo(const std::string &tensor, const Operands &operands) const {
  std::set<int> nodes;
  std::vector<std::string> wanted = {tensor};
  while (!wanted.empty()) {
    const std::string name = std::move(wanted.back());
    wanted.pop_back();
    const auto maker = makers.find(name);
    if (operands.contains(name) || maker == makers.end() || !nodes.insert(maker->second).second)
      continue;
    const auto &inputs = layers->graph().node(maker->second).input();
    wanted.insert(wanted.end(), inputs.begin(), inputs.end());
  }
  return nodes;
}

const onnx::NodeProto *FloatForms::maker(const std::string &tensor) const {
  const auto entry = makers.find(tensor);
  return entry == makers.end() ? nullptr : &layers->graph().node(entry->second);
}

std::string FloatForms::firstOn(const std::string &tensor, const Operands &operands,
                                const std::function<bool(const onnx::NodeProto &)> &isOfKind) const {
  const std::set<int> nodes = nodesTo(tensor, operands);
  // Other results of a node, such as the means that a norm also returns, do not count.
  const auto isRead = [&](const std::string &result) {
    return result == tensor || std::ranges::any_of(nodes, [&](int reader) {
             return std::ranges::count(layers->graph().node(reader).input(), result) > 0;
           });
  };
  for (const int node : nodes)
    if (isOfKind(layers->graph().node(node)) && isRead(layers->graph().node(node).output(0)))
      return layers->graph().node(node).output(0);
  return "";
}

std::string FloatForms::sumOn(const std::string &tensor, const Operands &operands) const {
  if (std::string sum = firstOn(tensor, operands, isSum); !sum.empty())
    return sum;
  const std::set<int> nodes = nodesTo(tensor, operands);
  for (const int node : nodes)
    if (isIntegerSum(layers->graph().node(node)))
      return realsOfSum(layers->graph().node(node), nodes);
  return "";
}

std::vector<std::string> FloatForms::sumsOn(const std::string &tensor, const Operands &operands) const {
  std::vector<std::string> sums;
  for (const int node : nodesTo(tensor, operands))
    if (isSum(layers->graph().node(node)))
      sums.push_back(layers->graph().node(node).output(0));
  return sums;
}

// Follows an integer sum through the addition of an integer bias, a Cast, and the multiplication by a scale.
// Returns the name of the scaled tensor; empty if there are other operators between.
std::string FloatForms::realsOfSum(const onnx::NodeProto &sum, const std::set<int> &nodes) const {
  std::string at = sum.output(0);
  bool isReal = false;
  // Indices of nodes ascend in the order of execution.
  for (const int index : nodes) {
    const onnx::NodeProto &node = layers->graph().node(index);
    if (std::ranges::find(node.input(), at) == node.input().end())
      continue;
    if (node.op_type() == "Mul" && isReal)
      return node.output(0);
    if (node.op_type() != "Cast" && (isReal || node.op_type() != "Add"))
      return "";
    isReal = node.op_type() == "Cast";
    at = node.output(0);
  }
  return "";
}

const onnx::NodeProto *FloatForms::roundingOf(const std::string &tensor) const {
  const onnx::NodeProto *node = maker(tensor);
  while (node && isMove(*node))
    node = maker(node->input(0));
  return node && node->op_type() == "QuantizeLinear" ? node : nullptr;
}

bool FloatForms::endsInAddition(const std::string &tensor) const {
  const onnx::NodeProto *rounding = roundingOf(tensor);
  const onnx::NodeProto *node = maker(tensor);
  while (node && (isMove(*node) || node == rounding))
    node = maker(node->input(0));
  return node && node->op_type() == "Add";
}

std::vector<const onnx::NodeProto *> FloatForms::pathFrom(const std::string &sum, const std::string &tensor,
                                                          const Operands &operands) const {
  std::vector<const onnx::NodeProto *> path;
  for (std::string at = tensor; at != sum;) {
    const onnx::NodeProto *node = maker(at);
    path.push_back(node);
    if (node == maker(sum)) // both are results of one node
      return path;
    at = *std::ranges::find_if(node->input(), [&](const std::string &input) {
      return input == sum || nodesTo(input, operands).contains(makers.at(sum));
    });
  }
  return path;
}

bool FloatForms::keepsErrors(const std::string &sum, const std::string &tensor,
                             const Operands &operands) const {
  return std::ranges::all_of(pathFrom(sum, tensor, operands), isGentle);
}

Result<Tensor> FloatForms::moved(const Tensor &value, const std::string &sum, const std::string &tensor,
                                 const Operands &operands) const {
  // Nodes on the path from `tensor` back to `sum`, all of which only move elements.
  std::vector<onnx::NodeProto> moves;
  for (const onnx::NodeProto *node : pathFrom(sum, tensor, operands))
    if (isMove(*node))
      moves.push_back(*node);
  onnx::GraphProto graph;
  std::string last = sum;
  for (auto move = moves.rbegin(); move != moves.rend(); ++move) {
    move->set_input(0, last);
    last = move->output(0);
    *graph.add_node() = *move;
  }
  return run(std::move(graph), last, {{sum, value}}, inDoubles());
}

onnx::GraphProto FloatForms::partTo(const std::string &tensor, const Operands &operands) const {
  onnx::GraphProto graph;
  for (const int node : nodesTo(tensor, operands))
    *graph.add_node() = layers->graph().node(node);
  return graph;
}

Result<Tensor> FloatForms::compute(const std::string &tensor, const Operands &operands) const {
  onnx::GraphProto graph = partTo(tensor, operands);
  const onnx::NodeProto *rounding = roundingOf(tensor);
  for (onnx::NodeProto &node : *graph.mutable_node())
    if (rounding && node.output(0) == rounding->output(0)) {
      node.set_op_type("Identity");
      node.clear_attribute();
      node.mutable_input()->DeleteSubrange(1, node.input_size() - 1);
    }
  return run(std::move(graph), tensor, operands, inDoubles());
}

Result<Tensor> FloatForms::computeAsStated(const std::string &tensor, const Operands &operands) const {
  reference::RunOptions options;
  options.arithmetic = reference::Arithmetic::machine;
  return run(partTo(tensor, operands), tensor, operands, options);
}

Result<Tensor> FloatForms::run(onnx::GraphProto graph, const std::string &tensor, const Operands &operands,
                               const reference::RunOptions &options) const {
  if (graph.node().empty()) // the tensor is not computed, because it is an operand of the layer or a constant
    return operands.contains(tensor) ? operands.at(tensor) : constants.at(tensor);
  const bool isWide = options.precision == reference::Precision::fp64;
  std::set<std::string> read;
  for (const onnx::NodeProto &node : graph.node())
    read.insert(node.input().begin(), node.input().end());
  reference::NamedTensors inputs;
  for (const std::string &name : read) {
    const auto operand = operands.find(name);
    if (const Tensor *value = operand == operands.end() ? constant(name) : &operand->second) {
      const Tensor known = isWide && isHalf(*value) ? asDoubles(*value) : *value;
      declare(graph, name, known);
      inputs.emplace(name, known);
    }
  }
  graph.set_name("form");
  graph.add_output()->set_name(tensor);
  onnx::ModelProto model;
  model.set_ir_version(layers->ir_version());
  *model.mutable_opset_import() = layers->opset_import();
  *model.mutable_graph() = std::move(graph);
  TILERIG_TRY(const std::string bytes, bytesOf(model, place));
  TILERIG_TRY(reference::Model form, reference::parseModel(std::as_bytes(std::span(bytes)), place, ""));
  if (isWide)
    widenHalves(form, DType::f64);
  TILERIG_TRY(const auto interpreter, reference::Interpreter::create(std::move(form), options, *threads));
  TILERIG_TRY(const reference::NamedTensors outputs, interpreter.run(inputs));
  return outputs.at(tensor);
}

} // namespace tilerig::verify
