// Executes a graph once, node by node; the memory of a value is released after its last use.
#pragma once

#include "reference/Run/Options.h"
#include "reference/Run/Plan.h"

namespace tilerig::reference {

// State that the run of a model's main graph shares with the runs of its nested graphs.
struct RunState {
  const RunOptions &options;
  Threads &threads;
  uint64_t nodesLeft = options.nodeLimit;

  // Counts a node that is about to run. Returns an error, which begins with `place`, if the run exceeds its
  // limit of nodes.
  Status count(const std::string &place);
};

class GraphRun {
public:
  // `outer` is the run of the enclosing graph, or null for the main graph. Only tensors of the main graph are
  // captured.
  GraphRun(const Plan &plan, RunState &state, const GraphRun *outer)
      : plan(plan), graph(*plan.graph), state(state), outer(outer),
        values(plan.constants.begin(), plan.constants.end()) {}

  // Replaces an initialiser that is also an input by the caller's tensor.
  void replace(ValueId id, Tensor value) { set(id, std::move(value)); }
  // Runs the graph on inputs in the graph's order and returns its outputs.
  Result<std::vector<RuntimeValue>> run(std::vector<RuntimeValue> inputs);

  // Runs a single node whose inputs are present; value() then returns its outputs.
  Status runStep(const Step &step);
  const std::optional<RuntimeValue> &value(ValueId id) const { return values[static_cast<size_t>(id)]; }

private:
  void set(ValueId id, RuntimeValue value);
  void drop(const std::vector<ValueId> &ids);
  void releaseLargeConstants(const Node &node) const;
  Tensor stored(ValueId id, Tensor tensor) const;
  Result<std::vector<RuntimeValue>> inputsOf(const Step &step) const;
  Status keepOutputs(const Node &node, std::vector<RuntimeValue> outputs, DType halfType);
  Status capture(ValueId id);

  const Plan &plan;
  const Graph &graph;
  RunState &state;
  const GraphRun *outer;
  std::vector<std::optional<RuntimeValue>> values;
};

} // namespace tilerig::reference
