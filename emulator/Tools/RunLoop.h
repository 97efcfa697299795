// Runs of a program in a loop: `tilerig run --loop STEPS --state OUTPUT=INPUT,…`.
#pragma once

#include "isa/Base/CommandLine/CommandLine.h"
#include "isa/Base/CommandLine/IdleOptions.h"
#include "isa/Program/StateLinks.h"

#include <functional>

namespace tilerig::emulator {

struct LoopArguments {
  unsigned steps = 0;             // 0: the program does not run in a loop
  std::vector<std::string> state; // links in the form OUTPUT=INPUT
};

void addLoopOptions(CommandOptions &options, LoopArguments &arguments);

// Makes the inputs of a step, counted from 0. Inputs that are state are used only in step 0.
using InputsOfStep = std::function<Result<TensorMap>(size_t step)>;
// Inputs from a seed: those of each step from the next seed.
InputsOfStep inputsFromSeed(const Program &program, uint64_t seed);
// Inputs that were read: the same in every step, except those that have a tensor for each step along a first
// axis of their own.
InputsOfStep inputsFromTensors(const Program &program, TensorMap inputs, unsigned steps);

// Whether a tensor of this shape holds one tensor of the shape `one` for each of several steps, along a first
// axis of its own.
bool isPerStep(const Shape &shape, const Shape &one, unsigned steps);

// The inputs of a program in each step of a loop, and the results of all steps.
class RunLoop {
public:
  static Result<RunLoop> create(const Program &program, const std::vector<std::string> &state,
                                InputsOfStep inputsOfStep);

  // The inputs of the next step, with the state that the step before has computed.
  Result<TensorMap> nextInputs() const;
  // Keeps the results of a step.
  Status finishStep(const TensorMap &outputs, const TensorMap &captured);

  // The results of all steps, each with a first axis for the steps.
  Result<TensorMap> outputs() const { return joined(outputsOfSteps); }
  Result<TensorMap> captured() const { return joined(capturedOfSteps); }

private:
  RunLoop(std::vector<StateLink> links, InputsOfStep inputsOfStep)
      : links(std::move(links)), inputsOfStep(std::move(inputsOfStep)) {}
  static Result<TensorMap> joined(const std::vector<TensorMap> &steps);

  std::vector<StateLink> links;
  InputsOfStep inputsOfStep;
  std::vector<TensorMap> outputsOfSteps, capturedOfSteps;
};

} // namespace tilerig::emulator
