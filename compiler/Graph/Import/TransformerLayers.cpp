// Import of normalisations and activations that ONNX Runtime fuses, and of RMSNormalization, as compositions.
#include "compiler/Graph/Import/Composition.h"

#include <fmt/core.h>
#include <llvm/ADT/Sequence.h>
#include <numbers>

namespace tilerig::compiler {

namespace {

using namespace graph;
using Value = Result<mlir::Value>;

bool isFloat(const NodeReader &node, size_t index) {
  return llvm::isa<mlir::FloatType>(node.elementType(index));
}

// Refuses a node if one of these operands is present and is not of the float type of operand `first`.
Status needsFloats(const NodeReader &node, size_t first, std::initializer_list<size_t> others) {
  if (!isFloat(node, first))
    return node.refuse(fmt::format("input {} is not a tensor of floats", first));
  for (const size_t index : others)
    if (node.has(index) && node.elementType(index) != node.elementType(first))
      return node.refuse(fmt::format("inputs {} and {} have different element types", first, index));
  return success();
}

// Refuses a node if one of these operands is present and is not a vector of `size` elements.
Status needsVectors(const NodeReader &node, int64_t size, std::initializer_list<size_t> operands) {
  for (const size_t index : operands)
    if (node.has(index) && node.shape(index) != llvm::ArrayRef(size))
      return node.refuse(
          fmt::format("input {} has shape {}, expected [{}]", index, text(node.shape(index)), size));
  return success();
}

struct NormalisedRows {
  mlir::Value result, mean, inverse; // mean: null if none is subtracted
};

// Divides by the root of the mean square over the axes from `axis` on, then scales.
NormalisedRows rootMeanSquareNorm(Composition &to, mlir::Value x, mlir::Value scale, int64_t axis,
                                  float epsilon) {
  if (!x)
    return {};
  const Ints axes = llvm::to_vector(llvm::seq(axis, static_cast<int64_t>(shapeOf(x).size())));
  const mlir::Value squares = to.mul(x, x);
  const mlir::Value mean = squares ? to.make<ReduceMeanOp>(squares, axes, true) : nullptr;
  const mlir::Value root =
      to.unary<SqrtOp>(to.add(mean, to.number(static_cast<double>(epsilon), elementOf(x))));
  const mlir::Value inverse = to.unary<ReciprocalOp>(root);
  return {to.mul(to.mul(x, inverse), scale), nullptr, inverse};
}

// Subtracts the mean over the last axis and divides by the standard deviation, then scales and shifts.
NormalisedRows layerNorm(Composition &to, mlir::Value x, mlir::Value scale, mlir::Value shift, float epsilon,
                         bool wantsStatistics) {
  if (!x)
    return {};
  const auto last = static_cast<uint64_t>(shapeOf(x).size() - 1);
  NormalisedRows rows;
  rows.result = to.make<LayerNormOp>(x, scale, shift, llvm::APFloat(epsilon), last);
  if (!wantsStatistics)
    return rows;
  rows.mean = to.meanOverLast(x);
  const mlir::Value centred = to.sub(x, rows.mean);
  const mlir::Value variance = to.meanOverLast(to.mul(centred, centred));
  rows.inverse = to.unary<ReciprocalOp>(
      to.unary<SqrtOp>(to.add(variance, to.number(static_cast<double>(epsilon), elementOf(x)))));
  return rows;
}

// Imports RMSNormalization and SimplifiedLayerNormalization, which is the same with the inverse root mean square as
// a second result.
ImportedValues rmsNormalization(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2));
  TILERIG_CHECK_OK(needsFloats(node, 0, {1}));
  TILERIG_TRY(const int64_t axis, node.axis(node.integer("axis", -1), node.rank(0)));
  if (node.integer("stash_type", 1) != 1)
    return node.unsupportedHere("a stash_type other than 1 (float32) is not supported");
  const auto common = broadcast(node.shape(0), node.shape(1));
  if (!common || llvm::ArrayRef(*common) != node.shape(0))
    return node.refuse(fmt::format("the scale of shape {} cannot be broadcast to {}", text(node.shape(1)),
                                   text(node.shape(0))));
  Composition to(node);
  const NormalisedRows rows =
      rootMeanSquareNorm(to, node.input(0), node.input(1), axis, node.real("epsilon", 1e-5f));
  Values results = {rows.result};
  if (node.numOutputs() > 1)
    results.push_back(to.cast(rows.inverse, node.typeOf(DType::f32)));
  return to.results(results);
}

// Whether the operand `skip` has the shape of the first operand, of which it may lack the first axis or have 1 there.
bool fitsSkip(llvm::ArrayRef<int64_t> input, llvm::ArrayRef<int64_t> skip) {
  return skip == input ||
         (input.size() == 3 && (skip == input.drop_front() || (skip.size() == 3 && skip[0] == 1 &&
                                                               skip.drop_front() == input.drop_front())));
}

// Imports SkipLayerNormalization, and SkipSimplifiedLayerNormalization, which subtracts no mean and has no beta.
ImportedValues skipNormalization(const NodeReader &node, bool isCentred) {
  TILERIG_CHECK_OK(node.needs(3, isCentred ? 5 : 4));
  TILERIG_CHECK_OK(needsFloats(node, 0, {1, 2, 3, 4}));
  if (node.rank(0) != 2 && node.rank(0) != 3)
    return node.refuse(fmt::format("the input has shape {}, expected rank 2 or 3", text(node.shape(0))));
  if (!fitsSkip(node.shape(0), node.shape(1)))
    return node.refuse(fmt::format("the skip has shape {}, which does not match the input of shape {}",
                                   text(node.shape(1)), text(node.shape(0))));
  TILERIG_CHECK_OK(needsVectors(node, node.shape(0).back(), {2, 3, 4}));
  const float epsilon = node.real("epsilon", 1e-12f);
  const mlir::Value bias = node.input(isCentred ? 4 : 3);
  Composition to(node);
  mlir::Value sum = to.add(node.input(0), node.input(1));
  if (bias)
    sum = to.add(sum, bias);
  const bool wantsStatistics = node.numOutputs() > 1;
  const NormalisedRows rows = isCentred
                                  ? layerNorm(to, sum, node.input(2), node.input(3), epsilon, wantsStatistics)
                                  : rootMeanSquareNorm(to, sum, node.input(2), node.rank(0) - 1, epsilon);
  Values results = {rows.result};
  if (wantsStatistics) {
    Ints shape(node.shape(0));
    shape.back() = 1;
    const mlir::Type single = node.typeOf(DType::f32);
    results.push_back(isCentred ? to.cast(rows.mean, single) : to.expand(to.number(0, single), shape));
    results.push_back(to.cast(rows.inverse, single));
    results.push_back(sum);
  }
  return to.results(results);
}

ImportedValues skipLayerNorm(const NodeReader &node) { return skipNormalization(node, true); }
ImportedValues skipRmsNorm(const NodeReader &node) { return skipNormalization(node, false); }

// --- EmbedLayerNormalization ---

// For each element of the batch the number of ones in the mask; zeros without a mask.
mlir::Value maskLengths(Composition &to, const NodeReader &node, mlir::Value mask) {
  const mlir::Type integer = node.typeOf(DType::i32);
  if (!mask)
    return to.cast(to.integers(Ints(static_cast<size_t>(node.shape(0)[0]), 0), {node.shape(0)[0]}), integer);
  const mlir::Value one = to.cast(to.integers({1}, {}), elementOf(mask));
  const mlir::Value ones = to.cast(to.make<EqualOp>(mask, one), integer);
  const Ints axes = {1};
  return ones ? to.make<ReduceSumOp>(ones, axes, false) : nullptr;
}

ImportedValues embedLayerNorm(const NodeReader &node) {
  constexpr size_t words = 2, places = 3, segments = 4, gamma = 5, beta = 6, mask = 7, positions = 8;
  TILERIG_CHECK_OK(node.needs(1, 9));
  for (const size_t index : {words, places, gamma, beta})
    if (!node.has(index))
      return node.refuse(fmt::format("input {} is missing", index));
  TILERIG_CHECK_OK(needsFloats(node, words, {places, segments, gamma, beta}));
  if (node.rank(0) != 2 || node.rank(words) != 2 || node.rank(places) != 2)
    return node.refuse("the input ids and the embeddings must be matrices");
  const auto tokens = node.shape(0);
  const int64_t hidden = node.shape(words)[1];
  TILERIG_CHECK_OK(needsVectors(node, hidden, {gamma, beta}));
  if (node.has(1) != node.has(segments) || (node.has(1) && node.shape(1) != tokens))
    return node.refuse(
        "segment ids of the shape of the input ids and the segment embedding must be given together");
  if (node.has(mask) && node.shape(mask) != tokens)
    return node.refuse("the mask must have the shape of the input ids");
  if (node.has(positions) && (node.rank(positions) != 2 || node.shape(positions)[1] != tokens[1] ||
                              (node.shape(positions)[0] != 1 && node.shape(positions)[0] != tokens[0])))
    return node.refuse(
        "the position ids must have the shape of the input ids, or its last axis and 1 in front");
  if (!node.has(positions) && node.shape(places)[0] < tokens[1])
    return node.refuse("the position embedding has fewer rows than a sequence has tokens");
  Composition to(node);
  const mlir::Value position =
      node.has(positions) ? to.gather(node.input(places), node.input(positions), 0)
                          : to.reshape(to.slice(node.input(places), 0, 0, tokens[1]), {1, tokens[1], hidden});
  mlir::Value sum = to.add(to.gather(node.input(words), node.input(0), 0), position);
  if (node.has(1))
    sum = to.add(sum, to.gather(node.input(segments), node.input(1), 0));
  const NormalisedRows rows =
      layerNorm(to, sum, node.input(gamma), node.input(beta), node.real("epsilon", 1e-12f), false);
  Values results = {rows.result};
  if (node.numOutputs() > 1)
    results.push_back(maskLengths(to, node, node.input(mask)));
  if (node.numOutputs() > 2)
    results.push_back(sum);
  return to.results(results);
}

// --- Activations ---

// The first operand plus the bias, which may be absent and has one element for each element of the last axis.
Value biased(const NodeReader &node) {
  TILERIG_CHECK_OK(needsFloats(node, 0, {1}));
  if (!node.has(1))
    return node.input(0);
  if (node.rank(0) < 1)
    return node.refuse("a scalar cannot have a bias");
  TILERIG_CHECK_OK(needsVectors(node, node.shape(0).back(), {1}));
  return node.make<AddOp>(node.input(0), node.input(1));
}

ImportedValues exactGelu(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  TILERIG_CHECK_OK(needsFloats(node, 0, {}));
  Composition to(node);
  return to.results({to.make<GeluOp>(node.input(0), false)});
}

ImportedValues biasGelu(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2));
  TILERIG_TRY(const mlir::Value x, biased(node));
  Composition to(node);
  return to.results({to.make<GeluOp>(x, false)});
}

ImportedValues fastGelu(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1, 2));
  TILERIG_TRY(const mlir::Value x, biased(node));
  Composition to(node);
  return to.results({to.make<GeluOp>(x, true)});
}

// Imports QuickGelu, x * sigmoid(alpha * x).
ImportedValues quickGelu(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  TILERIG_CHECK_OK(needsFloats(node, 0, {}));
  const mlir::Value x = node.input(0);
  const float alpha = node.real("alpha", 1.702f);
  Composition to(node);
  if (alpha == 1)
    return to.results({to.unary<SiluOp>(x)});
  const mlir::Value scaled = to.mul(x, to.number(static_cast<double>(alpha), elementOf(x)));
  return to.results({to.mul(x, to.unary<SigmoidOp>(scaled))});
}

} // namespace

void addTransformerLayers(ImporterTable &table) {
  table.emplace("RMSNormalization", rmsNormalization);
  table.emplace("SimplifiedLayerNormalization", rmsNormalization);
  table.emplace("com.microsoft.SimplifiedLayerNormalization", rmsNormalization);
  table.emplace("com.microsoft.SkipLayerNormalization", skipLayerNorm);
  table.emplace("com.microsoft.SkipSimplifiedLayerNormalization", skipRmsNorm);
  table.emplace("com.microsoft.EmbedLayerNormalization", embedLayerNorm);
  table.emplace("com.microsoft.BiasGelu", biasGelu);
  table.emplace("com.microsoft.FastGelu", fastGelu);
  table.emplace("com.microsoft.Gelu", exactGelu);
  table.emplace("com.microsoft.QuickGelu", quickGelu);
}

} // namespace tilerig::compiler
