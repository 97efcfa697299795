#include "compiler/Graph/Import/Operators.h"

#include <llvm/ADT/Sequence.h>

namespace tilerig::compiler {

namespace {

using namespace graph;
using Value = Result<mlir::Value>;

// Imports a reduction. An empty list of axes means all axes, or with noop_with_empty_axes none.
template <class Op>
Value reduce(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1, 2));
  TILERIG_TRY(const std::optional<Ints> statedAxes, node.integersOrInput("axes", 1));
  Ints axes = statedAxes.value_or(Ints());
  if (axes.empty() && node.integer("noop_with_empty_axes", 0) != 0)
    return node.input(0);
  if (axes.empty())
    for (int64_t axis : llvm::seq(node.rank(0)))
      axes.push_back(axis);
  for (int64_t &axis : axes) {
    TILERIG_TRY(axis, node.axis(axis, node.rank(0)));
  }
  llvm::sort(axes);
  return node.make<Op>(node.input(0), axes, node.integer("keepdims", 1) != 0);
}

template <class Op>
Value extreme(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  TILERIG_TRY(const int64_t axis, node.axis(node.integer("axis", 0), node.rank(0)));
  return node.make<Op>(node.input(0), static_cast<uint64_t>(axis), node.integer("keepdims", 1) != 0,
                       node.integer("select_last_index", 0) != 0);
}

template <class... Ops>
void addReductions(ImporterTable &table) {
  (table.emplace(std::string_view(Ops::onnxType), one(reduce<Ops>)), ...);
}

} // namespace

void addReduction(ImporterTable &table) {
  addReductions<ReduceL1Op, ReduceL2Op, ReduceLogSumOp, ReduceLogSumExpOp, ReduceMaxOp, ReduceMeanOp,
                ReduceMinOp, ReduceProdOp, ReduceSumOp, ReduceSumSquareOp>(table);
  table.emplace("ArgMax", one(extreme<ArgMaxOp>));
  table.emplace("ArgMin", one(extreme<ArgMinOp>));
}

} // namespace tilerig::compiler
