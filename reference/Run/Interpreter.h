// Runs a model: every value named as in the file, everything that does not depend on the inputs done once.
#pragma once

#include "isa/Tensor/MemoryBudget.h"
#include "reference/Model/Graph.h"
#include "reference/Run/Options.h"
#include "reference/Run/Plan.h"

#include <map>
#include <memory>
#include <string>

namespace tilerig::reference {

class GraphRun;

using NamedTensors = std::map<std::string, Tensor>;

// Of the initialisers, in the model's file and beside it.
uint64_t weightBytes(const Model &model);

class Interpreter {
public:
  // Refuses a model with an operator that is not known, by node and name. Computes what is constant.
  static Result<Interpreter> create(Model model, RunOptions options, Threads &threads);

  // Inputs by name, of the declared types and shapes: all that the model has, and no others. Inputs that are
  // initialisers too may be left out.
  Result<NamedTensors> run(const NamedTensors &inputs) const;

  const Model &model() const { return *loaded; }

private:
  Interpreter(Model model, RunOptions options, Threads &threads);
  Status fold();
  Result<std::vector<Tensor>> orderedInputs(const NamedTensors &inputs) const;
  Status replaceInitialisers(const NamedTensors &inputs, GraphRun &run) const;

  std::unique_ptr<const Model> loaded; // the plan points into it
  RunOptions options;
  Threads *threads;
  std::shared_ptr<MemoryBudget> budget;
  Plan plan;
};

} // namespace tilerig::reference
