#include "reference/Run/Plan.h"

#include "reference/Run/Floats.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::reference {

static std::vector<const Graph *> subgraphsOf(const Node &node) {
  std::vector<const Graph *> graphs;
  for (const auto &[name, attribute] : node.attributes)
    if (auto graph = std::get_if<std::shared_ptr<const Graph>>(&attribute))
      graphs.push_back(graph->get());
  return graphs;
}

static std::vector<ValueId> readsOfSubgraphs(const Node &node) {
  std::vector<ValueId> reads;
  for (const Graph *graph : subgraphsOf(node))
    for (const OuterValue &value : graph->outerValues)
      reads.push_back(value.outer);
  return reads;
}

std::vector<ValueId> readsOf(const Node &node) {
  std::vector<ValueId> reads = readsOfSubgraphs(node);
  std::ranges::copy_if(node.inputs, std::back_inserter(reads), [](ValueId id) { return id != absent; });
  return reads;
}

static Result<const OpEntry *> entryOf(const Node &node) {
  std::string place = placeOf(node);
  const OpEntry *entry = findOp(node.domain, node.op, node.opset);
  if (!entry) {
    auto name = fmt::format("operator {}{}{}", node.domain, node.domain.empty() ? "" : ".", node.op);
    std::string_view reason = whyLeftOut(node.domain, node.op);
    return unsupported(place, reason.empty() ? fmt::format("{} of opset {} is not known", name, node.opset)
                                             : fmt::format("{} {}", name, reason));
  }
  size_t count = node.inputs.size();
  if (count < entry->leastInputs || count > entry->mostInputs)
    return invalidInput(
        place, fmt::format("the node has {} inputs, a number that the operator does not accept", count));
  for (size_t i = 0; i < entry->leastInputs; ++i)
    if (node.inputs[i] == absent)
      return invalidInput(place, fmt::format("input {} is missing", i));
  if (node.outputs.empty())
    return invalidInput(place, "has no outputs");
  return entry;
}

Result<Plan> makePlan(const Graph &graph, Precision precision) {
  Plan plan{&graph, {}, std::vector<std::optional<Tensor>>(graph.values.size()), {}};
  for (const auto &[id, tensor] : graph.initialisers)
    plan.constants[static_cast<size_t>(id)] = toPrecision(tensor, precision);
  for (const Node &node : graph.nodes) {
    TILERIG_TRY(const OpEntry *entry, entryOf(node));
    Step &step = plan.steps.emplace_back();
    step.node = step.last = &node;
    step.entry = entry;
    for (const Graph *body : subgraphsOf(node)) {
      TILERIG_TRY(Plan inner, makePlan(*body, precision));
      plan.inner.emplace(body, std::make_unique<Plan>(std::move(inner)));
    }
  }
  finishPlan(plan, true);
  return plan;
}

std::vector<size_t> findConstantNodes(const Plan &plan) {
  std::vector<bool> isConstant(plan.constants.size());
  for (size_t id = 0; id < isConstant.size(); ++id)
    isConstant[id] = plan.constants[id].has_value();
  for (ValueId id : plan.graph->overridable)
    isConstant[static_cast<size_t>(id)] = false;
  std::vector<size_t> constantNodes;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const Node &node = *plan.steps[i].node;
    if (!std::ranges::all_of(readsOf(node), [&](ValueId id) { return isConstant[static_cast<size_t>(id)]; }))
      continue;
    constantNodes.push_back(i);
    for (ValueId id : node.outputs)
      if (id != absent)
        isConstant[static_cast<size_t>(id)] = true;
  }
  return constantNodes;
}

void finishPlan(Plan &plan, bool keepAll) {
  constexpr int nobody = -1;
  std::vector<int> lastUse(plan.graph->values.size(), nobody);
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    Step &step = plan.steps[i];
    step.dyingBefore.clear();
    step.dyingAfter.clear();
    if (step.folded)
      continue;
    for (ValueId id : step.node->outputs)
      if (id != absent)
        lastUse[static_cast<size_t>(id)] = static_cast<int>(i);
    for (ValueId id : readsOf(*step.node))
      lastUse[static_cast<size_t>(id)] = static_cast<int>(i);
  }
  std::vector<bool> isOutput(lastUse.size());
  for (ValueId id : plan.graph->outputs)
    isOutput[static_cast<size_t>(id)] = true;
  for (size_t id = 0; id < lastUse.size(); ++id) {
    if (isOutput[id])
      continue;
    if (lastUse[id] == nobody) {
      if (!keepAll)
        plan.constants[id].reset();
      continue;
    }
    Step &last = plan.steps[static_cast<size_t>(lastUse[id])];
    auto value = static_cast<ValueId>(id);
    bool held = std::ranges::count(readsOfSubgraphs(*last.node), value) ||
                std::ranges::count(last.node->outputs, value);
    (held ? last.dyingAfter : last.dyingBefore).push_back(value);
  }
}

} // namespace tilerig::reference
