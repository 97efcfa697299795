#include "reference/Run/Interpreter.h"

#include "reference/Run/Floats.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::reference {

namespace {

// A graph prepared to run: the entry of every node, and which values die after it.
struct Plan {
  std::vector<const OpEntry *> entries;
  std::vector<std::vector<ValueId>> lastUses;
};

void collectSubgraphs(const Node &node, std::vector<const Graph *> &graphs) {
  for (const auto &[name, attribute] : node.attributes)
    if (auto graph = std::get_if<std::shared_ptr<const Graph>>(&attribute))
      graphs.push_back(graph->get());
}

// The values that a node reads, through its subgraphs too.
std::vector<ValueId> readsOf(const Node &node) {
  std::vector<ValueId> reads = node.inputs;
  std::vector<const Graph *> graphs;
  collectSubgraphs(node, graphs);
  for (const Graph *graph : graphs)
    for (const OuterValue &value : graph->outerValues)
      reads.push_back(value.outer);
  return reads;
}

Result<const OpEntry *> entryOf(const Node &node) {
  auto place = fmt::format("node '{}' ({})", node.name, node.op);
  const OpEntry *entry = findOp(node.domain, node.op, node.opset);
  if (!entry) {
    auto name = fmt::format("operator {}{}{}", node.domain, node.domain.empty() ? "" : ".", node.op);
    std::string_view reason = whyLeftOut(node.domain, node.op);
    return unsupported(place, reason.empty() ? fmt::format("{} of opset {} is not known", name, node.opset)
                                             : fmt::format("{} {}", name, reason));
  }
  size_t count = node.inputs.size();
  if (count < entry->leastInputs || count > entry->mostInputs)
    return invalidInput(place, fmt::format("has {} inputs", count));
  for (size_t i = 0; i < entry->leastInputs; ++i)
    if (node.inputs[i] == absent)
      return invalidInput(place, fmt::format("input {} is missing", i));
  return entry;
}

Status checkOperators(const Graph &graph) {
  for (const Node &node : graph.nodes) {
    TRY([[maybe_unused]] const OpEntry *entry, entryOf(node));
    std::vector<const Graph *> graphs;
    collectSubgraphs(node, graphs);
    for (const Graph *inner : graphs)
      CHECK_OK(checkOperators(*inner));
  }
  return success();
}

Result<Plan> planOf(const Graph &graph) {
  Plan plan;
  std::vector<int> lastUse(graph.values.size(), -1);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    TRY(const OpEntry *entry, entryOf(graph.nodes[i]));
    plan.entries.push_back(entry);
    for (ValueId id : graph.nodes[i].outputs)
      if (id != absent)
        lastUse[id] = static_cast<int>(i);
    for (ValueId id : readsOf(graph.nodes[i]))
      if (id != absent)
        lastUse[id] = static_cast<int>(i);
  }
  for (ValueId id : graph.outputs)
    lastUse[id] = -1;
  plan.lastUses.resize(graph.nodes.size());
  for (size_t id = 0; id < lastUse.size(); ++id)
    if (lastUse[id] >= 0)
      plan.lastUses[lastUse[id]].push_back(static_cast<ValueId>(id));
  return plan;
}

// One run of one graph.
class Run {
public:
  Run(const Graph &graph, const RunOptions &options, Threads &threads, bool isMain)
      : graph(graph), options(options), threads(threads), isMain(isMain), values(graph.values.size()) {}

  Result<std::vector<Tensor>> operator()(std::vector<Tensor> inputs, const Run *outer) {
    TRY(Plan plan, planOf(graph));
    if (inputs.size() != graph.inputs.size())
      return invalidInput(fmt::format("graph '{}'", graph.name),
                          fmt::format("is given {} inputs and has {}", inputs.size(), graph.inputs.size()));
    for (const auto &[id, tensor] : graph.initialisers)
      values[id] = toPrecision(tensor, options.precision);
    for (size_t i = 0; i < inputs.size(); ++i)
      values[graph.inputs[i]] = toPrecision(std::move(inputs[i]), options.precision);
    for (const OuterValue &value : graph.outerValues)
      values[value.inner] = outer->values[value.outer];
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      CHECK_OK(step(graph.nodes[i], *plan.entries[i], plan.lastUses[i]));
      if (isMain && options.progress)
        options.progress(i + 1, graph.nodes.size());
    }
    std::vector<Tensor> outputs;
    for (ValueId id : graph.outputs)
      outputs.push_back(*values[id]);
    return outputs;
  }

private:
  Status step(const Node &node, const OpEntry &entry, const std::vector<ValueId> &dying) {
    std::vector<Tensor> inputs(node.inputs.size());
    std::vector<bool> present(node.inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      ValueId id = node.inputs[i];
      present[i] = id != absent;
      if (id == absent)
        continue;
      if (!values[id])
        return invalidInput(
            fmt::format("node '{}' ({})", node.name, node.op),
            fmt::format("reads '{}', which its producer did not write", graph.values[id].name));
      inputs[i] = *values[id];
    }
    // Given back before the operator runs, so that it may work in place on what nobody else holds.
    for (ValueId id : dying)
      if (!readByInnerGraph(node, id))
        values[id].reset();
    DType halfType = DType::f32;
    if (entry.halves == HalfFloats::widened)
      halfType = widenHalves(inputs);
    OpContext context(node, std::move(inputs), std::move(present), threads, options.arithmetic);
    context.runGraph = [this](const Graph &inner, std::vector<Tensor> given) {
      return Run(inner, options, threads, false)(std::move(given), this);
    };
    CHECK_OK(entry.kernel(context));
    for (ValueId id : dying)
      values[id].reset();
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == absent)
        continue;
      Tensor value = narrowHalves(std::move(context.outputs[i]), halfType);
      value = roundToPrecision(std::move(value), options.precision);
      if (isMain && options.capture)
        options.capture(graph.values[node.outputs[i]].name, value);
      if (std::find(dying.begin(), dying.end(), node.outputs[i]) == dying.end())
        values[node.outputs[i]] = std::move(value);
    }
    return success();
  }

  static bool readByInnerGraph(const Node &node, ValueId id) {
    std::vector<const Graph *> graphs;
    collectSubgraphs(node, graphs);
    for (const Graph *inner : graphs)
      for (const OuterValue &value : inner->outerValues)
        if (value.outer == id)
          return true;
    return false;
  }

  const Graph &graph;
  const RunOptions &options;
  Threads &threads;
  bool isMain;
  std::vector<std::optional<Tensor>> values;
};

Status checkInput(const Value &value, const Tensor &tensor) {
  auto place = fmt::format("input '{}'", value.name);
  if (!value.declared)
    return success();
  if (tensor.dtype() != value.declared->type)
    return invalidInput(place, fmt::format("is {}, and the model wants {}", nameOf(tensor.dtype()),
                                           nameOf(value.declared->type)));
  if (!value.declared->shape)
    return success();
  const auto &wanted = *value.declared->shape;
  bool fits = wanted.size() == tensor.rank();
  for (size_t i = 0; fits && i < wanted.size(); ++i)
    fits = !wanted[i] || *wanted[i] == tensor.shape()[i];
  if (fits)
    return success();
  std::string text;
  for (const auto &dim : wanted)
    text += (text.empty() ? "" : ", ") + (dim ? std::to_string(*dim) : "?");
  return invalidInput(place,
                      fmt::format("has shape {}, and the model wants [{}]", showShape(tensor.shape()), text));
}

} // namespace

Result<Interpreter> Interpreter::create(Model model, RunOptions options, Threads &threads) {
  if (Status status = checkOperators(model.graph); !status)
    return status.error().within(model.path);
  return Interpreter(std::move(model), std::move(options), threads);
}

Result<NamedTensors> Interpreter::run(const NamedTensors &inputs) const {
  const Graph &graph = loaded.graph;
  std::vector<Tensor> ordered;
  for (ValueId id : graph.inputs) {
    auto found = inputs.find(graph.values[id].name);
    if (found == inputs.end())
      return invalidInput(loaded.path, fmt::format("input '{}' is not given", graph.values[id].name));
    if (Status status = checkInput(graph.values[id], found->second); !status)
      return status.error().within(loaded.path);
    ordered.push_back(found->second);
  }
  for (const auto &[name, tensor] : inputs)
    if (std::none_of(graph.inputs.begin(), graph.inputs.end(),
                     [&](ValueId id) { return graph.values[id].name == name; }))
      return invalidInput(loaded.path, fmt::format("has no input '{}'", name), "remove it from the inputs");
  auto outputs = Run(graph, options, *threads, true)(std::move(ordered), nullptr);
  if (!outputs)
    return outputs.error().within(loaded.path);
  NamedTensors named;
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    named.emplace(graph.values[graph.outputs[i]].name, std::move((*outputs)[i]));
  return named;
}

} // namespace tilerig::reference
