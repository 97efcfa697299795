#include "reference/Run/Interpreter.h"

#include "isa/Base/Tensor/MemoryLimit.h"
#include "reference/Model/Declarations.h"
#include "reference/Run/CheckInput.h"
#include "reference/Run/GraphRun.h"
#include "reference/Run/JoinSteps.h"
#include "reference/Run/SizeForecast.h"

#include <algorithm>
#include <fmt/core.h>
#include <new>

namespace tilerig::reference {

Status checkInput(const Value &value, DType dtype, const Shape &shape) {
  auto place = fmt::format("input '{}'", value.name);
  if (!value.declared)
    return success();
  if (dtype != value.declared->type)
    return invalidInput(place, fmt::format("the given tensor has type {}, expected {}", nameOf(dtype),
                                           nameOf(value.declared->type)));
  if (!value.declared->shape)
    return success();
  const auto &wanted = *value.declared->shape;
  bool fits = wanted.size() == shape.size();
  for (size_t i = 0; fits && i < wanted.size(); ++i)
    fits = !wanted[i] || *wanted[i] == shape[i];
  if (fits)
    return success();
  return invalidInput(place, fmt::format("the given tensor has shape {}, expected {}", showShape(shape),
                                         showDeclared(wanted)));
}

uint64_t weightBytes(const Model &model) {
  uint64_t bytes = 0;
  for (const auto &[id, tensor] : model.graph.initialisers)
    bytes += tensor.sizeBytes();
  return bytes;
}

Interpreter::Interpreter(Model model, RunOptions options, Threads &threads)
    : loaded(std::make_unique<const Model>(std::move(model))), options(std::move(options)),
      threads(&threads) {
  const uint64_t limit = this->options.memoryLimit;
  budget = std::make_shared<MemoryBudget>(limit ? limit : usualMemoryLimit(weightBytes(*loaded)));
}

// Calls f and converts an exception from a failed allocation to an error. Failed allocations inside an
// operator have already been converted to errors that name the node.
template <class F>
static auto guarded(const std::string &place, const std::shared_ptr<MemoryBudget> &budget, F f)
    -> decltype(f()) {
  MemoryScope scope(budget);
  try {
    auto result = f();
    if (!result)
      return std::move(result).error().within(place);
    return result;
  } catch (const std::bad_alloc &) {
    return invalidInput(place, "the run needs more memory than is available", "raise the memory limit");
  }
}

// The tensor that a value holds; null if it holds none.
static const Tensor *tensorOf(const std::optional<RuntimeValue> &value) {
  return value ? std::get_if<Tensor>(&*value) : nullptr;
}

// Computes the nodes that depend only on constants. If such a node fails, it stays in the graph and no error
// is reported yet. A run that reaches the node reports the error. Sequences are no constants: every run makes
// them again from their tensors.
Status Interpreter::fold() {
  RunOptions quiet = options;
  quiet.capture = {};
  RunState state{quiet, *threads};
  std::vector<size_t> nodes = findConstantNodes(plan);
  GraphRun constants(plan, state, nullptr);
  for (size_t index : nodes) {
    Step &step = plan.steps[index];
    // Constant folding releases no values; finishPlan() decides later when each value is released.
    step.dyingBefore.clear();
    step.folded = static_cast<bool>(constants.runStep(step));
    for (ValueId id : step.node->outputs)
      step.folded = step.folded && (id == absent || tensorOf(constants.value(id)));
    for (ValueId id : step.node->outputs)
      if (step.folded && id != absent)
        plan.constants[static_cast<size_t>(id)] = *tensorOf(constants.value(id));
  }
  finishPlan(plan, static_cast<bool>(options.capture));
  // Nodes are not fused in the machine's arithmetic: a convolution recomputes some sums at the border, and
  // fused steps would already have been applied to these sums.
  if (!options.capture && !options.store && options.precision == Precision::fp32 &&
      options.arithmetic == Arithmetic::fast)
    joinSteps(plan, *threads);
  return success();
}

Result<Interpreter> Interpreter::create(Model model, RunOptions options, Threads &threads) {
  Interpreter interpreter(std::move(model), std::move(options), threads);
  const Model &loaded = *interpreter.loaded;
  TILERIG_CHECK_OK(guarded(loaded.path, interpreter.budget, [&]() -> Status {
    TILERIG_TRY(interpreter.plan, makePlan(loaded.graph, interpreter.options.precision));
    TILERIG_CHECK_OK(
        forecastSizes(interpreter.plan, declaredShapes(interpreter.plan), interpreter.budget->limit()));
    return interpreter.fold();
  }));
  return interpreter;
}

Result<std::vector<Tensor>> Interpreter::orderedInputs(const NamedTensors &inputs) const {
  const Graph &graph = loaded->graph;
  std::vector<Tensor> ordered;
  for (ValueId id : graph.inputs) {
    const Value &value = graph.values[static_cast<size_t>(id)];
    auto entry = inputs.find(value.name);
    if (entry == inputs.end())
      return invalidInput("", fmt::format("input '{}' is not given", value.name));
    TILERIG_CHECK_OK(checkInput(value, entry->second.dtype(), entry->second.shape()));
    ordered.push_back(entry->second);
  }
  return ordered;
}

// Replaces initialisers by the caller's tensors; a name that is neither an input nor an initialiser that may
// be replaced is an error.
Status Interpreter::replaceInitialisers(const NamedTensors &inputs, GraphRun &run) const {
  const Graph &graph = loaded->graph;
  for (const auto &[name, tensor] : inputs) {
    auto isNamed = [&](ValueId id) { return graph.values[static_cast<size_t>(id)].name == name; };
    if (std::ranges::any_of(graph.inputs, isNamed))
      continue;
    auto replaced = std::ranges::find_if(graph.overridable, isNamed);
    if (replaced == graph.overridable.end())
      return invalidInput("", fmt::format("the model has no input '{}'", name),
                          fmt::format("remove the tensor '{}' from the inputs", name));
    TILERIG_CHECK_OK(
        checkInput(graph.values[static_cast<size_t>(*replaced)], tensor.dtype(), tensor.shape()));
    run.replace(*replaced, tensor);
  }
  return success();
}

// Checks the memory limit again (SizeForecast.h), now with the actual shapes of the inputs, whose declared
// shapes may have unknown dimensions.
static Status forecastRun(const Plan &plan, const std::vector<Tensor> &inputs, uint64_t limitBytes) {
  ForecastShapes shapes = declaredShapes(plan);
  for (size_t i = 0; i < inputs.size(); ++i)
    shapes[static_cast<size_t>(plan.graph->inputs[i])] = inputs[i].shape();
  return forecastSizes(plan, std::move(shapes), limitBytes);
}

Result<NamedTensors> Interpreter::run(const NamedTensors &inputs) const {
  return guarded(loaded->path, budget, [&]() -> Result<NamedTensors> {
    const Graph &graph = loaded->graph;
    TILERIG_TRY(std::vector<Tensor> ordered, orderedInputs(inputs));
    RunState state{options, *threads};
    GraphRun run(plan, state, nullptr);
    TILERIG_CHECK_OK(replaceInitialisers(inputs, run));
    TILERIG_CHECK_OK(forecastRun(plan, ordered, budget->limit()));
    TILERIG_TRY(std::vector<RuntimeValue> outputs, run.run(asValues(std::move(ordered))));
    NamedTensors named;
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
      const std::string &name = graph.values[static_cast<size_t>(graph.outputs[i])].name;
      auto *tensor = std::get_if<Tensor>(&outputs[i]);
      if (!tensor)
        return isSequence(fmt::format("output '{}'", name), "");
      named.emplace(name, std::move(*tensor));
    }
    return named;
  });
}

} // namespace tilerig::reference
