#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Graph/Import/Operators.h"

#include <fmt/core.h>
#include <llvm/ADT/Sequence.h>

namespace tilerig::compiler {

namespace {

using namespace graph;
using Value = Result<mlir::Value>;

llvm::APFloat epsilonOf(const NodeReader &node) { return llvm::APFloat(node.real("epsilon", 1e-5f)); }

// A number as a scalar constant of the first operand's type.
Value scalarLike(const NodeReader &node, float number) {
  const auto type = dtypeOfElement(node.elementType(0));
  return dispatch(*type, [&]<class T>() -> Value {
    if constexpr (std::is_floating_point_v<T>)
      return node.constantValue(Tensor::scalar(static_cast<T>(number)));
    else
      return node.unsupportedHere(fmt::format("normalisation of type {} is not supported", nameOf(*type)));
  });
}

// Refuses a node unless each of the operands behind the first has one element for each channel of the first.
Status checkChannels(const NodeReader &node, const char *names, size_t operands) {
  const Ints channels = {node.shape(0)[1]};
  for (size_t i = 1; i <= operands; ++i)
    if (node.shape(i) != llvm::ArrayRef(channels))
      return node.refuse(
          fmt::format("{} must have one element for each of {} channels; operand {} has the shape {}", names,
                      channels[0], i, graph::text(node.shape(i))));
  return success();
}

Value batchNorm(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(5));
  if (node.integer("training_mode", 0) != 0)
    return node.unsupportedHere("training mode is not supported");
  if (node.rank(0) < 2)
    return node.refuse(fmt::format("the input has {} axes; it needs a batch and channels", node.rank(0)));
  TILERIG_CHECK_OK(checkChannels(node, "scale, bias, mean and variance", 4));
  return node.make<BatchNormOp>(node.input(0), node.input(1), node.input(2), node.input(3), node.input(4),
                                epsilonOf(node));
}

// Imports Softmax and LogSoftmax. Before operator set 13 all axes from `axis` on formed one row.
template <class Op>
Value softmax(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  const bool isOld = node.opset() < 13;
  TILERIG_TRY(const int64_t axis, node.axis(node.integer("axis", isOld ? 1 : -1), node.rank(0)));
  if (!isOld || axis == node.rank(0) - 1)
    return node.make<Op>(node.input(0), static_cast<uint64_t>(axis));
  Ints rows = {1, 1};
  for (int64_t i = 0; i < node.rank(0); ++i)
    rows[i < axis ? 0 : 1] *= node.shape(0)[i];
  TILERIG_TRY(const mlir::Value matrix, node.makeAs<ReshapeOp>(rows, node.elementType(0), node.input(0)));
  TILERIG_TRY(const mlir::Value result, node.make<Op>(matrix, uint64_t{1}));
  return node.makeAs<ReshapeOp>(node.shape(0), node.elementType(0), result);
}

// Mean and inverse standard deviation, which are optional results of normalisations.
ImportedValues meanAndInverseDeviation(const NodeReader &node, const Ints &axes) {
  TILERIG_TRY(const mlir::Value mean, node.make<ReduceMeanOp>(node.input(0), axes, true));
  TILERIG_TRY(const mlir::Value centred, node.make<SubOp>(node.input(0), mean));
  TILERIG_TRY(const mlir::Value squares, node.make<MulOp>(centred, centred));
  TILERIG_TRY(const mlir::Value variance, node.make<ReduceMeanOp>(squares, axes, true));
  TILERIG_TRY(const mlir::Value epsilon, scalarLike(node, node.real("epsilon", 1e-5f)));
  TILERIG_TRY(const mlir::Value above, node.make<AddOp>(variance, epsilon));
  TILERIG_TRY(const mlir::Value deviation, node.make<SqrtOp>(above));
  TILERIG_TRY(const mlir::Value inverse, node.make<ReciprocalOp>(deviation));
  return Values{mean, inverse};
}

ImportedValues layerNorm(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2, 3));
  TILERIG_TRY(const int64_t axis, node.axis(node.integer("axis", -1), node.rank(0)));
  TILERIG_TRY(const mlir::Value output, node.make<LayerNormOp>(node.input(0), node.input(1), node.input(2),
                                                               epsilonOf(node), static_cast<uint64_t>(axis)));
  Values results = {output};
  if (node.numOutputs() > 1) {
    TILERIG_TRY(const Values more,
                meanAndInverseDeviation(node, llvm::to_vector(llvm::seq(axis, node.rank(0)))));
    llvm::append_range(results, more);
  }
  return results;
}

// The scale or bias of a group normalisation with one element for each channel. Before operator set 21 these
// operands had one element for each group, and are expanded.
Result<mlir::Value> perChannel(const NodeReader &node, size_t operand, int64_t groups) {
  const auto shape = node.shape(operand);
  const int64_t channels = node.rank(0) < 2 ? 0 : node.shape(0)[1];
  if (node.opset() >= 21 || shape.size() != 1 || shape[0] != groups || groups < 1 || channels % groups != 0)
    return node.input(operand);
  const mlir::Type element = node.elementType(operand);
  TILERIG_TRY(const mlir::Value column, node.makeAs<ReshapeOp>({groups, 1}, element, node.input(operand)));
  TILERIG_TRY(const mlir::Value spread, node.makeAs<ExpandOp>({groups, channels / groups}, element, column));
  return node.makeAs<ReshapeOp>({channels}, element, spread);
}

Value groupNorm(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(3));
  TILERIG_TRY(const int64_t groups, node.neededInteger("num_groups"));
  if (node.rank(0) < 3)
    return node.refuse(
        fmt::format("the input has {} axes; it needs a batch, channels and at least one more", node.rank(0)));
  const int64_t channels = node.shape(0)[1];
  if (groups < 1 || channels % groups != 0)
    return node.refuse(fmt::format("{} channels cannot be divided into {} groups", channels, groups));
  TILERIG_TRY(const mlir::Value scale, perChannel(node, 1, groups));
  TILERIG_TRY(const mlir::Value bias, perChannel(node, 2, groups));
  for (const mlir::Value each : {scale, bias})
    if (shapeOf(each) != llvm::ArrayRef<int64_t>{channels})
      return node.refuse(
          fmt::format("scale and bias must have one element for each of {} channels, not the shape {}",
                      channels, graph::text(shapeOf(each))));
  return node.make<GroupNormOp>(node.input(0), scale, bias, epsilonOf(node), static_cast<uint64_t>(groups));
}

Value lpNormalization(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  TILERIG_TRY(const int64_t axis, node.axis(node.integer("axis", -1), node.rank(0)));
  const int64_t p = node.integer("p", 2);
  if (p != 1 && p != 2)
    return node.refuse(fmt::format("attribute 'p' is {}, expected 1 or 2", p));
  return node.make<LpNormalizationOp>(node.input(0), static_cast<uint64_t>(axis), static_cast<uint64_t>(p));
}

Value instanceNorm(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(3));
  if (node.rank(0) < 3)
    return node.refuse(
        fmt::format("the input has {} axes; it needs a batch, channels and at least one more", node.rank(0)));
  TILERIG_CHECK_OK(checkChannels(node, "scale and bias", 2));
  return node.make<InstanceNormOp>(node.input(0), node.input(1), node.input(2), epsilonOf(node));
}

Value lrn(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  if (node.rank(0) < 2)
    return node.refuse(fmt::format("the input has {} axes; it needs a batch and channels", node.rank(0)));
  return node.make<LrnOp>(node.input(0), llvm::APFloat(node.real("alpha", 1e-4f)),
                          llvm::APFloat(node.real("beta", 0.75f)), llvm::APFloat(node.real("bias", 1)),
                          static_cast<uint64_t>(node.integer("size", 1)));
}

} // namespace

void addNormalisation(ImporterTable &table) {
  table.emplace("BatchNormalization", one(batchNorm));
  table.emplace("LayerNormalization", layerNorm);
  table.emplace("GroupNormalization", one(groupNorm));
  table.emplace("LpNormalization", one(lpNormalization));
  table.emplace("InstanceNormalization", one(instanceNorm));
  table.emplace("LRN", one(lrn));
  table.emplace("Softmax", one(softmax<SoftmaxOp>));
  table.emplace("LogSoftmax", one(softmax<LogSoftmaxOp>));
  table.emplace("Hardmax", one(softmax<HardmaxOp>));
}

} // namespace tilerig::compiler
