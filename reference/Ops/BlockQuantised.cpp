// The operator MatMulNBits of ONNX Runtime: a product with weights that are quantised in blocks of a few bits.
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Floating.h"
#include "reference/Ops/Products.h"
#include "reference/Run/Scratch.h"

#include <fmt/core.h>

namespace tilerig::reference {

namespace {

// The sizes of MatMulNBits: a matrix of `depth` × `columns` numbers of `bits` bits, in blocks of `block` numbers
// along the depth. The numbers of a column are consecutive, and the first of a byte is in its low bits.
struct BlockShape {
  int64_t depth, columns, bits, block, blocks;

  int64_t bytesOfBlock() const { return block * bits / 8; }
  // Number of bytes of a column of packed zero points.
  int64_t bytesOfZeros() const { return (blocks * bits + 7) / 8; }
};

Result<BlockShape> blockShape(const OpContext &context) {
  TILERIG_TRY(int64_t depth, context.intAttribute("K"));
  TILERIG_TRY(int64_t columns, context.intAttribute("N"));
  TILERIG_TRY(int64_t bits, context.intAttribute("bits", 4));
  TILERIG_TRY(int64_t block, context.intAttribute("block_size"));
  if (bits != 4 && bits != 8)
    return context.notSupported(fmt::format("attribute 'bits' is {}, which is not supported", bits),
                                "quantise the weights to 4 or 8 bits");
  if (depth < 1 || columns < 1 || block < 16 || (block & (block - 1)) != 0)
    return context.invalid(
        fmt::format("attributes K = {}, N = {} and block_size = {} are invalid: sizes must be "
                    "positive, and a block a power of two of at least 16",
                    depth, columns, block));
  return BlockShape{depth, columns, bits, block, (depth + block - 1) / block};
}

// Element `index` of a row of packed numbers.
int32_t unpacked(const uint8_t *row, int64_t index, int64_t bits) {
  return bits == 8 ? row[index] : row[index / 2] >> (index % 2 * 4) & 15;
}

// The zero point of every block, column after column: packed numbers, floats, or, if there are none, half of the
// range of the numbers.
template <class T>
Result<std::vector<T>> zerosOf(const OpContext &context, const BlockShape &shape) {
  const int64_t count = shape.columns * shape.blocks;
  if (!context.has(3))
    return std::vector<T>(static_cast<size_t>(count), T(1 << (shape.bits - 1)));
  const Tensor &zeros = context.input(3);
  const int64_t expected = zeros.dtype() == DType::u8 ? shape.columns * shape.bytesOfZeros() : count;
  if (static_cast<int64_t>(zeros.elementCount()) != expected)
    return context.invalid(fmt::format("the zero points have shape {}, expected {} elements",
                                       showShape(zeros.shape()), expected));
  if (zeros.dtype() != DType::u8)
    return floatsAs<T>(context, zeros);
  std::vector<T> result(static_cast<size_t>(count));
  for (int64_t column = 0; column < shape.columns; ++column)
    for (int64_t i = 0; i < shape.blocks; ++i)
      result[static_cast<size_t>(column * shape.blocks + i)] =
          static_cast<T>(unpacked(zeros.as<uint8_t>().data() + column * shape.bytesOfZeros(), i, shape.bits));
  return result;
}

// The block whose scale and zero point apply to each row of the weights: that of its position, unless input 4
// states another.
Result<std::vector<int64_t>> blocksOfRows(const OpContext &context, const BlockShape &shape) {
  std::vector<int64_t> result(static_cast<size_t>(shape.depth));
  for (int64_t row = 0; row < shape.depth; ++row)
    result[static_cast<size_t>(row)] = row / shape.block;
  if (!context.has(4))
    return result;
  if (context.has(3))
    return context.notSupported(
        "zero points together with g_idx are not supported: ONNX Runtime ignores them",
        "quantise the weights without zero points, or without g_idx");
  TILERIG_TRY(std::vector<int64_t> stated, context.integers(4));
  if (static_cast<int64_t>(stated.size()) != shape.depth &&
      static_cast<int64_t>(stated.size()) != shape.blocks * shape.block)
    return context.invalid(fmt::format("g_idx has {} elements, expected one for each of the {} rows",
                                       stated.size(), shape.depth));
  for (size_t row = 0; row < result.size(); ++row) {
    if (stated[row] < 0 || stated[row] >= shape.blocks)
      return context.invalid(
          fmt::format("g_idx has the element {}, but there are {} blocks", stated[row], shape.blocks));
    result[row] = stated[row];
  }
  return result;
}

// The weights as floats, `depth` × `columns`.
template <class T>
Result<Tensor> dequantisedWeights(const OpContext &context, const BlockShape &shape) {
  const Tensor &packed = context.input(1);
  if (packed.dtype() != DType::u8 ||
      static_cast<int64_t>(packed.elementCount()) != shape.columns * shape.blocks * shape.bytesOfBlock())
    return context.invalid(fmt::format(
        "the weights have type {} and shape {}, expected uint8 and {} × {} × {}", nameOf(packed.dtype()),
        showShape(packed.shape()), shape.columns, shape.blocks, shape.bytesOfBlock()));
  TILERIG_TRY(std::vector<T> scales, floatsAs<T>(context, context.input(2)));
  if (static_cast<int64_t>(scales.size()) != shape.columns * shape.blocks)
    return context.invalid(fmt::format("the scales have shape {}, expected {} elements",
                                       showShape(context.input(2).shape()), shape.columns * shape.blocks));
  TILERIG_TRY(std::vector<T> zeros, zerosOf<T>(context, shape));
  TILERIG_TRY(std::vector<int64_t> blocks, blocksOfRows(context, shape));
  TILERIG_TRY(Tensor weights, Tensor::makeUninitialised(dtypeOf<T>, {shape.depth, shape.columns}));
  T *to = weights.template mutableAs<T>().data();
  const uint8_t *from = packed.as<uint8_t>().data();
  for (int64_t row = 0; row < shape.depth; ++row)
    for (int64_t column = 0; column < shape.columns; ++column) {
      const auto parameter = static_cast<size_t>(column * shape.blocks + blocks[static_cast<size_t>(row)]);
      const uint8_t *numbers = from + column * shape.blocks * shape.bytesOfBlock();
      *to++ = (static_cast<T>(unpacked(numbers, row, shape.bits)) - zeros[parameter]) * scales[parameter];
    }
  return weights;
}

template <class T>
Status addBias(const OpContext &context, const BlockShape &shape, Tensor &y) {
  const Tensor &bias = context.input(5);
  if (bias.dtype() != y.dtype() || bias.shape() != Shape{shape.columns})
    return context.invalid(fmt::format("the bias has type {} and shape {}, expected {} and {} elements",
                                       nameOf(bias.dtype()), showShape(bias.shape()), nameOf(y.dtype()),
                                       shape.columns));
  const T *from = bias.as<T>().data();
  auto to = y.mutableAs<T>();
  for (size_t i = 0; i < to.size(); ++i)
    to[i] += from[i % static_cast<size_t>(shape.columns)];
  return success();
}

// The attribute accuracy_level permits less accurate
// products, and is ignored.
Status matMulNBits(OpContext &context) {
  TILERIG_TRY(BlockShape shape, blockShape(context));
  const Tensor &a = context.input(0);
  return withFloats(context, [&]<class T>() -> Status {
    TILERIG_TRY(Tensor weights, dequantisedWeights<T>(context, shape));
    TILERIG_TRY(ProductShape product, productShape(context, a.shape(), weights.shape()));
    TILERIG_TRY(Tensor y, Tensor::makeUninitialised(a.dtype(), product.result));
    TILERIG_CHECK_OK(multiplyBatches(context, product, a, weights, y));
    if (context.has(5))
      TILERIG_CHECK_OK(addBias<T>(context, shape, y));
    context.outputs[0] = std::move(y);
    return success();
  });
}

} // namespace

std::span<const OpEntry> blockQuantisedOps() {
  static constexpr OpEntry entries[] = {
      {"MatMulNBits", 1, 3, 6, matMulNBits, HalfFloats::widened, "com.microsoft"},
  };
  return entries;
}

} // namespace tilerig::reference
