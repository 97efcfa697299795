#include "compiler/Layer/FromGraph/DynamicQuantise.h"

#include "compiler/Graph/IR/TensorAttributes.h"

#include <llvm/ADT/Sequence.h>

namespace tilerig::compiler {

namespace {

using namespace graph;

// The smallest or largest element of a tensor, or zero if that is smaller or larger, as a scalar. The tensor is reduced
// along its longest axis first, which can be divided among tiles, and then along all others.
mlir::Value extremeOf(mlir::Value x, ReduceFunction reduction, BinaryFunction function, LayerBuilder &to) {
  mlir::Value extreme = x;
  if (const auto shape = shapeOf(x); !shape.empty()) {
    const auto longest = static_cast<int64_t>(std::max_element(shape.begin(), shape.end()) - shape.begin());
    Ints others = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(shape.size())));
    others.erase(others.begin() + longest);
    extreme = to.reduce(reduction, extreme, {longest});
    if (tensorType(extreme).getNumElements() > 1)
      extreme = to.reduce(reduction, extreme, others);
    extreme = to.reshape(extreme, {});
  }
  return to.binary(function, extreme, to.number(0, extreme));
}

// The quotient, rounded to integers. A reshape, which costs nothing, keeps the rounding from becoming a part of the
// division: what is rounded has to be a tensor of the program, since an error of half a unit in the last place can change
// the result by 1.
mlir::Value roundedQuotient(mlir::Value a, mlir::Value b, LayerBuilder &to) {
  const mlir::Value quotient = to.binary(BinaryFunction::div, a, b);
  const Ints shape(shapeOf(quotient));
  const Ints other = shape.size() == 1 ? Ints{1, shape[0]} : Ints{tensorType(quotient).getNumElements()};
  return to.reshape(to.activate(UnaryFunction::round, to.reshape(quotient, other)), shape);
}

// The integers of a constant of bytes.
std::vector<int64_t> bytesOf(const Tensor &tensor) {
  if (tensor.dtype() == DType::u8)
    return {tensor.as<uint8_t>().begin(), tensor.as<uint8_t>().end()};
  return {tensor.as<int8_t>().begin(), tensor.as<int8_t>().end()};
}

// The elements of a constant of bytes, minus its zero points: one, or one for each index along `axis`. Null means 0.
std::vector<int64_t> lessZeroPoint(mlir::Value bytes, mlir::Value zeroPoint, size_t axis) {
  std::vector<int64_t> elements = bytesOf(*elementsOf(bytes));
  if (!zeroPoint)
    return elements;
  const std::vector<int64_t> zeros = bytesOf(*elementsOf(zeroPoint));
  int64_t inner = 1;
  for (const int64_t size : shapeOf(bytes).drop_front(axis + 1))
    inner *= size;
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] -= zeros[zeros.size() == 1 ? 0 : i / static_cast<size_t>(inner) % zeros.size()];
  return elements;
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
  const mlir::Value place = roundedQuotient(below, scale, to);
  const mlir::Value places = roundedQuotient(x, scale, to);
  const mlir::Type bytes = mlir::quant::UniformQuantizedType::get(
      0, mlir::IntegerType::get(to.context(), 8), mlir::Float32Type::get(to.context()), 1.0, 0, 0, 255);
  const mlir::Value integers = to.convert(to.binary(BinaryFunction::add, places, place), bytes);
  const mlir::Value zeroPoint = to.convert(place, tensorType(op.getZeroPoint()).getElementType());
  return llvm::SmallVector<mlir::Value>{integers, scale, zeroPoint};
}

mlir::Value withoutZeroPoint(mlir::Value sums, mlir::Value zeroPoint, const Tensor &sumsOfWeights,
                             LayerBuilder &to) {
  const mlir::Value zero = to.reshape(to.convert(zeroPoint, to.ops().getI32Type()), {});
  const mlir::Value weights = to.constant(sumsOfWeights, "sums");
  return to.binary(BinaryFunction::sub, sums, to.binary(BinaryFunction::mul, zero, weights));
}

Tensor sumsOfColumns(mlir::Value matrix, mlir::Value zeroPoint) {
  const int64_t depth = shapeOf(matrix)[0], outputs = shapeOf(matrix)[1];
  const std::vector<int64_t> elements = lessZeroPoint(matrix, zeroPoint, /*axis=*/1);
  Tensor columns(DType::i32, {outputs});
  for (int64_t i = 0; i < depth * outputs; ++i)
    columns.mutableAs<int32_t>()[static_cast<size_t>(i % outputs)] +=
        static_cast<int32_t>(elements[static_cast<size_t>(i)]);
  return columns;
}

Tensor sumsOfWindows(mlir::Value weights, mlir::Value zeroPoint, const ConvolutionWindows &windows) {
  const auto shape = shapeOf(weights);
  const int64_t outputs = shape[0], channels = shape[1], height = shape[2], width = shape[3];
  const std::vector<int64_t> elements = lessZeroPoint(weights, zeroPoint, /*axis=*/0);
  const bool isPadded = llvm::any_of(windows.pads, [](int64_t pad) { return pad != 0; });
  const int64_t rows = isPadded ? windows.result[0] : 1, columns = isPadded ? windows.result[1] : 1;
  const auto isInside = [&](size_t axis, int64_t place, int64_t tap) {
    const int64_t at = place * windows.strides[axis] + tap * windows.dilations[axis] - windows.pads[axis];
    return at >= 0 && at < windows.image[axis];
  };
  Tensor sums(DType::i32, isPadded ? tilerig::Shape{rows, columns, outputs} : tilerig::Shape{outputs});
  for (int64_t output = 0; output < outputs; ++output)
    for (int64_t y = 0; y < height; ++y)
      for (int64_t x = 0; x < width; ++x) {
        int64_t tap = 0;
        for (int64_t channel = 0; channel < channels; ++channel)
          tap += elements[static_cast<size_t>(((output * channels + channel) * height + y) * width + x)];
        for (int64_t row = 0; row < rows; ++row)
          for (int64_t column = 0; column < columns; ++column)
            if (isInside(0, row, y) && isInside(1, column, x))
              sums.mutableAs<int32_t>()[static_cast<size_t>((row * columns + column) * outputs + output)] +=
                  static_cast<int32_t>(tap);
      }
  return sums;
}

} // namespace tilerig::compiler
