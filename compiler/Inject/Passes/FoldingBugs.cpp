#include "compiler/Inject/Passes/Edit.h"

#include <cmath>

namespace tilerig::compiler {

namespace {

using graph::shapeOf;

bool hasBias(mlir::Operation *operation) {
  return operation->getNumOperands() == 3 && floatsOf(operation->getOperand(2));
}
bool hasWeights(mlir::Operation *operation) { return floatsOf(operation->getOperand(1)).has_value(); }

// Whether the output channels are the first axis of the weights of a convolution or matrix product; otherwise
// they are the last axis.
bool hasOutputsFirst(mlir::Operation *operation) {
  if (auto gemm = llvm::dyn_cast<graph::GemmOp>(operation))
    return gemm.getTransB();
  return llvm::isa<graph::ConvOp, layer::ConvOp>(operation);
}
size_t outputsOf(mlir::Operation *operation) {
  const auto shape = shapeOf(operation->getOperand(1));
  return static_cast<size_t>(hasOutputsFirst(operation) ? shape.front() : shape.back());
}
size_t outputOf(mlir::Operation *operation, size_t element, size_t elements) {
  const size_t outputs = outputsOf(operation);
  return hasOutputsFirst(operation) ? element / (elements / outputs) : element % outputs;
}

// The batch normalisation that a rewrite of the pass has folded into weights, taken from a copy of the
// function from before the rewrite.
graph::BatchNormOp normIn(const RewriteView &rewrite) {
  return llvm::dyn_cast_or_null<graph::BatchNormOp>(rewrite.matched);
}

mlir::Operation *findFolded(const RewriteView &rewrite) {
  auto norm = normIn(rewrite);
  if (!norm || !floatsOf(norm.getVariance()) || !floatsOf(norm.getBias()))
    return nullptr;
  const size_t channels = floatsOf(norm.getVariance())->size();
  return findChanged<graph::ConvOp, graph::GemmOp>(rewrite, [&](mlir::Operation *operation) {
    return hasBias(operation) && hasWeights(operation) && outputsOf(operation) == channels &&
           norm.getInput().getDefiningOp() && hasWeights(norm.getInput().getDefiningOp());
  });
}

// Injects a wrong epsilon into the folding of a batch normalisation: multiplies the weights and the bias
// (without the normalisation's own bias) by the ratio of the wrong scale to the right one.
Status injectEpsilon(const RewriteView &rewrite, mlir::Operation *found, BugDraw &draw) {
  auto norm = normIn(rewrite);
  TILERIG_TRY(const int64_t power, draw.nonZero("power", -3, 3));
  const Doubles variance = *floatsOf(norm.getVariance()), ownBias = *floatsOf(norm.getBias());
  const double epsilon = norm.getEpsilon().convertToDouble();
  const double wrong = epsilon * std::pow(10.0, static_cast<double>(power));
  Doubles weights = *floatsOf(found->getOperand(1)), bias = *floatsOf(found->getOperand(2));
  const auto ratio = [&](size_t channel) {
    return std::sqrt((variance[channel] + epsilon) / (variance[channel] + wrong));
  };
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] *= ratio(outputOf(found, i, weights.size()));
  for (size_t i = 0; i < bias.size(); ++i)
    bias[i] = ownBias[i] + (bias[i] - ownBias[i]) * ratio(i);
  setConstant(found->getOpOperand(1), weights);
  setConstant(found->getOpOperand(2), bias);
  return success();
}

// Subtracts the bias of the folded batch normalisation instead of adding it.
Status injectShiftSign(const RewriteView &rewrite, mlir::Operation *found, BugDraw &) {
  const Doubles ownBias = *floatsOf(normIn(rewrite).getBias());
  Doubles bias = *floatsOf(found->getOperand(2));
  for (size_t i = 0; i < bias.size(); ++i)
    bias[i] -= 2 * ownBias[i];
  setConstant(found->getOpOperand(2), bias);
  return success();
}

size_t inputOf(mlir::Operation *operation, size_t element, size_t elements) {
  const auto shape = shapeOf(operation->getOperand(1));
  if (!hasOutputsFirst(operation))
    return element / outputsOf(operation);
  const size_t ofOutput = elements / outputsOf(operation), inputs = static_cast<size_t>(shape[1]);
  return element % ofOutput / (ofOutput / inputs);
}

mlir::Operation *findScaled(const RewriteView &rewrite) {
  mlir::Operation *const found = findFolded(rewrite);
  const auto gain = found ? floatsOf(normIn(rewrite).getScale()) : std::nullopt;
  return gain && llvm::all_of(*gain, [](double factor) { return factor != 0; }) ? found : nullptr;
}

Status injectBroadcast(const RewriteView &rewrite, mlir::Operation *found, BugDraw &) {
  auto norm = normIn(rewrite);
  const Doubles gain = *floatsOf(norm.getScale()), variance = *floatsOf(norm.getVariance());
  const auto factor = [&](size_t channel) {
    return gain[channel] / std::sqrt(variance[channel] + norm.getEpsilon().convertToDouble());
  };
  Doubles weights = *floatsOf(found->getOperand(1));
  const size_t elements = weights.size();
  for (size_t i = 0; i < elements; ++i)
    weights[i] *= factor(inputOf(found, i, elements) % gain.size()) / factor(outputOf(found, i, elements));
  setConstant(found->getOpOperand(1), weights);
  return success();
}

mlir::Operation *findFoldedConstant(const RewriteView &rewrite) {
  return findChanged<graph::ConstantOp>(rewrite, [](mlir::Operation *operation) {
    return floatsOf(operation->getResult(0)) && !floatsOf(operation->getResult(0))->empty();
  });
}

double inBits(double value, int bits) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, bits)), exponent - bits);
}

Status injectConstantType(const RewriteView &, mlir::Operation *found, BugDraw &draw) {
  TILERIG_TRY(const std::string_view type, draw.word("type", [](std::string_view) { return true; }));
  const int bits = type == "fp16" ? 11 : 8;
  const auto round = [&](double value) {
    return type == "int32" ? std::trunc(value) : std::isfinite(value) ? inBits(value, bits) : value;
  };
  Doubles elements = *floatsOf(found->getResult(0)), rounded = elements;
  for (double &element : rounded)
    element = round(element);
  if (rounded == elements)
    return noPlace("rounding to this type changes no element of the constant");
  mlir::OpOperand &reader = *found->getResult(0).use_begin();
  const auto uses = llvm::to_vector(llvm::make_pointer_range(found->getResult(0).getUses()));
  setConstant(reader, rounded);
  for (mlir::OpOperand *use : uses)
    use->set(reader.get());
  return success();
}

constexpr std::string_view batchNorms[] = {"fold-batch-norm"};
constexpr std::string_view constants[] = {"fold-constants"};

constexpr PassBug foldingTable[] = {
    {"fold-epsilon", batchNorms, findFolded, injectEpsilon},
    {"fold-shift-sign", batchNorms, findFolded, injectShiftSign},
    {"fold-broadcast-axis", batchNorms, findScaled, injectBroadcast},
    {"fold-constant-type", constants, findFoldedConstant, injectConstantType},
};

} // namespace

std::span<const PassBug> foldingBugs() { return foldingTable; }

} // namespace tilerig::compiler
