#include "verify/Dumps/ModelOfDumps.h"

#include "reference/Model/Load.h"

#include <algorithm>

namespace tilerig::verify {

namespace {

using reference::Node;
using reference::ValueId;

// The graphs that are attributes of a node.
std::vector<const reference::Graph *> subgraphsOf(const Node &node) {
  std::vector<const reference::Graph *> graphs;
  for (const auto &[name, attribute] : node.attributes)
    if (const auto *inner = std::get_if<std::shared_ptr<const reference::Graph>>(&attribute))
      graphs.push_back(inner->get());
  return graphs;
}

bool isProduct(const Node &node) { return node.op == "Conv" || node.op == "Gemm" || node.op == "MatMul"; }

// Functions of one element, with constants as other operands.
bool isElementwise(const Node &node) {
  constexpr std::string_view ops[] = {"Relu",
                                      "LeakyRelu",
                                      "Clip",
                                      "Sigmoid",
                                      "Tanh",
                                      "HardSigmoid",
                                      "HardSwish",
                                      "Elu",
                                      "Selu",
                                      "Softplus",
                                      "Erf",
                                      "Add",
                                      "Sub",
                                      "Mul",
                                      "Div",
                                      "Gelu",
                                      "Mish",
                                      "BatchNormalization",
                                      "Identity",
                                      "Cast",
                                      "PRelu",
                                      "Softsign",
                                      "Swish",
                                      "QuantizeLinear",
                                      "DequantizeLinear"};
  return std::ranges::find(ops, node.op) != std::end(ops);
}

bool onlyMoves(const Node &node) {
  constexpr std::string_view ops[] = {"Reshape",   "Flatten", "Squeeze", "Unsqueeze", "Identity",
                                      "Transpose", "Slice",   "Split",   "Concat",    "Gather",
                                      "Expand",    "Pad",     "Dropout", "Shape"};
  return std::ranges::find(ops, node.op) != std::end(ops);
}

struct Kind {
  std::string_view op, kind;
};
constexpr Kind kinds[] = {
    {"Gemm", "MatMul"},
    {"GlobalAveragePool", "AveragePool"},
    {"GlobalMaxPool", "MaxPool"},
    {"Relu", "Activation"},
    {"LeakyRelu", "Activation"},
    {"Clip", "Activation"},
    {"Sigmoid", "Activation"},
    {"Tanh", "Activation"},
    {"HardSigmoid", "Activation"},
    {"HardSwish", "Activation"},
    {"Elu", "Activation"},
    {"Gelu", "Activation"},
    {"Erf", "Activation"},
    {"Exp", "Activation"},
    {"Sqrt", "Activation"},
    {"Cast", "Convert"},
    {"QuantizeLinear", "Convert"},
    {"DequantizeLinear", "Convert"},
    {"Sum", "Add"},
    {"LayerNormalization", "Norm"},
    {"InstanceNormalization", "Norm"},
    {"LRN", "Norm"},
    {"BatchNormalization", "Mul"},
    {"Flatten", "Reshape"},
    {"Squeeze", "Reshape"},
    {"Unsqueeze", "Reshape"},
    {"Upsample", "Resize"},
    {"ConvTranspose", "Conv"},
    {"GroupNormalization", "Norm"},
    {"Split", "Slice"},
};

} // namespace

std::vector<std::string> ProductNode::values() const {
  std::vector<std::string> names;
  for (const std::string *name : {&input, &weights, &bias, &addend, &weightsBefore, &biasBefore})
    if (!name->empty())
      names.push_back(*name);
  names.insert(names.end(), normConstants.begin(), normConstants.end());
  return names;
}

ModelOfDumps::ModelOfDumps(std::unique_ptr<Hooks> hooks, reference::Interpreter made,
                           reference::Threads &threads)
    : hooks(std::move(hooks)), interpreter(std::move(made)), pool(&threads) {
  for (const ValueId id : graph().inputs)
    inputNames.push_back(nameOf(id));
  for (const auto &[id, tensor] : graph().initialisers)
    constants.insert(nameOf(id));
  for (const Node &node : graph().nodes) {
    const bool isFixed = readsOnlyConstants(node);
    for (const ValueId id : node.outputs)
      if (id != reference::absent) {
        producers.emplace(nameOf(id), &node);
        (isFixed ? (void)constants.insert(nameOf(id)) : computedNames.push_back(nameOf(id)));
      }
  }
}

Result<ModelOfDumps> ModelOfDumps::load(const std::string &path, reference::Threads &threads) {
  TILERIG_TRY(reference::Model model, reference::loadModel(path));
  return of(std::move(model), threads);
}

Result<ModelOfDumps> ModelOfDumps::of(reference::Model model, reference::Threads &threads) {
  auto hooks = std::make_unique<Hooks>();
  reference::RunOptions options;
  options.store = [own = hooks.get()](const std::string &name, Tensor value) {
    if (own->substitute)
      if (std::optional<Tensor> other = (*own->substitute)(name, value))
        return *std::move(other);
    return value;
  };
  options.capture = [own = hooks.get()](const std::string &name, const Tensor &value) {
    if (own->visit)
      (*own->visit)(name, value);
    return success();
  };
  TILERIG_TRY(reference::Interpreter interpreter,
              reference::Interpreter::create(std::move(model), std::move(options), threads));
  return ModelOfDumps(std::move(hooks), std::move(interpreter), threads);
}

const std::string &ModelOfDumps::nameOf(ValueId id) const {
  return graph().values[static_cast<size_t>(id)].name;
}

bool ModelOfDumps::isConstant(ValueId id) const { return constants.contains(nameOf(id)); }

// Whether a node reads nothing else, in its branches and loops, too.
bool ModelOfDumps::readsOnlyConstants(const Node &node) const {
  const auto isFixed = [&](ValueId id) { return id == reference::absent || isConstant(id); };
  return std::ranges::all_of(node.inputs, isFixed) &&
         std::ranges::all_of(subgraphsOf(node), [&](const reference::Graph *inner) {
           return std::ranges::all_of(inner->outerValues,
                                      [&](const auto &value) { return isFixed(value.outer); });
         });
}

// Whether the node is a batch normalisation whose numbers are constants.
bool ModelOfDumps::isNormOfConstants(const Node *node) const {
  return node && node->op == "BatchNormalization" && node->inputs.size() == 5 &&
         std::ranges::all_of(node->inputs.begin() + 1, node->inputs.end(),
                             [&](ValueId id) { return isConstant(id); });
}

// Whether the node multiplies something computed by constant weights.
bool ModelOfDumps::isProductOfConstants(const Node &node) const {
  return isProduct(node) && node.inputs.size() >= 2 && !isConstant(node.inputs[0]) &&
         isConstant(node.inputs[1]);
}

// The name of a product's constant bias; empty if there is none.
std::string ModelOfDumps::biasOf(const Node &node) const {
  return node.inputs.size() > 2 && node.inputs[2] != reference::absent && isConstant(node.inputs[2])
             ? nameOf(node.inputs[2])
             : "";
}

const Node *ModelOfDumps::producerOf(const std::string &value) const {
  const auto entry = producers.find(value);
  return entry == producers.end() ? nullptr : entry->second;
}

std::string ModelOfDumps::kindOf(const std::string &value) const {
  const Node *node = producerOf(value);
  if (!node)
    return "";
  const auto *const kind = std::ranges::find(kinds, node->op, &Kind::op);
  return std::string(kind == std::end(kinds) ? std::string_view(node->op) : kind->kind);
}

std::string ModelOfDumps::nodeOf(const std::string &value) const {
  const Node *node = producerOf(value);
  return node ? node->name : "";
}

Status ModelOfDumps::run(const reference::NamedTensors &inputs, const Substitute &substitute,
                         const Visit &visit) const {
  *hooks = {&substitute, &visit};
  const auto outputs = interpreter.run(inputs);
  *hooks = {};
  if (!outputs)
    return outputs.error();
  for (const auto &[id, tensor] : graph().initialisers)
    visit(nameOf(id), tensor);
  return success();
}

size_t ModelOfDumps::nodesBehind(const std::string &value, const std::set<std::string> &dumped) const {
  std::set<const Node *> found, counted;
  std::vector<const Node *> open = {producerOf(value)};
  while (!open.empty()) {
    const Node *node = open.back();
    open.pop_back();
    if (!node || !found.insert(node).second)
      continue;
    if (!onlyMoves(*node))
      counted.insert(node);
    for (const ValueId id : node->inputs)
      if (id != reference::absent && !isConstant(id) && !dumped.contains(nameOf(id)))
        open.push_back(producerOf(nameOf(id)));
  }
  return counted.size();
}

std::set<std::string> ModelOfDumps::followersOf(const std::set<std::string> &values,
                                                const std::set<std::string> &known) const {
  std::set<std::string> followers = values;
  const auto isFollower = [&](ValueId id) {
    return id != reference::absent && followers.contains(nameOf(id)) && !known.contains(nameOf(id));
  };
  for (const Node &node : graph().nodes) {
    bool follows = std::ranges::any_of(node.inputs, isFollower);
    for (const reference::Graph *inner : subgraphsOf(node))
      follows |=
          std::ranges::any_of(inner->outerValues, [&](const auto &value) { return isFollower(value.outer); });
    for (const ValueId id : node.outputs)
      if (follows && id != reference::absent)
        followers.insert(nameOf(id));
  }
  return followers;
}

std::optional<DType> ModelOfDumps::typeOfInput(const std::string &name) const {
  for (const ValueId id : graph().inputs)
    if (const auto &declared = graph().values[static_cast<size_t>(id)].declared;
        nameOf(id) == name && declared)
      return declared->type;
  return {};
}

std::optional<ProductNode> ModelOfDumps::productBehind(const std::string &value,
                                                       const std::set<std::string> &dumped) const {
  ProductNode found;
  const Node *last = nullptr; // the node behind `at`
  for (std::string at = value;;) {
    const Node *node = producerOf(at);
    if (!node || constants.contains(at))
      return {};
    if (isProduct(*node)) {
      if (!isProductOfConstants(*node))
        return {};
      found.node = node;
      found.input = nameOf(node->inputs[0]);
      found.weights = nameOf(node->inputs[1]);
      found.bias = biasOf(*node);
      if (isNormOfConstants(last)) {
        found.norm = last;
        for (size_t i = 1; i < 5; ++i)
          found.normConstants.push_back(nameOf(last->inputs[i]));
      }
      for (const Node &other : graph().nodes) {
        if (&other == node)
          break;
        if (isProductOfConstants(other))
          found.before = &other;
      }
      if (found.before) {
        found.weightsBefore = nameOf(found.before->inputs[1]);
        found.biasBefore = biasOf(*found.before);
      }
      return found;
    }
    if (!isElementwise(*node) || !found.addend.empty()) // the addend must be added to the sums themselves
      return {};
    std::vector<std::string> open, others; // operands that lead on to a product, and those of the dump
    for (const ValueId id : node->inputs)
      if (id != reference::absent && !isConstant(id))
        (dumped.contains(nameOf(id)) || !producerOf(nameOf(id)) ? others : open).push_back(nameOf(id));
    if (open.size() != 1 || others.size() > 1)
      return {};
    if (!others.empty() && node->op == "Add")
      found.addend = others.front();
    else if (!others.empty())
      return {};
    at = open.front();
    last = node;
  }
}

std::optional<PartOfModel> ModelOfDumps::partBehind(const std::string &value,
                                                    const std::set<std::string> &known,
                                                    size_t mostNodes) const {
  PartOfModel part;
  reference::Graph &taken = part.model.graph;
  taken.values = graph().values;
  std::set<const Node *> found;
  std::set<ValueId> inputs;
  std::vector<const Node *> open = {producerOf(value)};
  const std::set<ValueId> ofModel(graph().inputs.begin(), graph().inputs.end());
  const auto read = [&](ValueId id) {
    if (const auto constant = graph().initialisers.find(id); constant != graph().initialisers.end())
      taken.initialisers.insert(*constant);
    else if (known.contains(nameOf(id)) || ofModel.contains(id))
      inputs.insert(id);
    else
      open.push_back(producerOf(nameOf(id)));
  };
  while (!open.empty()) {
    const Node *node = open.back();
    open.pop_back();
    if (!node || !subgraphsOf(*node).empty())
      return {};
    if (!found.insert(node).second)
      continue;
    if (found.size() > mostNodes)
      return {};
    for (const ValueId id : node->inputs)
      if (id != reference::absent)
        read(id);
  }
  for (const Node &node : graph().nodes)
    if (found.contains(&node))
      taken.nodes.push_back(node);
  taken.inputs.assign(inputs.begin(), inputs.end());
  for (size_t id = 0; id < taken.values.size(); ++id)
    if (taken.values[id].name == value)
      taken.outputs = {static_cast<ValueId>(id)};
  for (reference::Value &any : taken.values)
    any.declared.reset(); // shapes that the file declares may not hold for changed nodes
  return part;
}

} // namespace tilerig::verify
