#include "reference/Run/JoinSteps.h"

#include <algorithm>
#include <map>

namespace tilerig::reference {

namespace {

class Joiner {
public:
  Joiner(Plan &plan, Threads &threads) : plan(plan), threads(threads), readers(plan.graph->values.size()) {
    for (const Step &step : plan.steps)
      if (!step.folded)
        for (ValueId id : readsOf(*step.node))
          ++readers[static_cast<size_t>(id)];
    for (ValueId id : plan.graph->outputs)
      ++readers[static_cast<size_t>(id)];
  }

  void run() {
    for (Step &step : plan.steps) {
      if (step.folded)
        continue;
      if (Step *first = stepBefore(step); first && join(*first, step))
        step.joined = true;
      else if (step.entry->finishes && isOneOfFloats(step))
        ends[step.node->outputs[0]] = &step;
    }
  }

private:
  const Tensor *constantOf(ValueId id) const {
    if (id == absent || !plan.constants[static_cast<size_t>(id)] ||
        std::ranges::count(plan.graph->overridable, id))
      return nullptr;
    return &*plan.constants[static_cast<size_t>(id)];
  }
  // Whether the step's result is certainly float32, because its weights are a constant of type float32.
  bool isOneOfFloats(const Step &step) const {
    const Tensor *weights = constantOf(step.node->inputs[1]);
    return weights && weights->dtype() == DType::f32 && weights->rank() > 0;
  }

  // The step whose result `step` reads, if it is a candidate for fusion and the result has no other reader.
  Step *stepBefore(const Step &step) const {
    if (!step.entry->asFinish)
      return nullptr;
    const ValueId id = step.node->inputs[0];
    const auto match = ends.find(id);
    return match != ends.end() && readers[static_cast<size_t>(id)] == 1 ? match->second : nullptr;
  }

  bool join(Step &first, const Step &step) {
    const Node &node = *step.node;
    std::vector<RuntimeValue> inputs(node.inputs.size());
    std::vector<bool> present;
    for (size_t i = 0; i < inputs.size(); ++i) {
      present.push_back(node.inputs[i] != absent);
      if (i == 0 || !present[i])
        continue;
      const Tensor *constant = constantOf(node.inputs[i]);
      if (!constant)
        return false;
      inputs[i] = *constant;
    }
    std::optional<FinishStep> finish = step.entry->asFinish(
        OpContext(node, std::move(inputs), std::move(present), threads, Arithmetic::fast));
    const auto channels = static_cast<size_t>(constantOf(first.node->inputs[1])->shape()[0]);
    if (!finish || (!finish->channels.empty() && finish->channels.size() != channels))
      return false;
    first.finish.add(std::move(*finish));
    ends.erase(first.last->outputs[0]);
    first.last = &node;
    ends[node.outputs[0]] = &first;
    return true;
  }

  Plan &plan;
  Threads &threads;
  std::vector<int> readers;       // number of readers of each value; being a graph output counts as one
  std::map<ValueId, Step *> ends; // the steps that can still absorb another node, by the value they compute
};

} // namespace

void joinSteps(Plan &plan, Threads &threads) { Joiner(plan, threads).run(); }

} // namespace tilerig::reference
