// Shape inference for the operations of Recurrent.td.
#include "compiler/Graph/IR/Shapes.h"

namespace tilerig::compiler::graph {

namespace {

// Sizes of the axes of a recurrent layer, from its input and attributes.
struct LayerSizes {
  int64_t steps, batch, features, directions, hidden;
};

llvm::LogicalResult checkOperand(mlir::Value operand, const char *name, const Dims &wanted,
                                 mlir::Type element, Complaint complain) {
  if (operand &&
      (shapeOf(operand) != llvm::ArrayRef(wanted) || tensorType(operand).getElementType() != element))
    return complain("type of ", name, " is ", operand.getType(), ", expected shape ", text(wanted), " of ",
                    element);
  return llvm::success();
}

template <class Layer>
std::optional<LayerSizes> sizesOf(Layer layer, int64_t gates, int64_t activations, Complaint complain) {
  const auto input = shapeOf(layer.getInput());
  const int64_t directions = layer.getDirection() == Direction::bidirectional ? 2 : 1,
                hidden = static_cast<int64_t>(layer.getHidden());
  if (input.size() != 3 || hidden < 1 || hidden > INT32_MAX) {
    (void)complain("the input must have the axes steps, batch and features, not shape ", text(input),
                   ", and the hidden size must be positive, not ", hidden);
    return {};
  }
  const LayerSizes sizes{input[0], input[1], input[2], directions, hidden};
  const mlir::Type element = tensorType(layer.getInput()).getElementType();
  const auto check = [&](mlir::Value operand, const char *name, const Dims &wanted) {
    return llvm::succeeded(checkOperand(operand, name, wanted, element, complain));
  };
  if (!check(layer.getWeights(), "the weights", {directions, gates * hidden, sizes.features}) ||
      !check(layer.getRecurrence(), "the recurrence", {directions, gates * hidden, hidden}) ||
      !check(layer.getBias(), "the bias", {directions, 2 * gates * hidden}) ||
      !check(layer.getInitialState(), "the initial state", {directions, sizes.batch, hidden}))
    return {};
  if (layer.getLengths() && shapeOf(layer.getLengths()) != llvm::ArrayRef<int64_t>{sizes.batch}) {
    (void)complain("lengths have shape ", text(shapeOf(layer.getLengths())), ", expected one for each of ",
                   sizes.batch, " sequences");
    return {};
  }
  if (static_cast<int64_t>(layer.getActivations().size()) != directions * activations) {
    (void)complain("the layer has ", layer.getActivations().size(), " activation functions, expected ",
                   directions * activations);
    return {};
  }
  return sizes;
}

// Appends to `types` the types of the results: the outputs of all time steps, then `states` final states.
llvm::LogicalResult give(mlir::Value like, const LayerSizes &sizes, int64_t states, Types &types) {
  const mlir::Type element = tensorType(like).getElementType();
  types.push_back(
      mlir::RankedTensorType::get({sizes.steps, sizes.directions, sizes.batch, sizes.hidden}, element));
  for (int64_t i = 0; i < states; ++i)
    types.push_back(mlir::RankedTensorType::get({sizes.directions, sizes.batch, sizes.hidden}, element));
  return llvm::success();
}

} // namespace

llvm::LogicalResult RnnOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                            Adaptor adaptor, Types &types) {
  const auto sizes = sizesOf(adaptor, 1, 1, {location});
  return sizes ? give(adaptor.getInput(), *sizes, 1, types) : llvm::failure();
}

llvm::LogicalResult GruOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                            Adaptor adaptor, Types &types) {
  const auto sizes = sizesOf(adaptor, 3, 2, {location});
  return sizes ? give(adaptor.getInput(), *sizes, 1, types) : llvm::failure();
}

llvm::LogicalResult LstmOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                             Adaptor adaptor, Types &types) {
  const Complaint complain{location};
  const auto sizes = sizesOf(adaptor, 4, 3, complain);
  const mlir::Type element = tensorType(adaptor.getInput()).getElementType();
  if (!sizes ||
      llvm::failed(checkOperand(adaptor.getInitialCell(), "the initial cell",
                                {sizes->directions, sizes->batch, sizes->hidden}, element, complain)) ||
      llvm::failed(checkOperand(adaptor.getPeepholes(), "the peepholes",
                                {sizes->directions, 3 * sizes->hidden}, element, complain)))
    return llvm::failure();
  return give(adaptor.getInput(), *sizes, 2, types);
}

} // namespace tilerig::compiler::graph
