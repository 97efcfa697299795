#include "compiler/Graph/Import/Subgraphs.h"

#include "compiler/Graph/Import/KeptGraphs.h"
#include "compiler/Graph/Import/Opaque.h"
#include "compiler/Graph/Import/OpenNodes.h"
#include "compiler/Graph/Import/Sequences.h"

#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

using namespace graph;

// Loops are unrolled if they have at most this many iterations; longer loops run in the framework.
constexpr int64_t mostSteps = 1024;

Result<const onnx::GraphProto *> graphOf(const NodeReader &node, std::string_view name) {
  const auto *attribute = node.attribute(name);
  if (!attribute || attribute->type() != onnx::AttributeProto::GRAPH)
    return node.refuse(fmt::format("attribute '{}' is {}", name, attribute ? "not a graph" : "missing"));
  return &attribute->g();
}

// The value of a condition; nullopt if it is known only at run time.
Result<std::optional<bool>> knownFlag(const NodeReader &node, mlir::Value value, const char *valueName) {
  const auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  if (!type || !type.getElementType().isInteger(1) || (type.hasStaticShape() && type.getNumElements() != 1))
    return node.refuse(fmt::format("{} is not a single bool", valueName));
  auto constant = value.getDefiningOp<ConstantOp>();
  const auto elements =
      constant ? llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue()) : mlir::DenseElementsAttr();
  return elements ? std::optional(*elements.value_begin<bool>()) : std::nullopt;
}

std::string prefixOf(const NodeReader &node) { return node.name() + "/"; }
std::string prefixOf(const NodeReader &node, int64_t step) {
  return fmt::format("{}#{}/", node.name(), step);
}

Status checkCount(const NodeReader &node, size_t got, size_t wanted) {
  if (got != wanted)
    return node.refuse(fmt::format("the node's subgraph has {} outputs, expected {}", got, wanted));
  return success();
}

constexpr std::array branchNames = {"then_branch", "else_branch"};

// Imports a branch; removes its operations again if that fails.
ImportedValues importBranch(GraphImporter &around, const NodeReader &node, const char *name) {
  TILERIG_TRY(const onnx::GraphProto *branch, graphOf(node, name));
  TILERIG_CHECK_OK(importCaptured(around, *branch));
  mlir::Block *const block = around.builder().getInsertionBlock();
  mlir::Operation *const last = block->empty() ? nullptr : &block->back();
  auto &guards = around.open().guards;
  guards.push_back({node.input(0), name == branchNames[0]});
  ImportedValues results = around.inlined(*branch, {}, fmt::format("{}{}/", prefixOf(node), name));
  guards.pop_back();
  if (!results)
    around.eraseBehind(last);
  else
    TILERIG_CHECK_OK(checkCount(node, (*results).size(), node.numOutputs()));
  return results;
}

// An If of which only one branch can be imported, for example because the other one is meant for inputs of
// another size. The accelerator computes this branch. The framework then runs the If: it returns these results,
// or runs the other branch, which fails at run time if it is not valid.
ImportedValues guarded(GraphImporter &around, const NodeReader &node, const Values &results, size_t valid) {
  TensorTypes types;
  for (const mlir::Value result : results) {
    if (!isStatic(result))
      return node.unsupportedHere(
          "the condition is known only at run time, and a result of the branch has no "
          "static shape");
    types.push_back(tensorType(result));
  }
  TILERIG_TRY(const onnx::GraphProto *other, graphOf(node, branchNames[1 - valid]));
  std::map<std::string, KeptGraph> graphs;
  TILERIG_TRY(graphs[branchNames[valid]], graphReturning(around, node, results));
  TILERIG_TRY(graphs[branchNames[1 - valid]], graphAsIs(around, node, *other));
  return keepNodeWithGraphs(node, around.builder(), types, graphs);
}

// One of two tensors, by a condition that is known only at run time. If they have different sizes, both are filled up
// to the larger one, and the condition selects the size, too.
Result<mlir::Value> selectedTensor(GraphImporter &around, const NodeReader &node, mlir::Value condition,
                                   mlir::Value whenTrue, mlir::Value whenFalse) {
  OpenTensors &open = around.open();
  if (isSequence(whenTrue) || isSequence(whenFalse))
    return node.unsupportedHere("the condition is known only at run time, and the branches give sequences");
  const auto a = tensorType(whenTrue), b = tensorType(whenFalse);
  if (a.getElementType() != b.getElementType() || a.getRank() != b.getRank() || !isStatic(whenTrue) ||
      !isStatic(whenFalse))
    return node.unsupportedHere(
        "the condition is known only at run time, and the branches give tensors of different types or ranks",
        "make the condition a constant, or give both branches results of one type");
  Sizes sizes;
  for (const auto [left, right] : llvm::zip_equal(open.shape(whenTrue), open.shape(whenFalse)))
    sizes.push_back(open.combined(Symbol::Kind::selected, left, right, condition));
  Ints shape;
  for (const auto [left, right] : llvm::zip_equal(a.getShape(), b.getShape()))
    shape.push_back(std::max(left, right));
  TILERIG_TRY(const mlir::Value filledTrue, filledTo(node, whenTrue, shape));
  TILERIG_TRY(const mlir::Value filledFalse, filledTo(node, whenFalse, shape));
  TILERIG_TRY(const mlir::Value result, node.make<WhereOp>(condition, filledTrue, filledFalse));
  open.setShape(result, sizes);
  return result;
}

// Imports both branches of an If whose condition is known only at run time, and selects their results by the
// condition. Branches have no effects beside their results, so it does no harm to compute both.
ImportedValues selectedBranch(GraphImporter &around, const NodeReader &node) {
  std::array<Values, branchNames.size()> results;
  std::array<std::optional<Error>, branchNames.size()> errors;
  for (size_t i = 0; i < branchNames.size(); ++i) {
    auto imported = importBranch(around, node, branchNames[i]);
    if (imported)
      results[i] = *std::move(imported);
    else
      errors[i] = imported.error();
  }
  if (errors[0] && errors[1])
    return *errors[0];
  if (errors[0] || errors[1])
    return guarded(around, node, results[errors[0] ? 1 : 0], errors[0] ? 1 : 0);
  TILERIG_TRY(const mlir::Value condition,
              node.makeAs<ReshapeOp>(Ints(), tensorType(node.input(0)).getElementType(), node.input(0)));
  Values selected;
  for (const auto [whenTrue, whenFalse] : llvm::zip_equal(results[0], results[1])) {
    TILERIG_TRY(const mlir::Value result, selectedTensor(around, node, condition, whenTrue, whenFalse));
    selected.push_back(result);
  }
  return selected;
}

ImportedValues conditional(GraphImporter &around, const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  TILERIG_TRY(const std::optional<bool> condition, knownFlag(node, node.input(0), "the condition"));
  if (!condition)
    return selectedBranch(around, node);
  TILERIG_TRY(const onnx::GraphProto *branch, graphOf(node, *condition ? "then_branch" : "else_branch"));
  TILERIG_TRY(Values results, around.inlined(*branch, {}, prefixOf(node)));
  TILERIG_CHECK_OK(checkCount(node, results.size(), node.numOutputs()));
  return results;
}

// Collects the results of the iterations of a loop and concatenates them along an axis.
class Pieces {
public:
  Status add(const NodeReader &node, mlir::Value piece, int64_t axis) {
    TILERIG_CHECK_OK(checkIsTensor(node, piece));
    const auto type = llvm::dyn_cast<mlir::RankedTensorType>(piece.getType());
    if (!type || !type.hasStaticShape())
      return node.unsupportedHere("a result of the loop body has no static shape");
    TILERIG_TRY(const int64_t place, node.axis(axis, type.getRank() + 1));
    Ints shape(type.getShape());
    shape.insert(shape.begin() + place, 1);
    TILERIG_TRY(const mlir::Value row, node.makeAs<ReshapeOp>(shape, type.getElementType(), piece));
    pieces.push_back(row);
    along = place;
    return success();
  }
  Result<mlir::Value> joined(const NodeReader &node, bool isReversed) {
    if (pieces.empty())
      return node.unsupportedHere("the loop runs zero steps, so the shape of its results is unknown");
    if (isReversed)
      std::ranges::reverse(pieces);
    return node.make<ConcatOp>(mlir::ValueRange(pieces), static_cast<uint64_t>(along));
  }

private:
  Values pieces;
  int64_t along = 0;
};

// A Loop's operands, and what is known of them.
struct LoopNode {
  const onnx::GraphProto *body = nullptr;
  std::optional<int64_t> steps; // the number of steps; INT64_MAX if the node states none
  std::optional<bool> isGoing;  // the condition before the first step
  Values state;                 // initial values of the variables that pass from step to step
  size_t collected = 0;         // number of results that collect a tensor of every step
};

Result<LoopNode> readLoop(const NodeReader &node) {
  LoopNode loop;
  TILERIG_TRY(loop.body, graphOf(node, "body"));
  loop.steps = INT64_MAX;
  if (node.has(0)) {
    const auto values = node.constantInts(0, "the number of steps of the loop");
    if (!values && values.error().kind != ErrorKind::unsupported)
      return values.error();
    if (values && values->size() != 1)
      return node.refuse("the number of steps of the loop is not a single number");
    loop.steps = values ? std::optional(values->front()) : std::nullopt;
  }
  loop.isGoing = true;
  if (node.has(1)) {
    TILERIG_TRY(loop.isGoing, knownFlag(node, node.input(1), "the condition"));
  }
  const size_t carried = node.inputs().size() < 2 ? 0 : node.inputs().size() - 2;
  if (node.numOutputs() < carried)
    return node.refuse(fmt::format("the loop carries {} values, but the node has only {} outputs", carried,
                                   node.numOutputs()));
  TILERIG_CHECK_OK(node.needs(0, node.inputs().size()));
  loop.state.assign(node.inputs().begin() + std::min<size_t>(2, node.inputs().size()), node.inputs().end());
  if (llvm::is_contained(loop.state, mlir::Value()))
    return node.refuse("the initial value of a loop-carried variable is missing");
  loop.collected = node.numOutputs() - carried;
  return loop;
}

// Unrolls a Loop: loop-carried values pass from iteration to iteration, and the scan outputs of all
// iterations are concatenated. Returns nullopt if the loop is too long, or if a step computes at run time
// whether the loop goes on.
Result<std::optional<Values>> unrolled(GraphImporter &around, const NodeReader &node, const LoopNode &loop) {
  bool isGoing = *loop.isGoing;
  Values state = loop.state;
  std::vector<Pieces> pieces(loop.collected);
  for (int64_t step = 0; isGoing && step < *loop.steps; ++step) {
    if (step == mostSteps)
      return std::optional<Values>();
    Values inputs = {node.constantValue(Tensor::scalar(step)), node.constantValue(Tensor::scalar(isGoing))};
    llvm::append_range(inputs, state);
    TILERIG_TRY(const Values results, around.inlined(*loop.body, inputs, prefixOf(node, step)));
    TILERIG_CHECK_OK(checkCount(node, results.size(), 1 + node.numOutputs()));
    TILERIG_TRY(const std::optional<bool> goesOn, knownFlag(node, results[0], "the loop condition"));
    if (!goesOn && step + 1 < *loop.steps)
      return std::optional<Values>();
    isGoing = goesOn.value_or(false);
    state.assign(results.begin() + 1, results.begin() + 1 + static_cast<ptrdiff_t>(state.size()));
    for (size_t i = 0; i < pieces.size(); ++i)
      TILERIG_CHECK_OK(pieces[i].add(node, results[1 + state.size() + i], 0));
  }
  for (Pieces &each : pieces) {
    TILERIG_TRY(const mlir::Value result, each.joined(node, false));
    state.push_back(result);
  }
  return std::optional(std::move(state));
}

// The types of a loop's results, from the types of its variables and the types of the tensors that each step
// adds to the collected results.
Result<TensorTypes> typesOfLoop(const NodeReader &node, const Values &state,
                                llvm::ArrayRef<mlir::RankedTensorType> after,
                                llvm::ArrayRef<std::pair<int64_t, int64_t>> sizesAndAxes) {
  TensorTypes types;
  for (const auto [variable, declared] : llvm::zip(state, after)) {
    const auto type = llvm::dyn_cast<mlir::RankedTensorType>(variable.getType());
    if (!type || mergedTypes(declared, type) != type)
      return node.unsupportedHere("a variable of the loop changes its type or shape from step to step");
    types.push_back(type);
  }
  for (const auto [type, place] : llvm::zip_equal(after.drop_front(state.size()), sizesAndAxes)) {
    TILERIG_TRY(const int64_t axis, node.axis(place.second, type.getRank() + 1));
    Ints shape(type.getShape());
    shape.insert(shape.begin() + axis, place.first);
    types.push_back(mlir::RankedTensorType::get(shape, type.getElementType()));
  }
  return types;
}

// Keeps a Loop whose number of steps is known only at run time, or that is too long to unroll.
ImportedValues keptLoop(GraphImporter &around, const NodeReader &node, const LoopNode &loop) {
  if (llvm::any_of(loop.state, isSequence))
    return node.unsupportedHere(
        "the loop carries a sequence, but its number of steps is known only at run time or too large");
  mlir::OpBuilder &builder = around.builder();
  llvm::SmallVector<mlir::Type> inputs = {mlir::RankedTensorType::get({}, builder.getI64Type()),
                                          mlir::RankedTensorType::get({}, builder.getI1Type())};
  llvm::append_range(inputs, mlir::ValueRange(loop.state).getTypes());
  TILERIG_TRY(const LoopBody body, importBody(around, node, *loop.body, inputs));
  TILERIG_CHECK_OK(checkCount(node, body.results.size(), 1 + node.numOutputs()));
  const llvm::SmallVector<std::pair<int64_t, int64_t>> collected(loop.collected,
                                                                 {mlir::ShapedType::kDynamic, 0});
  TILERIG_TRY(const TensorTypes types,
              typesOfLoop(node, loop.state, llvm::ArrayRef(body.results).drop_front(), collected));
  return keepLoop(around, node, body, types);
}

ImportedValues importLoop(GraphImporter &around, const NodeReader &node) {
  TILERIG_TRY(const LoopNode loop, readLoop(node));
  TILERIG_CHECK_OK(importCaptured(around, *loop.body));
  if (loop.steps && loop.isGoing) {
    mlir::Block *const block = around.builder().getInsertionBlock();
    mlir::Operation *const last = block->empty() ? nullptr : &block->back();
    TILERIG_TRY(std::optional<Values> results, unrolled(around, node, loop));
    if (results)
      return *std::move(results);
    around.eraseBehind(last);
  }
  return keptLoop(around, node, loop);
}

// --- Scan ---

// The value of a list attribute with `count` numbers; zeros if the attribute is absent.
Result<Ints> listOf(const NodeReader &node, const char *name, size_t count) {
  Ints list = node.integers(name).value_or(Ints(count, 0));
  if (list.size() != count)
    return node.refuse(fmt::format("attribute '{}' has {} elements, expected {}", name, list.size(), count));
  return list;
}

// The slice of a value at one index of an axis, with the axis removed.
Result<mlir::Value> sliceAt(const NodeReader &node, mlir::Value value, int64_t axis, int64_t place) {
  const auto type = tensorType(value);
  Ints starts(type.getRank(), 0), ends(type.getShape()), steps(type.getRank(), 1), shape(type.getShape());
  starts[axis] = place;
  ends[axis] = place + 1;
  shape.erase(shape.begin() + axis);
  TILERIG_TRY(const mlir::Value slice, node.make<SliceOp>(value, starts, ends, steps));
  return node.makeAs<ReshapeOp>(shape, type.getElementType(), slice);
}

// The number of iterations of a Scan: the length of the scanned axes, which must be equal.
Result<int64_t> stepsOf(const NodeReader &node, size_t first, Ints &axes) {
  int64_t steps = -1;
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto type = llvm::dyn_cast_or_null<mlir::RankedTensorType>(node.input(first + i).getType());
    if (!type || !type.hasStaticShape())
      return node.unsupportedHere("a scanned input has no static shape");
    TILERIG_TRY(axes[i], node.axis(axes[i], type.getRank()));
    if (steps >= 0 && steps != type.getDimSize(static_cast<unsigned>(axes[i])))
      return node.refuse("the scanned axes have different sizes");
    steps = type.getDimSize(static_cast<unsigned>(axes[i]));
  }
  return steps;
}

// Keeps a Scan that is too long to unroll.
ImportedValues keptScan(GraphImporter &around, const NodeReader &node, const onnx::GraphProto &graph,
                        const Values &state, llvm::ArrayRef<int64_t> axes,
                        llvm::ArrayRef<std::pair<int64_t, int64_t>> collected) {
  llvm::SmallVector<mlir::Type> inputs(mlir::ValueRange(state).getTypes());
  for (const auto [i, axis] : llvm::enumerate(axes)) {
    const auto type = tensorType(node.input(state.size() + i));
    Ints shape(type.getShape());
    shape.erase(shape.begin() + axis);
    inputs.push_back(mlir::RankedTensorType::get(shape, type.getElementType()));
  }
  TILERIG_TRY(const LoopBody body, importBody(around, node, graph, inputs));
  TILERIG_CHECK_OK(checkCount(node, body.results.size(), state.size() + collected.size()));
  TILERIG_TRY(const TensorTypes types, typesOfLoop(node, state, body.results, collected));
  return keepLoop(around, node, body, types);
}

ImportedValues scan(GraphImporter &around, const NodeReader &node) {
  if (node.opset() < 9)
    return node.unsupportedHere("Scan as defined before operator set 9 is not supported");
  TILERIG_TRY(const onnx::GraphProto *body, graphOf(node, "body"));
  TILERIG_TRY(const int64_t count, node.neededInteger("num_scan_inputs"));
  const auto inputs = static_cast<int64_t>(node.inputs().size());
  if (count < 1 || count > inputs || static_cast<int64_t>(node.numOutputs()) < inputs - count)
    return node.refuse(
        fmt::format("attribute 'num_scan_inputs' is {}, which does not fit {} inputs and {} outputs", count,
                    inputs, node.numOutputs()));
  TILERIG_CHECK_OK(node.needs(node.inputs().size()));
  const auto states = static_cast<size_t>(inputs - count), scans = static_cast<size_t>(count),
             results = node.numOutputs() - states;
  TILERIG_TRY(Ints axes, listOf(node, "scan_input_axes", scans));
  TILERIG_TRY(const Ints outputAxes, listOf(node, "scan_output_axes", results));
  TILERIG_TRY(const Ints directions, listOf(node, "scan_input_directions", scans));
  TILERIG_TRY(const Ints outputDirections, listOf(node, "scan_output_directions", results));
  TILERIG_TRY(const int64_t steps, stepsOf(node, states, axes));
  TILERIG_CHECK_OK(importCaptured(around, *body));
  Values state(node.inputs().begin(), node.inputs().begin() + states);
  if (steps > mostSteps) {
    llvm::SmallVector<std::pair<int64_t, int64_t>> collected;
    for (const int64_t axis : outputAxes)
      collected.emplace_back(steps, axis);
    return keptScan(around, node, *body, state, axes, collected);
  }
  std::vector<Pieces> pieces(results);
  for (int64_t step = 0; step < steps; ++step) {
    Values operands = state;
    for (size_t i = 0; i < scans; ++i) {
      TILERIG_TRY(const mlir::Value slice, sliceAt(node, node.input(states + i), axes[i],
                                                   directions[i] != 0 ? steps - 1 - step : step));
      operands.push_back(slice);
    }
    TILERIG_TRY(const Values outputs, around.inlined(*body, operands, prefixOf(node, step)));
    TILERIG_CHECK_OK(checkCount(node, outputs.size(), states + results));
    state.assign(outputs.begin(), outputs.begin() + states);
    for (const mlir::Value each : state)
      TILERIG_CHECK_OK(checkIsTensor(node, each));
    for (size_t i = 0; i < results; ++i)
      TILERIG_CHECK_OK(pieces[i].add(node, outputs[states + i], outputAxes[i]));
  }
  for (size_t i = 0; i < results; ++i) {
    TILERIG_TRY(const mlir::Value joined, pieces[i].joined(node, outputDirections[i] != 0));
    state.push_back(joined);
  }
  return state;
}

} // namespace

bool hasSubgraph(const onnx::NodeProto &node) {
  return node.op_type() == "If" || node.op_type() == "Loop" || node.op_type() == "Scan";
}

ImportedValues importSubgraphs(GraphImporter &around, const NodeReader &node) {
  if (node.proto().op_type() == "If")
    return conditional(around, node);
  return node.proto().op_type() == "Loop" ? importLoop(around, node) : scan(around, node);
}

} // namespace tilerig::compiler
