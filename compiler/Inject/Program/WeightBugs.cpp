// Weight bugs: weights are missing, shifted, or used for the wrong outputs.
#include "compiler/Inject/Program/LayerOps.h"

#include <cstring>

namespace tilerig::compiler {

namespace {

constexpr size_t weightOperand = 1;

// Constant weights of a layer, as a matrix of bytes with one row per output.
struct WeightRows {
  size_t step = 0;
  std::span<const std::byte> bytes;
  size_t outputs = 0, elementBytes = 1;

  size_t rowBytes() const { return bytes.size() / outputs; }
};

bool hasConstantWeights(const LayerOps &layer, const DeviceOp &deviceOp) {
  return isProduct(deviceOp) && layer.tensor(deviceOp.operands[weightOperand].tensor).constant();
}

Result<WeightRows> weightsOf(const LayerOps &layer) {
  TILERIG_TRY(const size_t step, layer.product());
  const DeviceOp &deviceOp = layer.at(step);
  if (!hasConstantWeights(layer, deviceOp))
    return hasNot("the weights of the layer are not constant");
  const Operand &operand = deviceOp.operands[weightOperand];
  const DeviceTensor &tensor = layer.tensor(operand.tensor);
  const bool isMatrix = deviceOp.kind == DeviceOpKind::matmul;
  const size_t axis = isMatrix ? tensor.shape.size() - 2 : 0;
  const bool isBatch = std::any_of(tensor.shape.begin(), tensor.shape.begin() + static_cast<ptrdiff_t>(axis),
                                   [](int64_t size) { return size > 1; });
  if (isBatch || (isMatrix && !operand.axes.back().isSummed))
    return hasNot("the weights of the layer are not stored output by output");
  return WeightRows{step, *tensor.bytes, static_cast<size_t>(tensor.shape[axis]), sizeBytes(tensor.type)};
}

Status put(const LayerOps &layer, const WeightRows &rows, ByteRow changed) {
  layer.replaceConstant(rows.step, weightOperand, std::move(changed));
  return success();
}

// Draws two different indices below `count`.
Result<std::pair<size_t, size_t>> drawPair(BugDraw &draw, size_t count) {
  if (count < 2)
    return hasNot("the layer has too few outputs for two rows or blocks of weights that can be swapped");
  TILERIG_TRY(const size_t first, draw.index("first", count));
  TILERIG_TRY(const size_t second, draw.indexBut("second", count, first));
  return std::pair(first, second);
}

Status swapRows(const LayerOps &layer, BugDraw &draw) {
  TILERIG_TRY(const WeightRows rows, weightsOf(layer));
  TILERIG_TRY(const auto pair, drawPair(draw, rows.outputs));
  return put(layer, rows, rowsFrom(rows.bytes, rows.rowBytes(), [&](size_t row) {
               return row == pair.first ? pair.second : row == pair.second ? pair.first : row;
             }));
}

Status swapBlocks(const LayerOps &layer, BugDraw &draw) {
  constexpr size_t block = 16; // number of outputs that the POD (matrix engine) computes in parallel
  TILERIG_TRY(const WeightRows rows, weightsOf(layer));
  TILERIG_TRY(const auto pair, drawPair(draw, rows.outputs / block));
  return put(layer, rows, rowsFrom(rows.bytes, rows.rowBytes(), [&](size_t row) {
               const size_t at = row / block, inside = row % block;
               return (at == pair.first ? pair.second : at == pair.second ? pair.first : at) * block + inside;
             }));
}

Status keepWeightsBefore(const LayerOps &layer, BugDraw &draw) {
  TILERIG_TRY(const WeightRows rows, weightsOf(layer));
  const DeviceOp *before = layer.before(rows.step, [&](const DeviceOp &other) {
    return hasConstantWeights(layer, other) &&
           sizeBytes(layer.tensor(other.operands[weightOperand].tensor).type) == rows.elementBytes;
  });
  if (!before)
    return hasNot("no earlier layer has constant weights with elements of the same size");
  TILERIG_TRY(const int64_t outputs, draw.number("outputs", 1, static_cast<int64_t>(rows.outputs)));
  const std::span<const std::byte> stale = *layer.tensor(before->operands[weightOperand].tensor).bytes;
  ByteRow changed(rows.bytes.begin(), rows.bytes.end());
  for (size_t i = 0; i < static_cast<size_t>(outputs) * rows.rowBytes(); ++i)
    changed[i] = stale[i % stale.size()];
  return put(layer, rows, std::move(changed));
}

Status shortenWeights(const LayerOps &layer, BugDraw &draw) {
  TILERIG_TRY(const WeightRows rows, weightsOf(layer));
  TILERIG_TRY(const int64_t missing, draw.number("outputs", 1, static_cast<int64_t>(rows.outputs) - 1));
  ByteRow changed(rows.bytes.begin(), rows.bytes.end());
  std::fill(changed.end() - missing * static_cast<int64_t>(rows.rowBytes()), changed.end(), std::byte{});
  return put(layer, rows, std::move(changed));
}

// Shifts the weights by some elements inside the constant that holds them; elements that nothing is shifted
// into become zero.
Status shiftWeights(const LayerOps &layer, BugDraw &draw) {
  TILERIG_TRY(const WeightRows rows, weightsOf(layer));
  const auto count = static_cast<int64_t>(rows.bytes.size() / rows.elementBytes);
  TILERIG_TRY(const int64_t elements,
              draw.nonZero("elements", -std::min<int64_t>(64, count - 1), std::min<int64_t>(64, count - 1)));
  const auto bytes = static_cast<ptrdiff_t>(static_cast<size_t>(std::abs(elements)) * rows.elementBytes);
  ByteRow changed(rows.bytes.size());
  if (elements > 0)
    std::copy(rows.bytes.begin() + bytes, rows.bytes.end(), changed.begin());
  else
    std::copy(rows.bytes.begin(), rows.bytes.end() - bytes, changed.begin() + bytes);
  return put(layer, rows, std::move(changed));
}

constexpr OpBug bugsOfWeights[] = {
    {"weights-rows-swapped", swapRows},   {"weights-blocks-swapped", swapBlocks},
    {"weights-stale", keepWeightsBefore}, {"weights-short", shortenWeights},
    {"weights-shifted", shiftWeights},
};

} // namespace

std::span<const OpBug> weightBugs() { return bugsOfWeights; }

} // namespace tilerig::compiler
