// Import of RotaryEmbedding of ONNX and of ONNX Runtime, which differ in their inputs.
#include "compiler/Graph/Import/Rotary.h"

#include <fmt/core.h>
#include <llvm/ADT/Sequence.h>

namespace tilerig::compiler {

using namespace graph;

mlir::Value rotatePairs(Composition &to, mlir::Value x, mlir::Value cosines, mlir::Value sines, int64_t pairs,
                        bool interleaved) {
  if (!x || pairs == 0)
    return x;
  const Ints shape(shapeOf(x));
  const auto last = static_cast<int64_t>(shape.size()) - 1;
  const int64_t size = shape.back();
  const mlir::Value first = interleaved ? to.slice(x, last, 0, 2 * pairs, 2) : to.slice(x, last, 0, pairs);
  const mlir::Value second =
      interleaved ? to.slice(x, last, 1, 2 * pairs, 2) : to.slice(x, last, pairs, 2 * pairs);
  const mlir::Value real = to.sub(to.mul(first, cosines), to.mul(second, sines));
  const mlir::Value imaginary = to.add(to.mul(first, sines), to.mul(second, cosines));
  Values parts = {real, imaginary};
  if (interleaved) {
    Ints column(shape);
    column.back() = pairs;
    column.push_back(1);
    Ints joined(shape);
    joined.back() = 2 * pairs;
    parts = {
        to.reshape(to.concat({to.reshape(real, column), to.reshape(imaginary, column)}, last + 1), joined)};
  }
  if (2 * pairs < size)
    parts.push_back(to.slice(x, last, 2 * pairs, size));
  return to.concat(parts, last);
}

namespace {

struct RotaryNode {
  int64_t batch, heads, length, size; // of the input
  bool hasHeadsInside;                // whether the input has the shape batch × length × (heads · size)
  int64_t pairs;
};

// `size`: size of a head if the number of heads is not given.
Result<RotaryNode> readShape(const NodeReader &node, int64_t size) {
  const auto shape = node.shape(0);
  const int64_t heads = node.integer("num_heads", 0), rotated = node.integer("rotary_embedding_dim", 0);
  RotaryNode rotary;
  if (shape.size() == 4) {
    rotary = {shape[0], shape[1], shape[2], shape[3], false, 0};
  } else if (shape.size() == 3) {
    if (heads == 0 && size == 0)
      return node.refuse("an input of rank 3 needs the attribute 'num_heads'");
    const int64_t headSize = heads > 0 ? shape[2] / heads : size;
    if (heads < 0 || headSize < 1 || shape[2] % headSize != 0 || (heads > 0 && shape[2] % heads != 0))
      return node.refuse(fmt::format("the input of shape {} cannot be divided into heads", text(shape)));
    rotary = {shape[0], shape[2] / headSize, shape[1], headSize, true, 0};
  } else {
    return node.refuse(fmt::format("the input has shape {}, expected rank 3 or 4", text(shape)));
  }
  const int64_t all = rotated ? rotated : rotary.size;
  if (all < 0 || all > rotary.size || all % 2 != 0)
    return node.refuse(
        fmt::format("{} elements of a head of {} elements cannot be rotated in pairs", all, rotary.size));
  rotary.pairs = all / 2;
  return rotary;
}

Status checkTables(const NodeReader &node, const RotaryNode &rotary, size_t first, int64_t rank) {
  for (const size_t operand : {first, first + 1}) {
    if (node.rank(operand) != rank || node.shape(operand).back() != rotary.pairs ||
        node.shape(operand) != node.shape(first))
      return node.refuse(
          fmt::format("input {} has shape {}, expected rank {} and {} columns, one for each rotated "
                      "pair of elements",
                      operand, text(node.shape(operand)), rank, rotary.pairs));
    if (node.elementType(operand) != node.elementType(0))
      return node.refuse(fmt::format("inputs 0 and {} have different element types", operand));
  }
  return success();
}

// Rotates the input by tables that have a row for each token, with the batch or 1 in front.
ImportedValues rotated(const NodeReader &node, Composition &to, const RotaryNode &rotary, mlir::Value cosines,
                       mlir::Value sines) {
  const auto forHeads = [&](mlir::Value table) -> mlir::Value {
    if (!table)
      return nullptr;
    const int64_t batch =
        tensorType(table).getNumElements() / std::max<int64_t>(1, rotary.length * rotary.pairs);
    return rotary.hasHeadsInside ? to.reshape(table, {batch, rotary.length, 1, rotary.pairs})
                                 : to.reshape(table, {batch, 1, rotary.length, rotary.pairs});
  };
  const mlir::Value x =
      rotary.hasHeadsInside
          ? to.reshape(node.input(0), {rotary.batch, rotary.length, rotary.heads, rotary.size})
          : node.input(0);
  const mlir::Value y = rotatePairs(to, x, forHeads(cosines), forHeads(sines), rotary.pairs,
                                    node.integer("interleaved", 0) != 0);
  return to.results({to.reshape(y, node.shape(0))});
}

ImportedValues rotaryEmbedding(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(3, 4));
  TILERIG_TRY(const RotaryNode rotary, readShape(node, 0));
  TILERIG_CHECK_OK(checkTables(node, rotary, 1, node.has(3) ? 2 : 3));
  Composition to(node);
  const Ints tokens = {rotary.batch, rotary.length};
  if (node.has(3)) {
    if (node.shape(3) != llvm::ArrayRef(tokens))
      return node.refuse(
          fmt::format("position_ids has shape {}, expected {}", text(node.shape(3)), text(tokens)));
    return rotated(node, to, rotary, to.gather(node.input(1), node.input(3), 0),
                   to.gather(node.input(2), node.input(3), 0));
  }
  if (node.shape(1).take_front(2) != llvm::ArrayRef(tokens))
    return node.refuse(fmt::format("cos_cache has shape {}, expected {}x{} without position_ids",
                                   text(node.shape(1)), text(tokens), rotary.pairs));
  return rotated(node, to, rotary, node.input(1), node.input(2));
}

// Imports ONNX Runtime's operator: position ids are the second operand, one for each token or the first one for all
// sequences.
ImportedValues runtimeRotaryEmbedding(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(4));
  if (node.integer("is_packed_batching", 0) != 0)
    return node.unsupportedHere("attribute 'is_packed_batching' is not supported");
  if (node.real("scale", 1) != 1)
    return node.unsupportedHere("attribute 'scale' is not supported");
  TILERIG_TRY(const RotaryNode rotary, readShape(node, node.rank(2) == 2 ? 2 * node.shape(2)[1] : 0));
  TILERIG_CHECK_OK(checkTables(node, rotary, 2, 2));
  const Ints tokens = {rotary.batch, rotary.length};
  if (node.shape(1) != llvm::ArrayRef<int64_t>({1}) && node.shape(1) != llvm::ArrayRef(tokens))
    return node.refuse(
        fmt::format("position_ids has shape {}, expected [1] or {}", text(node.shape(1)), text(tokens)));
  Composition to(node);
  mlir::Value positions = node.input(1);
  if (node.rank(1) == 1) {
    const Ints steps = llvm::to_vector(llvm::seq<int64_t>(0, rotary.length));
    positions = to.reshape(to.add(to.integers(steps, {rotary.length}), positions), {1, rotary.length});
  }
  return rotated(node, to, rotary, to.gather(node.input(2), positions, 0),
                 to.gather(node.input(3), positions, 0));
}

} // namespace

void addRotary(ImporterTable &table) {
  table.emplace("RotaryEmbedding", rotaryEmbedding);
  table.emplace("com.microsoft.RotaryEmbedding", runtimeRotaryEmbedding);
}

} // namespace tilerig::compiler
