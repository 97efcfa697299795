// The interpreter of ONNX models. Values are named as in the file; work that does not depend on inputs is
// done once.
#pragma once

#include "isa/Base/Tensor/MemoryBudget.h"
#include "reference/Model/Graph.h"
#include "reference/Run/Options.h"
#include "reference/Run/Plan.h"

#include <map>
#include <memory>
#include <string>

namespace tilerig::reference {

class GraphRun;

// Inputs or outputs of a model, by name.
using NamedTensors = std::map<std::string, Tensor>;

// Size in bytes of the initialisers, in the model's file and in external files.
uint64_t weightBytes(const Model &model);

// A loaded model that is ready to run, any number of times.
class Interpreter {
public:
  // Prepares a model and folds its constants. Returns an error for an unknown operator, naming it and its
  // node.
  static Result<Interpreter> create(Model model, RunOptions options, Threads &threads);

  // Runs the model on inputs that are given by name, with the declared types and shapes. All inputs of the
  // model must be given, and no others; only inputs that are also initialisers may be omitted.
  Result<NamedTensors> run(const NamedTensors &inputs) const;

  // The ONNX model that was loaded, with its names and declared shapes.
  const Model &model() const { return *loaded; }

private:
  Interpreter(Model model, RunOptions options, Threads &threads);
  Status fold();
  Result<std::vector<Tensor>> orderedInputs(const NamedTensors &inputs) const;
  Status replaceInitialisers(const NamedTensors &inputs, GraphRun &run) const;

  std::unique_ptr<const Model> loaded; // the loaded model, into which `plan` holds pointers
  RunOptions options;
  Threads *threads;
  std::shared_ptr<MemoryBudget> budget;
  Plan plan;
};

} // namespace tilerig::reference
