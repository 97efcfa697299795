#include "compiler/Import/Operators.h"

namespace tilerig {

namespace {

using namespace graph;
using Value = Result<mlir::Value>;

llvm::APFloat epsilonOf(const NodeReader &node) { return llvm::APFloat(node.real("epsilon", 1e-5f)); }

Value batchNorm(const NodeReader &node) {
  CHECK_OK(node.needs(5));
  if (node.integer("training_mode", 0) != 0)
    return node.unsupportedHere("a model that is being trained");
  return node.make<BatchNormOp>(node.input(0), node.input(1), node.input(2), node.input(3), node.input(4),
                                epsilonOf(node));
}

// Before opset 13 everything from the axis on was one row.
template <class Op>
Value softmax(const NodeReader &node) {
  CHECK_OK(node.needs(1));
  const bool isOld = node.opset() < 13;
  TRY(const int64_t axis, node.axis(node.integer("axis", isOld ? 1 : -1), node.rank(0)));
  if (!isOld || axis == node.rank(0) - 1)
    return node.make<Op>(node.input(0), static_cast<uint64_t>(axis));
  Ints rows = {1, 1};
  for (int64_t i = 0; i < node.rank(0); ++i)
    rows[i < axis ? 0 : 1] *= node.shape(0)[i];
  TRY(const mlir::Value matrix, node.makeAs<ReshapeOp>(rows, node.elementType(0), node.input(0)));
  TRY(const mlir::Value result, node.make<Op>(matrix, uint64_t{1}));
  return node.makeAs<ReshapeOp>(node.shape(0), node.elementType(0), result);
}

Value layerNorm(const NodeReader &node) {
  CHECK_OK(node.needs(2));
  if (node.numOutputs() > 1)
    return node.unsupportedHere("mean and deviation are wanted as results");
  TRY(const int64_t axis, node.axis(node.integer("axis", -1), node.rank(0)));
  return node.make<LayerNormOp>(node.input(0), node.input(1), node.input(2), epsilonOf(node),
                                static_cast<uint64_t>(axis));
}

} // namespace

void addNormalisation(ImporterTable &table) {
  table.emplace("BatchNormalization", one(batchNorm));
  table.emplace("LayerNormalization", one(layerNorm));
  table.emplace("InstanceNormalization", one([](const NodeReader &node) -> Value {
                  CHECK_OK(node.needs(3));
                  return node.make<InstanceNormOp>(node.input(0), node.input(1), node.input(2),
                                                   epsilonOf(node));
                }));
  table.emplace("LRN", one([](const NodeReader &node) -> Value {
                  CHECK_OK(node.needs(1));
                  return node.make<LrnOp>(node.input(0), llvm::APFloat(node.real("alpha", 1e-4f)),
                                          llvm::APFloat(node.real("beta", 0.75f)),
                                          llvm::APFloat(node.real("bias", 1)),
                                          static_cast<uint64_t>(node.integer("size", 1)));
                }));
  table.emplace("Softmax", one(softmax<SoftmaxOp>));
  table.emplace("LogSoftmax", one(softmax<LogSoftmaxOp>));
  table.emplace("Hardmax", one(softmax<HardmaxOp>));
}

} // namespace tilerig
