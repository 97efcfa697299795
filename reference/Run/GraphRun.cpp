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

void GraphRun::set(ValueId id, Tensor value) {
  value = toPrecision(std::move(value), state.options.precision);
  if (!outer && state.options.store)
    value = state.options.store(graph.values[static_cast<size_t>(id)].name, std::move(value));
  values[static_cast<size_t>(id)] = std::move(value);
}

void GraphRun::drop(const std::vector<ValueId> &ids) {
  for (ValueId id : ids)
    values[static_cast<size_t>(id)].reset();
}

Result<std::vector<Tensor>> GraphRun::inputsOf(const Node &node) const {
  std::vector<Tensor> inputs(node.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    ValueId id = node.inputs[i];
    if (id == absent)
      continue;
    if (!value(id))
      return invalidInput(placeOf(node),
                          fmt::format("input '{}' has no value, because the node that produces it did not "
                                      "write it",
                                      graph.values[static_cast<size_t>(id)].name));
    inputs[i] = *value(id);
  }
  return inputs;
}

Status GraphRun::capture(ValueId id) {
  if (outer || !state.options.capture || !value(id))
    return success();
  return state.options.capture(graph.values[static_cast<size_t>(id)].name, *value(id));
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

Status GraphRun::keepOutputs(const Node &node, std::vector<Tensor> outputs, DType halfType) {
  for (size_t i = 0; i < node.outputs.size(); ++i)
    if (node.outputs[i] != absent) {
      set(node.outputs[i], narrowHalves(std::move(outputs[i]), halfType));
      TILERIG_CHECK_OK(capture(node.outputs[i]));
    }
  return success();
}

// So a model that is larger than the memory runs, if one of its nodes at a time fits.
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
  TILERIG_TRY(std::vector<Tensor> inputs, inputsOf(node));
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
  context.runGraph = [&](const Graph &body, std::vector<Tensor> bodyInputs) -> Result<std::vector<Tensor>> {
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

Result<std::vector<Tensor>> GraphRun::run(std::vector<Tensor> inputs) {
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
  std::vector<Tensor> outputs;
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
