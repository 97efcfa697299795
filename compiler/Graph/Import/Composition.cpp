#include "compiler/Graph/Import/Composition.h"

#include <llvm/ADT/Sequence.h>

namespace tilerig::compiler {

using namespace graph;

std::string Composition::nameOfNext(llvm::StringRef operation) {
  operation.consume_front("graph.");
  const unsigned count = ++counts[operation];
  return count == 1 ? operation.str() : operation.str() + std::to_string(count);
}

mlir::Value Composition::reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape) {
  if (!x || shapeOf(x) == shape)
    return x;
  return keep(ReshapeOp::getOperationName(),
              [&](const NodeReader &part) { return part.makeAs<ReshapeOp>(shape, elementOf(x), x); });
}

mlir::Value Composition::expand(mlir::Value x, llvm::ArrayRef<int64_t> shape) {
  if (!x || shapeOf(x) == shape)
    return x;
  return keep(ExpandOp::getOperationName(),
              [&](const NodeReader &part) { return part.makeAs<ExpandOp>(shape, elementOf(x), x); });
}

mlir::Value Composition::cast(mlir::Value x, mlir::Type element) {
  if (!x || elementOf(x) == element)
    return x;
  return keep(CastOp::getOperationName(),
              [&](const NodeReader &part) { return part.makeAs<CastOp>(shapeOf(x), element, x); });
}

mlir::Value Composition::transpose(mlir::Value x, const Ints &perm) {
  if (!x || llvm::equal(perm, llvm::seq<int64_t>(0, static_cast<int64_t>(perm.size()))))
    return x;
  return make<TransposeOp>(x, perm);
}

mlir::Value Composition::slice(mlir::Value x, int64_t axis, int64_t begin, int64_t end, int64_t step) {
  if (!x)
    return nullptr;
  Ints starts(shapeOf(x).size(), 0), ends(shapeOf(x)), steps(shapeOf(x).size(), 1);
  if (begin == 0 && end == ends[axis] && step == 1)
    return x;
  starts[axis] = begin, ends[axis] = end, steps[axis] = step;
  return make<SliceOp>(x, starts, ends, steps);
}

mlir::Value Composition::concat(const Values &parts, int64_t axis) {
  for (const mlir::Value part : parts)
    if (!part)
      return nullptr;
  return parts.size() == 1 ? parts[0] : make<ConcatOp>(mlir::ValueRange(parts), static_cast<uint64_t>(axis));
}

mlir::Value Composition::gather(mlir::Value x, mlir::Value indices, int64_t axis) {
  return x && indices ? make<GatherOp>(x, indices, static_cast<uint64_t>(axis)) : nullptr;
}

mlir::Value Composition::meanOverLast(mlir::Value x) {
  if (!x)
    return nullptr;
  const Ints axes = {static_cast<int64_t>(shapeOf(x).size()) - 1};
  return make<ReduceMeanOp>(x, axes, true);
}

mlir::Value Composition::isNaN(mlir::Value x) {
  return x ? keep(IsNaNOp::getOperationName(),
                  [&](const NodeReader &part) {
                    return part.makeAs<IsNaNOp>(shapeOf(x), node.typeOf(DType::boolean), x);
                  })
           : nullptr;
}

mlir::Value Composition::where(mlir::Value condition, mlir::Value a, mlir::Value b) {
  return condition && a && b ? make<WhereOp>(condition, a, b) : nullptr;
}

mlir::Value Composition::constant(llvm::ArrayRef<double> numbers, llvm::ArrayRef<int64_t> shape,
                                  mlir::Type element) {
  if (error)
    return nullptr;
  Tensor doubles(DType::f64, Shape(shape.begin(), shape.end()));
  std::ranges::copy(numbers, doubles.mutableAs<double>().begin());
  if (element.isF64())
    return node.constantValue(doubles);
  Tensor floats(DType::f32, Shape(shape.begin(), shape.end()));
  std::ranges::transform(numbers, floats.mutableAs<float>().begin(),
                         [](double x) { return static_cast<float>(x); });
  return cast(node.constantValue(floats), element);
}

mlir::Value Composition::booleans(llvm::ArrayRef<bool> values, llvm::ArrayRef<int64_t> shape) {
  Tensor tensor(DType::boolean, Shape(shape.begin(), shape.end()));
  std::ranges::copy(values, tensor.mutableAs<bool>().begin());
  return node.constantValue(tensor);
}

mlir::Value Composition::integers(llvm::ArrayRef<int64_t> values, llvm::ArrayRef<int64_t> shape) {
  Tensor tensor(DType::i64, Shape(shape.begin(), shape.end()));
  std::ranges::copy(values, tensor.mutableAs<int64_t>().begin());
  return node.constantValue(tensor);
}

} // namespace tilerig::compiler
