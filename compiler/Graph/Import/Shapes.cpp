// Import of operators on shapes, whose results are constants once shapes are static.
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Graph/Import/Operators.h"

#include <cmath>
#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

using Value = Result<mlir::Value>;

Value ints(const NodeReader &node, llvm::ArrayRef<int64_t> values, bool isScalar = false) {
  Tensor tensor(DType::i64, isScalar ? Shape{} : Shape{static_cast<int64_t>(values.size())});
  std::ranges::copy(values, tensor.mutableAs<int64_t>().begin());
  return node.constantValue(tensor);
}

Value shape(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  const int64_t rank = node.rank(0);
  const auto bound = [&](int64_t at) { return std::clamp(at < 0 ? at + rank : at, int64_t{0}, rank); };
  const int64_t start = bound(node.integer("start", 0)), end = bound(node.integer("end", rank));
  return ints(node, start < end ? node.shape(0).slice(start, end - start) : llvm::ArrayRef<int64_t>());
}

Value size(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  int64_t count = 1;
  for (int64_t each : node.shape(0))
    count *= each;
  return ints(node, {count}, true);
}

Value constant(const NodeReader &node) {
  if (const auto *value = node.attribute("value")) {
    TILERIG_TRY(const Tensor tensor, node.tensor(*value));
    return node.constantValue(tensor);
  }
  if (const auto *value = node.attribute("value_float")) {
    Tensor tensor(DType::f32, {});
    tensor.mutableAs<float>()[0] = value->f();
    return node.constantValue(tensor);
  }
  if (const auto *values = node.attribute("value_floats")) {
    Tensor tensor(DType::f32, {values->floats_size()});
    std::ranges::copy(values->floats(), tensor.mutableAs<float>().begin());
    return node.constantValue(tensor);
  }
  if (const auto *value = node.attribute("value_int"))
    return ints(node, {value->i()}, true);
  if (const auto values = node.integers("value_ints"))
    return ints(node, *values);
  return node.unsupportedHere("constants that are strings or sparse tensors are not supported");
}

// Imports ConstantOfShape as a single element that is expanded to the shape, so that a model of a few bytes
// cannot fill the memory.
Value constantOfShape(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  TILERIG_TRY(const Ints sizes, node.constantInts(0, "the shape"));
  Tensor value(DType::f32, {1});
  if (const auto *attribute = node.attribute("value")) {
    TILERIG_TRY(value, node.tensor(*attribute));
  }
  if (value.elementCount() != 1)
    return node.refuse("attribute 'value' must have one element");
  return node.makeAs<graph::ExpandOp>(sizes, node.typeOf(value.dtype()),
                                      node.constantValue(*value.reshaped({})));
}

// A Range of at most this many elements is folded to a constant; longer ones are computed at run time.
constexpr int64_t mostElements = 1 << 24;

Value range(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(3));
  TILERIG_TRY(const Tensor start, node.constant(0, "the start"));
  TILERIG_TRY(const Tensor limit, node.constant(1, "the limit"));
  TILERIG_TRY(const Tensor step, node.constant(2, "the step"));
  if (start.dtype() != limit.dtype() || start.dtype() != step.dtype() || start.elementCount() != 1 ||
      limit.elementCount() != 1 || step.elementCount() != 1)
    return node.refuse("start, limit and step must be scalars of the same type");
  return dispatch(start.dtype(), [&]<class T>() -> Value {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      const T from = start.as<T>()[0], by = step.as<T>()[0];
      const double count = std::ceil((static_cast<double>(limit.as<T>()[0]) - static_cast<double>(from)) /
                                     static_cast<double>(by));
      if (!(count < 1e12))
        return node.refuse("the range is endless or has more than 10^12 elements");
      if (count > static_cast<double>(mostElements))
        return node.unsupportedHere(
            fmt::format("ranges of more than {} elements are not supported", mostElements));
      Tensor tensor(start.dtype(), {static_cast<int64_t>(std::max(count, 0.0))});
      const auto to = tensor.mutableAs<T>();
      for (size_t i = 0; i < to.size(); ++i)
        // Element i of a Range is start + i * step. Computed in unsigned arithmetic, i * step may wrap
        // around, but the sum is exact.
        if constexpr (std::is_integral_v<T>)
          to[i] = static_cast<T>(static_cast<uint64_t>(from) + i * static_cast<uint64_t>(by));
        else
          to[i] = from + static_cast<T>(i) * by;
      return node.constantValue(tensor);
    } else {
      return node.unsupportedHere(fmt::format("ranges of type {} are not supported", nameOf(start.dtype())));
    }
  });
}

// Imports EyeLike: a matrix of zeros with ones on diagonal k, of the input's type unless dtype is given.
Value eyeLike(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  if (node.rank(0) != 2)
    return node.refuse(fmt::format("the input has rank {}, expected 2", node.rank(0)));
  const int64_t rows = node.shape(0)[0], columns = node.shape(0)[1], k = node.integer("k", 0);
  const auto type =
      node.attribute("dtype") ? dtypeOfOnnx(node.integer("dtype", 0)) : dtypeOfElement(node.elementType(0));
  if (!type)
    return node.unsupportedHere("attribute 'dtype' is not a supported element type");
  if (rows != 0 && columns > mostElements / rows)
    return node.unsupportedHere(
        fmt::format("identity matrices of more than {} elements are not supported", mostElements));
  return dispatch(*type, [&]<class T>() -> Value {
    if constexpr (std::is_arithmetic_v<T>) {
      Tensor tensor(*type, {rows, columns});
      for (int64_t row = 0; row < rows && k > -rows && k < columns; ++row)
        if (row + k >= 0 && row + k < columns)
          tensor.mutableAs<T>()[row * columns + row + k] = T(1);
      return node.constantValue(tensor);
    } else {
      return node.unsupportedHere(
          fmt::format("identity matrices of type {} are not supported", nameOf(*type)));
    }
  });
}

// Imports NonZero of a constant input, as a constant.
Value nonZero(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  TILERIG_TRY(const Tensor tensor, node.constant(0, "the input"));
  std::vector<int64_t> indices;
  const bool isNumeric = dispatch(tensor.dtype(), [&]<class T>() {
    if constexpr (std::is_arithmetic_v<T>) {
      const auto elements = tensor.as<T>();
      for (size_t i = 0; i < elements.size(); ++i)
        if (elements[i] != T(0))
          indices.push_back(static_cast<int64_t>(i));
    }
    return std::is_arithmetic_v<T>;
  });
  if (!isNumeric)
    return node.unsupportedHere(fmt::format("elements of type {} are not supported", nameOf(tensor.dtype())));
  const size_t count = indices.size();
  Tensor places(DType::i64, {static_cast<int64_t>(tensor.rank()), static_cast<int64_t>(count)});
  for (size_t axis = tensor.rank(); axis-- > 0;)
    for (size_t i = 0; i < count; ++i) {
      places.mutableAs<int64_t>()[axis * count + i] = indices[i] % tensor.shape()[axis];
      indices[i] /= tensor.shape()[axis];
    }
  return node.constantValue(places);
}

} // namespace

void addShapes(ImporterTable &table) {
  table.emplace("Shape", one(shape));
  table.emplace("Size", one(size));
  table.emplace("Constant", one(constant));
  table.emplace("ConstantOfShape", one(constantOfShape));
  table.emplace("Range", one(range));
  table.emplace("EyeLike", one(eyeLike));
  table.emplace("NonZero", one(nonZero));
}

} // namespace tilerig::compiler
