#include "reference/Run/GraphRun.h"

#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/Spill.h"
#include "reference/Run/Floats.h"

#include <fmt/core.h>
#include <new>
#include <stdexcept>

namespace tilerig::reference {

Status RunState::count(const std::string &place) {
  if (nodesLeft-- > 0)
    return success();
  nodesLeft = 0;
  return invalidInput(
      place, fmt::format("the run has executed {} nodes, the largest number allowed", options.nodeLimit),
      "shorten the model's loops, or raise the node limit");
}

// A tensor in the form in which the run stores it.
Tensor GraphRun::stored(ValueId id, Tensor tensor) const {
  tensor = toPrecision(std::move(tensor), state.options.precision);
  if (!outer && state.options.store)
    tensor = state.options.store(graph.values[static_cast<size_t>(id)].name, std::move(tensor));
  return tensor;
}

void GraphRun::set(ValueId id, RuntimeValue value) {
  if (auto *tensor = std::get_if<Tensor>(&value)) {
    value = stored(id, std::move(*tensor));
  } else if (auto *sequence = std::get_if<Sequence>(&value);
             sequence->type() == DType::f32 && state.options.precision == Precision::fp64) {
    // The tensors of a sequence were stored before they entered it, so that a sequence of float32 is empty.
    assert(sequence->tensors().empty());
    value = Sequence(DType::f64);
  }
  values[static_cast<size_t>(id)] = std::move(value);
}

void GraphRun::drop(const std::vector<ValueId> &ids) {
  for (ValueId id : ids)
    values[static_cast<size_t>(id)].reset();
}

// Checks that input `index` is a tensor or a sequence as the operator takes it.
static Status checkKind(const Step &step, size_t index, const RuntimeValue &value) {
  const SequenceInputs sequences = step.entry->sequences;
  const bool isSequence = std::holds_alternative<Sequence>(value);
  if (sequences == SequenceInputs::any || (sequences == SequenceInputs::carried && index >= 2))
    return success();
  const bool expected = sequences == SequenceInputs::first && index == 0;
  if (isSequence == expected)
    return success();
  return invalidInput(placeOf(*step.node),
                      expected ? fmt::format("input {} is not a sequence", index)
                               : fmt::format("input {} is a sequence of tensors, expected a tensor", index));
}

Result<std::vector<RuntimeValue>> GraphRun::inputsOf(const Step &step) const {
  const Node &node = *step.node;
  std::vector<RuntimeValue> inputs(node.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    ValueId id = node.inputs[i];
    if (id == absent)
      continue;
    if (!value(id))
      return invalidInput(placeOf(node),
                          fmt::format("input '{}' has no value, because the node that produces it did not "
                                      "write it",
                                      graph.values[static_cast<size_t>(id)].name));
    TILERIG_CHECK_OK(checkKind(step, i, *value(id)));
    inputs[i] = *value(id);
  }
  return inputs;
}

Status GraphRun::capture(ValueId id) {
  if (outer || !state.options.capture || !value(id))
    return success();
  const auto *tensor = std::get_if<Tensor>(&*value(id));
  return tensor ? state.options.capture(graph.values[static_cast<size_t>(id)].name, *tensor) : success();
}

// Runs a kernel and converts exceptions from failed allocations to errors of the node.
static Status runKernel(const OpEntry &entry, OpContext &context) {
  try {
    return entry.kernel(context);
  } catch (const std::bad_alloc &) {
    return context.invalid("the operator needs more memory than is available",
                           "raise the memory limit, or use smaller tensors");
  } catch (const std::length_error &) {
    return context.invalid("the operator needs more memory than can be addressed");
  }
}

Status GraphRun::keepOutputs(const Node &node, std::vector<RuntimeValue> outputs, DType halfType) {
  for (size_t i = 0; i < node.outputs.size(); ++i)
    if (node.outputs[i] != absent) {
      if (auto *tensor = std::get_if<Tensor>(&outputs[i]))
        *tensor = narrowHalves(std::move(*tensor), halfType);
      set(node.outputs[i], std::move(outputs[i]));
      TILERIG_CHECK_OK(capture(node.outputs[i]));
    }
  return success();
}

// Gives back pages of mapped weights that the node read, so that a model may be larger than the memory.
void GraphRun::releaseLargeConstants(const Node &node) const {
  for (const ValueId id : node.inputs)
    if (id != absent)
      if (const auto &constant = plan.constants[static_cast<size_t>(id)];
          constant && constant->sizeBytes() >= spillFromBytes)
        releasePages(constant->bytes());
}

Status GraphRun::runStep(const Step &step) {
  const Node &node = *step.node;
  std::string place = placeOf(node);
  TILERIG_CHECK_OK(state.count(place));
  TILERIG_TRY(std::vector<RuntimeValue> inputs, inputsOf(step));
  std::vector<bool> present, constant;
  for (ValueId id : node.inputs) {
    present.push_back(id != absent);
    constant.push_back(id != absent && plan.constants[static_cast<size_t>(id)].has_value());
  }
  drop(step.dyingBefore);
  DType halfType = DType::f32;
  if (step.entry->halves == HalfFloats::widened && mixesHalves(inputs, present))
    return invalidInput(place, "the float inputs have different types", "insert a Cast node");
  if (step.entry->halves != HalfFloats::native)
    halfType = widenHalves(inputs);
  OpContext context(node, std::move(inputs), std::move(present), state.threads, state.options.arithmetic);
  context.setConstants(std::move(constant), *step.kept);
  context.runGraph = [&](const Graph &body,
                         std::vector<RuntimeValue> bodyInputs) -> Result<std::vector<RuntimeValue>> {
    TILERIG_CHECK_OK(state.count(fmt::format("graph '{}'", body.name)));
    return GraphRun(plan.planOf(body), state, this).run(std::move(bodyInputs));
  };
  if (!step.finish.empty())
    context.finish = &step.finish;
  if (Status status = runKernel(*step.entry, context); !status) {
    Error error = std::move(status).error();
    return error.place.starts_with(place) ? error : error.within(place);
  }
  releaseLargeConstants(node);
  return keepOutputs(*step.last, std::move(context.outputs), halfType);
}

Result<std::vector<RuntimeValue>> GraphRun::run(std::vector<RuntimeValue> inputs) {
  if (inputs.size() != graph.inputs.size())
    return invalidInput(
        fmt::format("graph '{}'", graph.name),
        fmt::format("the graph is run with {} inputs, expected {}", inputs.size(), graph.inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i)
    set(graph.inputs[i], std::move(inputs[i]));
  for (const OuterValue &value : graph.outerValues)
    values[static_cast<size_t>(value.inner)] = outer->value(value.outer);
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const Step &step = plan.steps[i];
    if (step.folded) {
      for (ValueId id : step.node->outputs)
        if (id != absent)
          TILERIG_CHECK_OK(capture(id));
    } else {
      TILERIG_CHECK_OK(step.joined ? state.count(placeOf(*step.node)) : runStep(step));
      drop(step.dyingAfter);
    }
    if (!outer && state.options.progress)
      state.options.progress(i + 1, plan.steps.size());
  }
  std::vector<RuntimeValue> outputs;
  for (ValueId id : graph.outputs) {
    if (!value(id))
      return invalidInput(fmt::format("graph '{}'", graph.name),
                          fmt::format("output '{}' has no value, because the node that produces it did not "
                                      "write it",
                                      graph.values[static_cast<size_t>(id)].name));
    outputs.push_back(*value(id));
  }
  return outputs;
}

} // namespace tilerig::reference
