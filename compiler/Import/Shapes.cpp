// Operators about shapes, which are constants once shapes are static.
#include "compiler/Import/Operators.h"

#include <fmt/core.h>

namespace tilerig {

namespace {

using Value = Result<mlir::Value>;

Value ints(const NodeReader &node, llvm::ArrayRef<int64_t> values, bool isScalar = false) {
  Tensor tensor(DType::i64, isScalar ? Shape{} : Shape{static_cast<int64_t>(values.size())});
  std::ranges::copy(values, tensor.mutableAs<int64_t>().begin());
  return node.constantValue(tensor);
}

Value shape(const NodeReader &node) {
  CHECK_OK(node.needs(1));
  const int64_t rank = node.rank(0);
  const auto bound = [&](int64_t at) { return std::clamp(at < 0 ? at + rank : at, int64_t{0}, rank); };
  const int64_t start = bound(node.integer("start", 0)), end = bound(node.integer("end", rank));
  return ints(node, start < end ? node.shape(0).slice(start, end - start) : llvm::ArrayRef<int64_t>());
}

Value size(const NodeReader &node) {
  CHECK_OK(node.needs(1));
  int64_t count = 1;
  for (int64_t each : node.shape(0))
    count *= each;
  return ints(node, {count}, true);
}

Value constant(const NodeReader &node) {
  if (const auto *value = node.attribute("value")) {
    TRY(const Tensor tensor, node.tensor(*value));
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
  return node.unsupportedHere("a constant that is a string or sparse");
}

Value constantOfShape(const NodeReader &node) {
  TRY(const Ints sizes, node.constantInts(0, "the shape"));
  Tensor value(DType::f32, {1});
  if (const auto *given = node.attribute("value")) {
    TRY(value, node.tensor(*given));
  }
  TRY(Tensor filled, Tensor::make(value.dtype(), Shape(sizes.begin(), sizes.end())));
  const size_t bytes = value.sizeBytes();
  const std::span<std::byte> to = filled.mutableBytes();
  if (value.elementCount() != 1)
    return node.refuse("the value is not one element");
  for (size_t at = 0; at < to.size(); at += bytes)
    std::ranges::copy(value.bytes(), to.begin() + static_cast<ptrdiff_t>(at));
  return node.constantValue(filled);
}

Value range(const NodeReader &node) {
  TRY(const Tensor start, node.constant(0, "the start"));
  TRY(const Tensor limit, node.constant(1, "the limit"));
  TRY(const Tensor step, node.constant(2, "the step"));
  if (start.dtype() != limit.dtype() || start.dtype() != step.dtype() || start.elementCount() != 1 ||
      limit.elementCount() != 1 || step.elementCount() != 1)
    return node.refuse("start, limit and step are not scalars of one type");
  return dispatch(start.dtype(), [&]<class T>() -> Value {
    if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, int32_t> || std::is_same_v<T, float>) {
      const double from = static_cast<double>(start.as<T>()[0]), by = static_cast<double>(step.as<T>()[0]);
      const double count = by == 0 ? -1 : std::ceil((static_cast<double>(limit.as<T>()[0]) - from) / by);
      if (by == 0 || count > 1e9)
        return node.refuse("the range does not end");
      Tensor tensor(start.dtype(), {static_cast<int64_t>(std::max(count, 0.0))});
      T next = start.as<T>()[0];
      for (T &element : tensor.mutableAs<T>()) {
        element = next;
        next = static_cast<T>(next + step.as<T>()[0]);
      }
      return node.constantValue(tensor);
    } else {
      return node.unsupportedHere(fmt::format("a range of {}", nameOf(start.dtype())));
    }
  });
}

} // namespace

void addShapes(ImporterTable &table) {
  table.emplace("Shape", one(shape));
  table.emplace("Size", one(size));
  table.emplace("Constant", one(constant));
  table.emplace("ConstantOfShape", one(constantOfShape));
  table.emplace("Range", one(range));
}

} // namespace tilerig
