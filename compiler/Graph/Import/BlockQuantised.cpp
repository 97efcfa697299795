// Import of MatMulNBits of ONNX Runtime. Its weights, numbers of a few bits that are quantised in blocks, become a
// constant of floats: from then on the product is like any other, and runs in every precision.
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Graph/Import/Composition.h"

#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

using namespace graph;

// The sizes of the weights: a matrix of `depth` × `columns` numbers of `bits` bits, in blocks of `block` numbers
// along the depth. The numbers of a column are consecutive, and the first of a byte is in its low bits.
struct Blocks {
  int64_t depth, columns, bits, block, count;

  size_t parameters() const { return static_cast<size_t>(columns * count); }
  int64_t bytesOfBlock() const { return block * bits / 8; }
  int64_t bytesOfZeros() const { return (count * bits + 7) / 8; }
};

Result<Blocks> blocksOf(const NodeReader &node) {
  TILERIG_TRY(const int64_t depth, node.neededInteger("K"));
  TILERIG_TRY(const int64_t columns, node.neededInteger("N"));
  TILERIG_TRY(const int64_t block, node.neededInteger("block_size"));
  const int64_t bits = node.integer("bits", 4);
  if (bits != 4 && bits != 8)
    return node.unsupportedHere(fmt::format("attribute 'bits' is {}, which is not supported", bits),
                                "quantise the weights to 4 or 8 bits");
  if (depth < 1 || columns < 1 || block < 16 || (block & (block - 1)) != 0)
    return node.refuse(
        fmt::format("attributes K = {}, N = {} and block_size = {} are invalid: sizes must be positive, "
                    "and a block a power of two of at least 16",
                    depth, columns, block));
  return Blocks{depth, columns, bits, block, (depth + block - 1) / block};
}

int unpacked(const uint8_t *row, int64_t index, int64_t bits) {
  return bits == 8 ? row[index] : row[index / 2] >> (index % 2 * 4) & 15;
}

// The numbers of a float operand, which must have `count` elements.
Result<std::vector<double>> reals(const NodeReader &node, size_t operand, std::string_view name,
                                  size_t count) {
  TILERIG_TRY(const Tensor tensor, node.constant(operand, name));
  const auto values = doublesIn(tensor);
  if (!values || values->size() != count)
    return node.refuse(fmt::format("{} must be {} floats, not {} elements of type {}", name, count,
                                   tensor.elementCount(), nameOf(tensor.dtype())));
  return *values;
}

// The zero point of every block, column after column: packed numbers, floats, or half of the range of the numbers.
Result<std::vector<double>> zerosOf(const NodeReader &node, const Blocks &blocks) {
  std::vector<double> zeros(blocks.parameters(), static_cast<double>(1 << (blocks.bits - 1)));
  if (!node.has(3))
    return zeros;
  TILERIG_TRY(const Tensor tensor, node.constant(3, "the zero points"));
  if (tensor.dtype() != DType::u8)
    return reals(node, 3, "the zero points", blocks.parameters());
  if (static_cast<int64_t>(tensor.elementCount()) != blocks.columns * blocks.bytesOfZeros())
    return node.refuse(fmt::format("the zero points have {} bytes, expected {}", tensor.elementCount(),
                                   blocks.columns * blocks.bytesOfZeros()));
  for (size_t i = 0; i < zeros.size(); ++i) {
    const auto column = static_cast<int64_t>(i) / blocks.count,
               number = static_cast<int64_t>(i) % blocks.count;
    zeros[i] = unpacked(tensor.as<uint8_t>().data() + column * blocks.bytesOfZeros(), number, blocks.bits);
  }
  return zeros;
}

// The block whose scale applies to each row of the weights: that of its position, unless operand 4 states another.
Result<Ints> blockOfRows(const NodeReader &node, const Blocks &blocks) {
  Ints result;
  for (int64_t row = 0; row < blocks.depth; ++row)
    result.push_back(row / blocks.block);
  if (!node.has(4))
    return result;
  if (node.has(3))
    return node.unsupportedHere(
        "zero points together with g_idx are not supported: ONNX Runtime ignores them",
        "quantise the weights without zero points, or without g_idx");
  TILERIG_TRY(Ints stated, node.constantInts(4, "g_idx"));
  if (static_cast<int64_t>(stated.size()) < blocks.depth)
    return node.refuse(fmt::format("g_idx has {} elements, expected one for each of the {} rows",
                                   stated.size(), blocks.depth));
  stated.resize(static_cast<size_t>(blocks.depth));
  for (const int64_t block : stated)
    if (block < 0 || block >= blocks.count)
      return node.refuse(
          fmt::format("g_idx has the element {}, but there are {} blocks", block, blocks.count));
  return stated;
}

Result<Tensor> dequantisedWeights(const NodeReader &node, const Blocks &blocks) {
  TILERIG_TRY(const Tensor packed, node.constant(1, "the weights"));
  if (packed.dtype() != DType::u8 ||
      static_cast<int64_t>(packed.elementCount()) != blocks.columns * blocks.count * blocks.bytesOfBlock())
    return node.refuse(fmt::format("the weights have {} elements of type {}, expected uint8 and {} × {} × {}",
                                   packed.elementCount(), nameOf(packed.dtype()), blocks.columns,
                                   blocks.count, blocks.bytesOfBlock()));
  TILERIG_TRY(const std::vector<double> scales, reals(node, 2, "the scales", blocks.parameters()));
  TILERIG_TRY(const std::vector<double> zeros, zerosOf(node, blocks));
  TILERIG_TRY(const Ints blockOfRow, blockOfRows(node, blocks));
  std::vector<double> weights;
  weights.reserve(static_cast<size_t>(blocks.depth * blocks.columns));
  const uint8_t *numbers = packed.as<uint8_t>().data();
  for (int64_t row = 0; row < blocks.depth; ++row)
    for (int64_t column = 0; column < blocks.columns; ++column) {
      const auto parameter =
          static_cast<size_t>(column * blocks.count + blockOfRow[static_cast<size_t>(row)]);
      const int number = unpacked(numbers + column * blocks.count * blocks.bytesOfBlock(), row, blocks.bits);
      weights.push_back((number - zeros[parameter]) * scales[parameter]);
    }
  const auto type = dtypeOfElement(node.elementType(0));
  return floatTensor(*type, {blocks.depth, blocks.columns}, weights);
}

// The attribute accuracy_level permits less accurate products, and is ignored.
ImportedValues matMulNBits(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(3, 6));
  TILERIG_TRY(const Blocks blocks, blocksOf(node));
  if (!llvm::isa<mlir::FloatType>(node.elementType(0)))
    return node.refuse("the left operand must have a float type");
  TILERIG_TRY(const Tensor weights, dequantisedWeights(node, blocks));
  Composition to(node);
  mlir::Value y = to.matmul(node.input(0), node.constantValue(weights));
  if (node.has(5) &&
      (node.shape(5) != llvm::ArrayRef(blocks.columns) || node.elementType(5) != node.elementType(0)))
    return node.refuse(
        fmt::format("the bias has shape {}, expected {} elements of the type of the left operand",
                    text(node.shape(5)), blocks.columns));
  return to.results({node.has(5) ? to.add(y, node.input(5)) : y});
}

} // namespace

void addBlockQuantised(ImporterTable &table) { table.emplace("com.microsoft.MatMulNBits", matMulNBits); }

} // namespace tilerig::compiler
