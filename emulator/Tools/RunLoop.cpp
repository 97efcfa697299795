#include "emulator/Tools/RunLoop.h"

#include "emulator/Tools/RunInputs.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::emulator {

namespace {

Shape shapeOfStep(const Shape &shape) { return Shape(shape.begin() + 1, shape.end()); }

// The tensor of one step, of a tensor that has one for each step.
Result<Tensor> tensorOfStep(const Tensor &all, size_t step) {
  TILERIG_TRY(Tensor one, Tensor::make(all.dtype(), shapeOfStep(all.shape())));
  std::ranges::copy(all.bytes().subspan(step * one.sizeBytes(), one.sizeBytes()), one.mutableBytes().begin());
  return one;
}

Result<Tensor> copyOf(const Tensor &tensor) {
  TILERIG_TRY(Tensor copy, Tensor::make(tensor.dtype(), tensor.shape()));
  std::ranges::copy(tensor.bytes(), copy.mutableBytes().begin());
  return copy;
}

Result<TensorMap> copyOf(const TensorMap &tensors) {
  TensorMap copies;
  for (const NamedTensor &each : tensors) {
    TILERIG_TRY(Tensor copy, copyOf(each.tensor));
    TILERIG_CHECK_OK(copies.add(each.name, std::move(copy)));
  }
  return copies;
}

} // namespace

void addLoopOptions(CommandOptions &options, LoopArguments &arguments) {
  options
      .addOption(
          "--loop", arguments.steps,
          "run this number of steps; random inputs are made from the next seed in each step; a file of --inputs may "
          "have one tensor for each step, along a first axis of its own, else an input is the same in every step; "
          "outputs and captured tensors get such an axis")
      .range(1, 1000000);
  options
      .addOption("--state", arguments.state,
                 "OUTPUT=INPUT,…: with --loop, outputs that become inputs of the next step, such as "
                 "present_key=past_key; the inputs of the first step come from --inputs or --seed")
      .delimiter(',')
      .oneValueEach();
}

bool isPerStep(const Shape &shape, const Shape &one, unsigned steps) {
  return shape.size() == one.size() + 1 && shape.front() == static_cast<int64_t>(steps) &&
         shapeOfStep(shape) == one;
}

InputsOfStep inputsFromSeed(const Program &program, uint64_t seed) {
  return [&program, seed](size_t step) { return seededInputs(program, seed + step); };
}

InputsOfStep inputsFromTensors(const Program &program, TensorMap inputs, unsigned steps) {
  return [&program, inputs = std::move(inputs), steps](size_t step) -> Result<TensorMap> {
    TensorMap ofStep = inputs;
    for (const proto::Tensor &tensor : program.metadata.tensors())
      if (Tensor *const input = tensor.role() == proto::INPUT ? ofStep.find(tensor.name()) : nullptr;
          input && isPerStep(input->shape(), Shape(tensor.shape().begin(), tensor.shape().end()), steps)) {
        TILERIG_TRY(*input, tensorOfStep(*input, step));
      }
    return ofStep;
  };
}

Result<RunLoop> RunLoop::create(const Program &program, const std::vector<std::string> &state,
                                InputsOfStep inputsOfStep) {
  TILERIG_TRY(std::vector<StateLink> links, readStateLinks(state, program));
  return RunLoop(std::move(links), std::move(inputsOfStep));
}

Result<TensorMap> RunLoop::nextInputs() const {
  TILERIG_TRY(TensorMap inputs, inputsOfStep(outputsOfSteps.size()));
  if (!outputsOfSteps.empty())
    carryState(links, outputsOfSteps.back(), inputs);
  return inputs;
}

Status RunLoop::finishStep(const TensorMap &outputs, const TensorMap &captured) {
  for (const auto &[results, kept] : {std::pair{&outputs, &outputsOfSteps}, {&captured, &capturedOfSteps}}) {
    TILERIG_TRY(TensorMap copies, copyOf(*results));
    kept->push_back(std::move(copies));
  }
  return success();
}

Result<TensorMap> RunLoop::joined(const std::vector<TensorMap> &steps) {
  TensorMap all;
  for (const NamedTensor &first : steps.front()) {
    Shape shape = first.tensor.shape();
    shape.insert(shape.begin(), static_cast<int64_t>(steps.size()));
    TILERIG_TRY(Tensor joined, Tensor::make(first.tensor.dtype(), shape));
    auto next = joined.mutableBytes().begin();
    for (const TensorMap &step : steps)
      next = std::ranges::copy(step.find(first.name)->bytes(), next).out;
    TILERIG_CHECK_OK(all.add(first.name, std::move(joined)));
  }
  return all;
}

} // namespace tilerig::emulator
