// Runs a model in the reference interpreter any number of times and captures every value that it computes.
#pragma once

#include "isa/Base/Tensor/Spill.h"
#include "isa/Base/Tensor/TensorMap.h"
#include "reference/Run/Interpreter.h"

#include <memory>

namespace tilerig::verify {

class ReferenceRun {
public:
  // The threads run the interpreter, and must outlive the object.
  static Result<ReferenceRun> load(reference::Model model, reference::Arithmetic arithmetic,
                                   reference::Threads &threads);

  // Returns the values of the model's main graph by name: those that nodes compute, in their order, then the
  // inputs.
  Result<TensorMap> run(const TensorMap &inputs) const;
  const reference::Graph &graph() const { return interpreter.model().graph; }

private:
  // Receives every value that the interpreter computes.
  struct Seen {
    TensorMap values;
    LimitedMemory memory;
  };

  ReferenceRun(std::unique_ptr<Seen> seen, reference::Interpreter interpreter)
      : seen(std::move(seen)), interpreter(std::move(interpreter)) {}

  std::unique_ptr<Seen> seen;
  reference::Interpreter interpreter;
};

} // namespace tilerig::verify
