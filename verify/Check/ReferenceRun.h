// A model in the reference, run as often as wanted, with every value that it computes.
#pragma once

#include "isa/Tensor/TensorMap.h"
#include "reference/Run/Interpreter.h"

#include <memory>

namespace tilerig::verify {

class ReferenceRun {
public:
  // The threads have to outlive it.
  static Result<ReferenceRun> load(reference::Model model, reference::Arithmetic arithmetic,
                                   reference::Threads &threads);

  // Values of the main graph by name, as they come to be, then those of the inputs.
  Result<TensorMap> run(const TensorMap &inputs) const;
  const reference::Graph &graph() const { return interpreter.model().graph; }

private:
  ReferenceRun(std::unique_ptr<TensorMap> seen, reference::Interpreter interpreter)
      : seen(std::move(seen)), interpreter(std::move(interpreter)) {}

  std::unique_ptr<TensorMap> seen; // where the interpreter puts what it computes
  reference::Interpreter interpreter;
};

} // namespace tilerig::verify
