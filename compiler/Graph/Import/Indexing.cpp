#include "compiler/Graph/Import/Composition.h"

#include <cmath>
#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace tilerig::compiler {

namespace {

using namespace graph;
using Value = Result<mlir::Value>;

Result<uint64_t> axisOf(const NodeReader &node, int64_t otherwise, int64_t rank) {
  TILERIG_TRY(const int64_t axis, node.axis(node.integer("axis", otherwise), rank));
  return static_cast<uint64_t>(axis);
}

// The value of an operand that must be a single integer.
Result<int64_t> numberFrom(const NodeReader &node, size_t index, std::string_view operandName) {
  TILERIG_TRY(const Ints values, node.constantInts(index, operandName));
  if (values.size() != 1)
    return node.refuse(fmt::format("{} is not a single number", operandName));
  return values[0];
}

Value gatherAlong(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2));
  TILERIG_TRY(const uint64_t axis, axisOf(node, 0, node.rank(0)));
  return node.make<GatherOp>(node.input(0), node.input(1), axis);
}

Value gatherElements(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2));
  TILERIG_TRY(const uint64_t axis, axisOf(node, 0, node.rank(0)));
  return node.make<GatherElementsOp>(node.input(0), node.input(1), axis);
}

Value gatherND(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2));
  return node.make<GatherNDOp>(node.input(0), node.input(1),
                               static_cast<uint64_t>(node.integer("batch_dims", 0)));
}

Value scatterElements(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(3));
  TILERIG_TRY(const uint64_t axis, axisOf(node, 0, node.rank(0)));
  TILERIG_TRY(const ScatterReduction reduction, node.symbol("reduction", "none", symbolizeScatterReduction));
  return node.make<ScatterElementsOp>(node.input(0), node.input(1), node.input(2), axis, reduction);
}

Value scatterND(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(3));
  TILERIG_TRY(const ScatterReduction reduction, node.symbol("reduction", "none", symbolizeScatterReduction));
  return node.make<ScatterNDOp>(node.input(0), node.input(1), node.input(2), reduction);
}

// The depth of a OneHot node (size of its new axis), which is an operand of any numeric type.
Result<int64_t> depthOf(const NodeReader &node) {
  TILERIG_TRY(const Tensor tensor, node.constant(1, "the depth"));
  if (tensor.elementCount() != 1)
    return node.refuse("the depth is not a single number");
  return dispatch(tensor.dtype(), [&]<class T>() -> Result<int64_t> {
    if constexpr (std::is_arithmetic_v<T>) {
      const auto depth = static_cast<double>(tensor.as<T>()[0]);
      if (depth >= 0 && depth < 1e15)
        return static_cast<int64_t>(depth);
    }
    return node.refuse("the depth is not a valid size");
  });
}

Value oneHot(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(3));
  TILERIG_TRY(const int64_t depth, depthOf(node));
  TILERIG_TRY(const uint64_t axis, axisOf(node, -1, node.rank(0) + 1));
  return node.make<OneHotOp>(node.input(0), node.input(2), static_cast<uint64_t>(depth), axis);
}

Value cumSum(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2));
  TILERIG_TRY(const int64_t signedAxis, numberFrom(node, 1, "the axis"));
  TILERIG_TRY(const int64_t axis, node.axis(signedAxis, node.rank(0)));
  return node.make<CumSumOp>(node.input(0), static_cast<uint64_t>(axis), node.integer("exclusive", 0) != 0,
                             node.integer("reverse", 0) != 0);
}

// The triangle of a diagonal that is known only at run time: a comparison with the diagonals of all elements.
ImportedValues triangleOf(const NodeReader &node) {
  if (node.rank(0) < 2 || tensorType(node.input(1)).getNumElements() != 1)
    return node.refuse(fmt::format("an input of shape {} with diagonals of shape {} has no triangle",
                                   text(node.shape(0)), text(node.shape(1))));
  const auto sizes = node.shape(0).take_back(2);
  Ints diagonals;
  for (int64_t row = 0; row < sizes[0]; ++row)
    for (int64_t column = 0; column < sizes[1]; ++column)
      diagonals.push_back(column - row);
  Composition to(node);
  const mlir::Value all = to.integers(diagonals, sizes),
                    first = to.cast(to.reshape(node.input(1), {}), node.typeOf(DType::i64));
  if (!first)
    return to.results({});
  const mlir::Value isKept = node.integer("upper", 1) != 0 ? to.make<GreaterOrEqualOp>(all, first)
                                                           : to.make<LessOrEqualOp>(all, first);
  const mlir::Value zero = node.constantValue(Tensor(*dtypeOfElement(node.elementType(0)), {}));
  return to.results({to.where(isKept, node.input(0), zero)});
}

ImportedValues trilu(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1, 2));
  int64_t diagonal = 0;
  if (node.has(1) && !node.constantInts(1, "the diagonal"))
    return triangleOf(node);
  if (node.has(1)) {
    TILERIG_TRY(diagonal, numberFrom(node, 1, "the diagonal"));
  }
  return node.makeAll<TriluOp>(node.input(0), static_cast<uint64_t>(diagonal), node.integer("upper", 1) != 0);
}

// Imports TopK. k is an attribute before operator set 10, an operand since.
ImportedValues topK(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(node.opset() < 10 ? 1 : 2));
  TILERIG_TRY(const uint64_t axis, axisOf(node, -1, node.rank(0)));
  TILERIG_TRY(const int64_t k, node.opset() < 10 ? node.neededInteger("k") : numberFrom(node, 1, "k"));
  return node.makeAll<TopKOp>(node.input(0), static_cast<uint64_t>(k), axis, node.integer("largest", 1) != 0,
                              node.integer("sorted", 1) != 0);
}

Value reverseSequence(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2));
  return node.make<ReverseSequenceOp>(node.input(0), node.input(1),
                                      static_cast<uint64_t>(node.integer("time_axis", 0)),
                                      static_cast<uint64_t>(node.integer("batch_axis", 1)));
}

// Imports Compress with a constant condition, as a gather with constant indices.
Value compress(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2));
  TILERIG_TRY(const Tensor condition, node.constant(1, "the condition"));
  if (condition.dtype() != DType::boolean || condition.rank() != 1)
    return node.refuse("the condition is not a one-dimensional tensor of bools");
  mlir::Value from = node.input(0);
  uint64_t axis = 0;
  if (node.attribute("axis")) {
    TILERIG_TRY(axis, axisOf(node, 0, node.rank(0)));
  } else {
    TILERIG_TRY(from, node.makeAs<ReshapeOp>({tensorType(from).getNumElements()}, node.elementType(0), from));
  }
  if (static_cast<int64_t>(condition.elementCount()) > shapeOf(from)[axis])
    return node.refuse(fmt::format("the condition has {} elements, but there are only {} to choose from",
                                   condition.elementCount(), shapeOf(from)[axis]));
  std::vector<int64_t> places;
  for (size_t i = 0; i < condition.elementCount(); ++i)
    if (condition.as<bool>()[i])
      places.push_back(static_cast<int64_t>(i));
  Tensor indices(DType::i64, {static_cast<int64_t>(places.size())});
  std::ranges::copy(places, indices.mutableAs<int64_t>().begin());
  return node.make<GatherOp>(from, node.constantValue(indices), axis);
}

} // namespace

void addIndexing(ImporterTable &table) {
  table.emplace("Gather", one(gatherAlong));
  table.emplace("GatherElements", one(gatherElements));
  table.emplace("GatherND", one(gatherND));
  table.emplace("Scatter", one(scatterElements));
  table.emplace("ScatterElements", one(scatterElements));
  table.emplace("ScatterND", one(scatterND));
  table.emplace("OneHot", one(oneHot));
  table.emplace("CumSum", one(cumSum));
  table.emplace("Trilu", trilu);
  table.emplace("TopK", topK);
  table.emplace("ReverseSequence", one(reverseSequence));
  table.emplace("Compress", one(compress));
}

} // namespace tilerig::compiler
