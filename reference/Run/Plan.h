// A graph prepared to be run any number of times. What is the same in every run is done here, once: which
// code serves a node, when a value dies, initialisers in the precision of the run, and every value that
// depends on nothing but constants.
#pragma once

#include "reference/Run/Operator.h"

#include <map>
#include <memory>

namespace tilerig::reference {

enum class Precision;

// One node of a plan.
struct Step {
  const Node *node = nullptr;
  const OpEntry *entry = nullptr;
  // Values that no later node reads. Those that the node's own graphs do not read either are given back
  // before it runs, so that it may work in place on what nobody else holds.
  std::vector<ValueId> dyingBefore, dyingAfter;
  bool folded = false;        // its outputs are among the constants
  bool joined = false;        // an earlier step does its work
  Finish finish;              // of the steps joined to it
  const Node *last = nullptr; // of these, or itself: its outputs are the step's
  std::unique_ptr<Kept> kept = std::make_unique<Kept>();
};

struct Plan {
  const Graph *graph;
  std::vector<Step> steps;
  // By value: what every run begins with. Empty for values that a run computes.
  std::vector<std::optional<Tensor>> constants;
  std::map<const Graph *, std::unique_ptr<Plan>> inner; // of the graphs that nodes run

  const Plan &planOf(const Graph &body) const { return *inner.at(&body); }
};

// The values that a node reads, itself and through its graphs.
std::vector<ValueId> readsOf(const Node &node);

// Initialisers are converted to the precision; nothing is folded yet. Refuses operators that are not known
// and counts of inputs that cannot be, by node. The graph must outlive the plan.
Result<Plan> makePlan(const Graph &graph, Precision precision);

// Which nodes read nothing but constants, directly or through others, in the order in which they can run.
// Initialisers that are inputs too count as inputs.
std::vector<size_t> findConstantNodes(const Plan &plan);
// Finds anew when values die, after nodes were folded; constants that no run reads are dropped unless `all`
// are to be kept.
void finishPlan(Plan &plan, bool keepAll);

} // namespace tilerig::reference
