#include "compiler/Graph/Import/Subgraphs.h"

#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

using namespace graph;

// Loops are unrolled if they have at most this many iterations; longer loops are refused.
constexpr int64_t mostSteps = 1024;

Result<const onnx::GraphProto *> graphOf(const NodeReader &node, std::string_view name) {
  const auto *attribute = node.attribute(name);
  if (!attribute || attribute->type() != onnx::AttributeProto::GRAPH)
    return node.refuse(fmt::format("attribute '{}' is {}", name, attribute ? "not a graph" : "missing"));
  return &attribute->g();
}

Result<bool> flagOf(const NodeReader &node, mlir::Value value, const char *valueName) {
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant)
    return node.unsupportedHere(fmt::format("{} must be a constant known at compile time", valueName));
  const auto elements = llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
  if (!elements || !elements.getElementType().isInteger(1) || elements.getNumElements() != 1)
    return node.refuse(fmt::format("{} is not a single bool", valueName));
  return *elements.value_begin<bool>();
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

ImportedValues conditional(GraphImporter &around, const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  TILERIG_TRY(const bool condition, flagOf(node, node.input(0), "the condition"));
  TILERIG_TRY(const onnx::GraphProto *branch, graphOf(node, condition ? "then_branch" : "else_branch"));
  TILERIG_TRY(Values results, around.inlined(*branch, {}, prefixOf(node)));
  TILERIG_CHECK_OK(checkCount(node, results.size(), node.numOutputs()));
  return results;
}

// Collects the results of the iterations of a loop and concatenates them along an axis.
class Pieces {
public:
  Status add(const NodeReader &node, mlir::Value piece, int64_t axis) {
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

// Unrolls a Loop: loop-carried values pass from iteration to iteration, and the scan outputs of all
// iterations are concatenated.
ImportedValues loop(GraphImporter &around, const NodeReader &node) {
  TILERIG_TRY(const onnx::GraphProto *body, graphOf(node, "body"));
  int64_t steps = INT64_MAX;
  if (node.has(0)) {
    TILERIG_TRY(const Ints values, node.constantInts(0, "the number of steps of the loop"));
    if (values.size() != 1)
      return node.refuse("the number of steps of the loop is not a single number");
    steps = values[0];
  }
  bool isGoing = true;
  if (node.has(1)) {
    TILERIG_TRY(isGoing, flagOf(node, node.input(1), "the condition"));
  }
  const size_t carried = node.inputs().size() < 2 ? 0 : node.inputs().size() - 2;
  if (node.numOutputs() < carried)
    return node.refuse(fmt::format("the loop carries {} values, but the node has only {} outputs", carried,
                                   node.numOutputs()));
  TILERIG_CHECK_OK(node.needs(0, node.inputs().size()));
  Values state(node.inputs().begin() + std::min<size_t>(2, node.inputs().size()), node.inputs().end());
  if (llvm::is_contained(state, mlir::Value()))
    return node.refuse("the initial value of a loop-carried variable is missing");
  std::vector<Pieces> pieces(node.numOutputs() - carried);
  for (int64_t step = 0; isGoing && step < steps; ++step) {
    if (step == mostSteps)
      return node.unsupportedHere(fmt::format("loops of more than {} steps are not supported", mostSteps));
    Values inputs = {node.constantValue(Tensor::scalar(step)), node.constantValue(Tensor::scalar(isGoing))};
    llvm::append_range(inputs, state);
    TILERIG_TRY(const Values results, around.inlined(*body, inputs, prefixOf(node, step)));
    TILERIG_CHECK_OK(checkCount(node, results.size(), 1 + node.numOutputs()));
    TILERIG_TRY(isGoing, flagOf(node, results[0], "the loop condition"));
    state.assign(results.begin() + 1, results.begin() + 1 + carried);
    for (size_t i = 0; i < pieces.size(); ++i)
      TILERIG_CHECK_OK(pieces[i].add(node, results[1 + carried + i], 0));
  }
  for (Pieces &each : pieces) {
    TILERIG_TRY(const mlir::Value result, each.joined(node, false));
    state.push_back(result);
  }
  return state;
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
  if (steps > mostSteps)
    return node.unsupportedHere(fmt::format("loops of more than {} steps are not supported", mostSteps));
  return steps;
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
  Values state(node.inputs().begin(), node.inputs().begin() + states);
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

ImportedValues inlineSubgraphs(GraphImporter &around, const NodeReader &node) {
  if (node.proto().op_type() == "If")
    return conditional(around, node);
  return node.proto().op_type() == "Loop" ? loop(around, node) : scan(around, node);
}

} // namespace tilerig::compiler
