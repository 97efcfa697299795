// Operators that run nested graphs: If, Loop and Scan.
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/StridedCopy.h"

#include <algorithm>
#include <fmt/core.h>
#include <limits>

namespace tilerig::reference {

namespace {

using Tensors = std::vector<Tensor>;
using Values = std::vector<RuntimeValue>;

Result<bool> flag(const OpContext &context, RuntimeValue value) {
  TILERIG_TRY(const Tensor tensor, context.tensorIn(std::move(value)));
  if (tensor.dtype() != DType::boolean || tensor.elementCount() != 1)
    return context.invalid(fmt::format("the condition has type and shape {} {}, expected a single bool",
                                       nameOf(tensor.dtype()), showShape(tensor.shape())));
  return tensor.as<bool>()[0];
}

// Runs the graph `body` of a node. It must have as many inputs as are given, and `outputs` outputs.
Result<Values> runBody(OpContext &context, const Graph &body, Values inputs, size_t outputs) {
  if (body.inputs.size() != inputs.size() || body.outputs.size() != outputs)
    return context.invalid(fmt::format("graph '{}' has {} inputs and {} outputs, expected {} and {}",
                                       body.name, body.inputs.size(), body.outputs.size(), inputs.size(),
                                       outputs));
  auto results = context.runGraph(body, std::move(inputs));
  if (!results)
    return results.error().within(placeOf(context.node));
  return *std::move(results);
}

Status conditional(OpContext &context) {
  TILERIG_TRY(bool condition, flag(context, context.input(0)));
  TILERIG_TRY(auto graph, context.graphAttribute(condition ? "then_branch" : "else_branch"));
  TILERIG_TRY(context.outputs, runBody(context, *graph, {}, context.numOutputs()));
  return success();
}

// Collects a stacked output of Loop or Scan: every step (iteration) adds a slice.
class Stack {
public:
  // Collects the slices that output `index` of the graph `body` computes. The declared shape of this output
  // is needed if there are no steps.
  Stack(const Graph &body, size_t index) : declared(body.values[body.outputs[index]].declared) {}

  Status add(const OpContext &context, RuntimeValue value) {
    TILERIG_TRY(Tensor piece, context.tensorIn(std::move(value)));
    if (!pieces.empty() && (piece.shape() != pieces[0].shape() || piece.dtype() != pieces[0].dtype()))
      return context.invalid(
          fmt::format("a step computes a slice of type and shape {} {}, but the first step computed {} {}",
                      nameOf(piece.dtype()), showShape(piece.shape()), nameOf(pieces[0].dtype()),
                      showShape(pieces[0].shape())));
    pieces.push_back(std::move(piece));
    return success();
  }

  // Returns the slices, stacked along a new axis; `reversed`: the last slice comes first.
  Result<Tensor> joined(OpContext &context, int64_t rawAxis, bool reversed) {
    if (pieces.empty())
      return nothing(context, rawAxis);
    if (reversed)
      std::reverse(pieces.begin(), pieces.end());
    Shape shape = pieces[0].shape();
    TILERIG_TRY(size_t axis, context.axis(rawAxis, shape.size() + 1));
    auto place = static_cast<ptrdiff_t>(axis);
    shape.insert(shape.begin() + place, static_cast<int64_t>(pieces.size()));
    TILERIG_TRY(Tensor whole, Tensor::makeUninitialised(pieces[0].dtype(), shape));
    Shape thin = shape, begin(shape.size(), 0);
    thin[axis] = 1;
    for (Tensor &piece : pieces) {
      TILERIG_TRY(Tensor slice, piece.reshaped(thin));
      insertBox(whole, slice, begin);
      ++begin[axis];
      piece = Tensor();
    }
    return whole;
  }

private:
  // The stacked output if there were no steps: empty, with the declared shape of a slice, in which unknown
  // dimensions are 0.
  Result<Tensor> nothing(OpContext &context, int64_t rawAxis) const {
    if (!declared)
      return context.invalid("the output has no known type: no step was made, and the body declares none");
    Shape shape;
    if (declared->shape)
      for (const auto &dim : *declared->shape)
        shape.push_back(dim.value_or(0));
    TILERIG_TRY(size_t axis, context.axis(rawAxis, shape.size() + 1));
    shape.insert(shape.begin() + static_cast<ptrdiff_t>(axis), 0);
    return Tensor::make(declared->type, shape);
  }

  std::optional<DeclaredType> declared;
  Tensors pieces;
};

// Creates collectors of slices (Stack) for the `count` outputs of a loop's body that begin at output `first`;
// an error if these are not its last outputs.
Result<std::vector<Stack>> stacksFor(const OpContext &context, const Graph &body, size_t first,
                                     size_t count) {
  if (body.outputs.size() != first + count)
    return context.invalid(
        fmt::format("graph '{}' has {} outputs, expected {}", body.name, body.outputs.size(), first + count));
  std::vector<Stack> stacks;
  for (size_t i = 0; i < count; ++i)
    stacks.emplace_back(body, first + i);
  return stacks;
}

Result<int64_t> tripCount(const OpContext &context) {
  if (!context.has(0))
    return std::numeric_limits<int64_t>::max();
  TILERIG_TRY(std::vector<int64_t> values, context.integers(0));
  if (values.size() != 1)
    return context.invalid("the trip count must be a single number");
  return values[0];
}

// The operator Loop. The inputs of its body are step number, condition and carried values; the outputs are
// condition, carried values, and a slice for each stacked output.
Status loop(OpContext &context) {
  TILERIG_TRY(auto body, context.graphAttribute("body"));
  TILERIG_TRY(int64_t trips, tripCount(context));
  bool going = true;
  if (context.has(1)) {
    TILERIG_TRY(going, flag(context, context.input(1)));
  }
  size_t carriedCount = context.numInputs() < 2 ? 0 : context.numInputs() - 2;
  if (context.numOutputs() < carriedCount)
    return context.invalid(fmt::format("the loop carries {} values but has only {} outputs", carriedCount,
                                       context.numOutputs()));
  Values carried;
  for (size_t i = 0; i < carriedCount; ++i) {
    if (!context.has(i + 2))
      return context.invalid(fmt::format("loop-carried input {} is missing", i));
    carried.push_back(context.takeValue(i + 2));
  }
  TILERIG_TRY(auto stacks, stacksFor(context, *body, 1 + carriedCount, context.numOutputs() - carriedCount));
  for (int64_t step = 0; going && step < trips; ++step) {
    Values inputs = {Tensor::scalar(step), Tensor::scalar(going)};
    std::move(carried.begin(), carried.end(), std::back_inserter(inputs));
    TILERIG_TRY(Values results, runBody(context, *body, std::move(inputs), 1 + context.numOutputs()));
    TILERIG_TRY(going, flag(context, results[0]));
    carried.assign(results.begin() + 1, results.begin() + 1 + static_cast<ptrdiff_t>(carriedCount));
    for (size_t i = 0; i < stacks.size(); ++i)
      TILERIG_CHECK_OK(stacks[i].add(context, std::move(results[1 + carriedCount + i])));
  }
  std::move(carried.begin(), carried.end(), context.outputs.begin());
  for (size_t i = 0; i < stacks.size(); ++i) {
    TILERIG_TRY(context.outputs[carriedCount + i], stacks[i].joined(context, 0, false));
  }
  return success();
}

// Parameters of a Scan: the number of state inputs, the axes along which the other inputs are sliced, and the
// directions.
struct ScanPlan {
  std::shared_ptr<const Graph> body;
  size_t states, scans, results;
  std::vector<int64_t> inputAxes, outputAxes, inputDirections, outputDirections;
};

Result<std::vector<int64_t>> listAttribute(const OpContext &context, const char *name, size_t size) {
  TILERIG_TRY(std::vector<int64_t> list, context.intsAttribute(name, std::vector<int64_t>(size, 0)));
  if (list.size() != size)
    return context.invalid(
        fmt::format("attribute '{}' has {} elements, expected {}", name, list.size(), size));
  return list;
}

// Reads the parameters of a Scan node; `inputs` is the number of its inputs, not counting the input of
// sequence lengths that the node has in opset 8.
Result<ScanPlan> scanPlan(const OpContext &context, size_t inputs) {
  ScanPlan plan{};
  TILERIG_TRY(plan.body, context.graphAttribute("body"));
  TILERIG_TRY(int64_t scans, context.intAttribute("num_scan_inputs"));
  if (scans < 1 || scans > static_cast<int64_t>(inputs) ||
      context.numOutputs() < inputs - static_cast<size_t>(scans))
    return context.invalid(fmt::format("num_scan_inputs is {}, which does not match {} inputs and {} outputs",
                                       scans, inputs, context.numOutputs()));
  plan.scans = static_cast<size_t>(scans);
  plan.states = inputs - plan.scans;
  plan.results = context.numOutputs() - plan.states;
  bool isNew = context.opset() >= 9;
  TILERIG_TRY(plan.inputAxes, listAttribute(context, "scan_input_axes", plan.scans));
  TILERIG_TRY(plan.outputAxes, listAttribute(context, "scan_output_axes", plan.results));
  TILERIG_TRY(plan.inputDirections,
              listAttribute(context, isNew ? "scan_input_directions" : "directions", plan.scans));
  TILERIG_TRY(plan.outputDirections, listAttribute(context, "scan_output_directions", plan.results));
  return plan;
}

// The slice of a tensor at index `place` of an axis, with that axis removed.
Result<Tensor> sliceAt(const Tensor &tensor, size_t axis, int64_t place, Threads &threads) {
  StridedView view = viewOf(tensor);
  view.offset = place * view.strides[axis];
  view.shape.erase(view.shape.begin() + static_cast<ptrdiff_t>(axis));
  view.strides.erase(view.strides.begin() + static_cast<ptrdiff_t>(axis));
  return stridedCopy(tensor, view, threads);
}

// The number of steps of a Scan: the size of the scanned axes of its inputs, which must agree. Converts
// negative axes in `plan`, the Scan's parameters, which count from the end, to axes counted from the front.
Result<int64_t> stepCount(const OpContext &context, ScanPlan &plan, const Tensors &values) {
  std::optional<int64_t> steps;
  for (size_t i = 0; i < plan.scans; ++i) {
    const Shape &shape = values[plan.states + i].shape();
    TILERIG_TRY(size_t axis, context.axis(plan.inputAxes[i], shape.size()));
    plan.inputAxes[i] = static_cast<int64_t>(axis);
    if (steps && *steps != shape[axis])
      return context.invalid(
          fmt::format("the scanned axes have different sizes, {} and {}", *steps, shape[axis]));
    steps = shape[axis];
  }
  return *steps;
}

// Runs a Scan for at most `limit` steps and returns its final states and stacked outputs. `values` are the
// initial states, then the scanned inputs.
Result<Tensors> runScan(OpContext &context, ScanPlan plan, Tensors values,
                        int64_t limit = std::numeric_limits<int64_t>::max()) {
  TILERIG_TRY(int64_t steps, stepCount(context, plan, values));
  steps = std::min(steps, limit);
  TILERIG_TRY(auto stacks, stacksFor(context, *plan.body, plan.states, plan.results));
  auto statesEnd = static_cast<ptrdiff_t>(plan.states);
  Tensors states(values.begin(), values.begin() + statesEnd);
  for (int64_t step = 0; step < steps; ++step) {
    Tensors inputs = std::move(states);
    for (size_t i = 0; i < plan.scans; ++i) {
      int64_t place = plan.inputDirections[i] ? steps - 1 - step : step;
      TILERIG_TRY(Tensor slice, sliceAt(values[plan.states + i], static_cast<size_t>(plan.inputAxes[i]),
                                        place, context.threads));
      inputs.push_back(std::move(slice));
    }
    TILERIG_TRY(Values results,
                runBody(context, *plan.body, asValues(std::move(inputs)), plan.states + plan.results));
    states.clear();
    for (size_t i = 0; i < plan.states; ++i) {
      TILERIG_TRY(Tensor state, context.tensorIn(std::move(results[i])));
      states.push_back(std::move(state));
    }
    for (size_t i = 0; i < plan.results; ++i)
      TILERIG_CHECK_OK(stacks[i].add(context, std::move(results[plan.states + i])));
  }
  for (size_t i = 0; i < plan.results; ++i) {
    TILERIG_TRY(Tensor output, stacks[i].joined(context, plan.outputAxes[i], plan.outputDirections[i] != 0));
    states.push_back(std::move(output));
  }
  return states;
}

Status scan(OpContext &context) {
  Tensors values;
  for (size_t i = 0; i < context.numInputs(); ++i) {
    if (!context.has(i))
      return context.invalid(fmt::format("input {} is missing", i));
    values.push_back(context.take(i));
  }
  TILERIG_TRY(ScanPlan plan, scanPlan(context, values.size()));
  TILERIG_TRY(Tensors results, runScan(context, std::move(plan), std::move(values)));
  context.outputs = asValues(std::move(results));
  return success();
}

// Returns the tensor, padded with zeros to `size` slices along its first axis.
Result<Tensor> lengthened(const Tensor &tensor, int64_t size) {
  Shape shape = tensor.shape();
  shape[0] = size;
  TILERIG_TRY(Tensor result, Tensor::make(tensor.dtype(), shape));
  insertBox(result, tensor, Shape(shape.size(), 0));
  return result;
}

// The operator Scan of opset 8: the first axis of every tensor is a batch, each element of which has its own
// number of steps; results of fewer steps are padded with zeros.
Status batchedScan(OpContext &context) {
  if (context.numInputs() < 2)
    return context.invalid("the node has no inputs to scan");
  size_t count = context.numInputs() - 1;
  TILERIG_TRY(ScanPlan plan, scanPlan(context, count));
  const Shape &scanned = context.input(1 + plan.states).shape();
  if (scanned.size() < 2 || scanned[0] < 1)
    return context.invalid("the first scanned input has no batch and sequence axes");
  int64_t batches = scanned[0], longest = scanned[1];
  std::vector<int64_t> lengths;
  if (context.has(0)) {
    TILERIG_TRY(lengths, context.integers(0));
    if (static_cast<int64_t>(lengths.size()) != batches ||
        std::any_of(lengths.begin(), lengths.end(), [&](int64_t n) { return n < 1 || n > longest; }))
      return context.invalid(
          fmt::format("sequence_lens must hold {} lengths from 1 to {}", batches, longest));
  }
  std::vector<Stack> stacks;
  TILERIG_TRY(stacks, stacksFor(context, *plan.body, 0, context.numOutputs()));
  for (int64_t batch = 0; batch < batches; ++batch) {
    Tensors values;
    for (size_t i = 1; i <= count; ++i) {
      if (!context.has(i) || context.input(i).rank() == 0 || context.input(i).shape()[0] != batches)
        return context.invalid(fmt::format("input {} must have a first axis of size {}", i, batches));
      TILERIG_TRY(Tensor slice, sliceAt(context.input(i), 0, batch, context.threads));
      values.push_back(std::move(slice));
    }
    int64_t limit = lengths.empty() ? longest : lengths[static_cast<size_t>(batch)];
    TILERIG_TRY(Tensors results, runScan(context, plan, std::move(values), limit));
    for (size_t i = 0; i < results.size(); ++i) {
      if (i >= plan.states) {
        TILERIG_TRY(results[i], lengthened(results[i], longest));
      }
      TILERIG_CHECK_OK(stacks[i].add(context, std::move(results[i])));
    }
  }
  for (size_t i = 0; i < stacks.size(); ++i) {
    TILERIG_TRY(context.outputs[i], stacks[i].joined(context, 0, false));
  }
  return success();
}

} // namespace

std::span<const OpEntry> controlFlowOps() {
  static constexpr OpEntry entries[] = {
      {"If", 1, 1, 1, conditional, HalfFloats::native},
      {.op = "Loop",
       .since = 1,
       .leastInputs = 0,
       .mostInputs = anyNumber,
       .kernel = loop,
       .halves = HalfFloats::native,
       .sequences = SequenceInputs::carried},
      {"Scan", 8, 0, anyNumber, batchedScan, HalfFloats::native},
      {"Scan", 9, 1, anyNumber, scan, HalfFloats::native},
  };
  return entries;
}

} // namespace tilerig::reference
