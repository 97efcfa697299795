// One run of one graph: node by node, memory given back after a value's last use.
#pragma once

#include "reference/Run/Options.h"
#include "reference/Run/Plan.h"

namespace tilerig::reference {

// What a run and those of the graphs inside it have in common.
struct RunState {
  const RunOptions &options;
  Threads &threads;
  uint64_t nodesLeft = options.nodeLimit;

  // Counts a node; refused when there were too many.
  Status count(const std::string &place);
};

class GraphRun {
public:
  // `outer`: the run around it; null for the main graph, whose values are captured.
  GraphRun(const Plan &plan, RunState &state, const GraphRun *outer)
      : plan(plan), graph(*plan.graph), state(state), outer(outer), values(plan.constants) {}

  // In the place of an initialiser that is an input too.
  void replace(ValueId id, Tensor value) { set(id, std::move(value)); }
  // Inputs in the order of the graph's; gives its outputs.
  Result<std::vector<Tensor>> run(std::vector<Tensor> inputs);

  // One node by itself, whose inputs must be there; its outputs stay.
  Status runStep(const Step &step);
  const std::optional<Tensor> &value(ValueId id) const { return values[static_cast<size_t>(id)]; }

private:
  void set(ValueId id, Tensor value);
  void drop(const std::vector<ValueId> &ids);
  Result<std::vector<Tensor>> inputsOf(const Node &node) const;
  Status keepOutputs(const Node &node, std::vector<Tensor> outputs, DType halfType);
  Status capture(ValueId id);

  const Plan &plan;
  const Graph &graph;
  RunState &state;
  const GraphRun *outer;
  std::vector<std::optional<Tensor>> values;
};

} // namespace tilerig::reference
