#include "compiler/Layer/FromGraph/DynamicQuantise.h"

#include "compiler/Graph/IR/TensorAttributes.h"

#include <llvm/ADT/Sequence.h>

namespace tilerig::compiler {

namespace {

using namespace graph;

// The smallest or largest element of a tensor, or zero if that is smaller or larger, as a scalar.
mlir::Value extremeOf(mlir::Value x, ReduceFunction reduction, BinaryFunction function, LayerBuilder &to) {
  const Ints axes = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(shapeOf(x).size())));
  const mlir::Value extreme = axes.empty() ? x : to.reshape(to.reduce(reduction, x, axes), {});
  return to.binary(function, extreme, to.number(0, extreme));
}

// The integers of a constant of bytes.
std::vector<int64_t> bytesOf(const Tensor &tensor) {
  if (tensor.dtype() == DType::u8)
    return {tensor.as<uint8_t>().begin(), tensor.as<uint8_t>().end()};
  return {tensor.as<int8_t>().begin(), tensor.as<int8_t>().end()};
}

} // namespace

// The integers get a quantised type with scale 1 and zero point 0: products multiply them as they are.
Lowered quantiseDynamically(DynamicQuantizeLinearOp op, LayerBuilder &to) {
  if (!op.getOutput().use_empty() && !isReadByScales(op.getOutput()))
    return noLayer(
        "integers with a scale that is computed at run time are supported by the accelerator only as "
        "operands of products");
  const mlir::Value x = op.getInput();
  const mlir::Value least = extremeOf(x, ReduceFunction::min, BinaryFunction::min, to);
  const mlir::Value greatest = extremeOf(x, ReduceFunction::max, BinaryFunction::max, to);
  const mlir::Value range = to.binary(BinaryFunction::sub, greatest, least);
  const mlir::Value steps = to.number(255, range), one = to.number(1, range), zero = to.number(0, range);
  const mlir::Value isEmpty = to.binary(BinaryFunction::equal, range, zero);
  const mlir::Value step = to.binary(BinaryFunction::div, range, steps);
  const mlir::Value scale = to.select(isEmpty, one, step);
  const mlir::Value below = to.binary(BinaryFunction::sub, zero, least);
  const mlir::Value place = to.activate(UnaryFunction::round, to.binary(BinaryFunction::div, below, scale));
  const mlir::Value places = to.activate(UnaryFunction::round, to.binary(BinaryFunction::div, x, scale));
  const mlir::Type bytes = mlir::quant::UniformQuantizedType::get(
      0, mlir::IntegerType::get(to.context(), 8), mlir::Float32Type::get(to.context()), 1.0, 0, 0, 255);
  const mlir::Value integers = to.convert(to.binary(BinaryFunction::add, places, place), bytes);
  const mlir::Value zeroPoint = to.convert(place, tensorType(op.getZeroPoint()).getElementType());
  return llvm::SmallVector<mlir::Value>{integers, scale, zeroPoint};
}

mlir::Value withoutZeroPoint(mlir::Value sums, mlir::Value zeroPointOfA, mlir::Value b,
                             mlir::Value zeroPointOfB, LayerBuilder &to) {
  const int64_t depth = shapeOf(b)[0], outputs = shapeOf(b)[1];
  const std::vector<int64_t> elements = bytesOf(*elementsOf(b)),
                             zeros =
                                 zeroPointOfB ? bytesOf(*elementsOf(zeroPointOfB)) : std::vector<int64_t>{0};
  Tensor columns(DType::i32, {outputs});
  for (int64_t i = 0; i < outputs; ++i) {
    int64_t sum = 0;
    for (int64_t k = 0; k < depth; ++k)
      sum += elements[static_cast<size_t>(k * outputs + i)] -
             zeros[zeros.size() == 1 ? 0 : static_cast<size_t>(i)];
    columns.mutableAs<int32_t>()[static_cast<size_t>(i)] = static_cast<int32_t>(sum);
  }
  const mlir::Value zero = to.reshape(to.convert(zeroPointOfA, to.ops().getI32Type()), {});
  const mlir::Value sumsOfColumns = to.constant(columns, "sums");
  return to.binary(BinaryFunction::sub, sums, to.binary(BinaryFunction::mul, zero, sumsOfColumns));
}

} // namespace tilerig::compiler
