// An execution plan: a graph prepared to be run any number of times. It holds what is the same in every run:
// the kernel of each node, the lifetimes of values, the initialisers in the precision of the run, and the
// folded constants.
#pragma once

#include "reference/Run/Operator.h"

#include <map>
#include <memory>

namespace tilerig::reference {

enum class Precision;

// One step of an execution plan: a node with its kernel, and the values that can be released after it.
struct Step {
  const Node *node = nullptr;
  const OpEntry *entry = nullptr;
  // Values that no later node reads. `dyingBefore` lists inputs of the node: the run gives up its own
  // references to them before the node runs, so that the node can overwrite them. `dyingAfter` lists outputs
  // of the node and values that its nested graphs read: they are released after the node has run.
  std::vector<ValueId> dyingBefore, dyingAfter;
  bool folded = false;        // whether the node was computed in advance, so that its outputs are constants
  bool joined = false;        // whether an earlier step also computes this step's node (operator fusion)
  Finish finish;              // the fused element-wise nodes that this step also computes
  const Node *last = nullptr; // node that computes the step's outputs: the last fused node, or else `node`
  std::unique_ptr<Kept> kept = std::make_unique<Kept>();
};

struct Plan {
  const Graph *graph;
  std::vector<Step> steps;
  // Indexed by ValueId: the constants with which every run begins; none for values that a run computes.
  std::vector<std::optional<Tensor>> constants;
  std::map<const Graph *, std::unique_ptr<Plan>> inner; // plans of the nested graphs that nodes run

  const Plan &planOf(const Graph &body) const { return *inner.at(&body); }
};

// The values that a node reads, including those that its nested graphs read.
std::vector<ValueId> readsOf(const Node &node);

// Makes a plan with initialisers converted to the precision, and constants not yet folded. Unknown operators
// and impossible numbers of inputs are errors that name the node. The graph must outlive the plan.
Result<Plan> makePlan(const Graph &graph, Precision precision);

// The indices of the steps whose nodes depend only on constants, directly or through other nodes, in
// topological order. Initialisers that are also inputs count as inputs, not as constants.
std::vector<size_t> findConstantNodes(const Plan &plan);
// Recomputes the lifetimes of values after constant folding. Drops constants that no run reads, unless
// `keepAll`.
void finishPlan(Plan &plan, bool keepAll);

} // namespace tilerig::reference
