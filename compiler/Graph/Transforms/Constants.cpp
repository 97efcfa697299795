#include "compiler/Graph/Transforms/Constants.h"

#include "compiler/Graph/IR/TensorAttributes.h"

#include <cmath>

namespace tilerig::compiler {

std::optional<Doubles> doublesOf(mlir::Value value) {
  auto constant = value ? value.getDefiningOp<graph::ConstantOp>() : graph::ConstantOp();
  if (!constant)
    return {};
  return doublesIn(tensorOf(constant.getValue()));
}

bool isFiniteAs(mlir::Type element, const Doubles &values) {
  const auto rounded =
      doublesIn(floatTensor(*dtypeOfElement(element), {static_cast<int64_t>(values.size())}, values));
  return llvm::all_of(*rounded, [](double value) { return std::isfinite(value); });
}

mlir::Value constantOf(mlir::PatternRewriter &rewriter, mlir::Location location, const Doubles &values,
                       mlir::Type element, llvm::ArrayRef<int64_t> shape, llvm::StringRef name) {
  const Tensor tensor = floatTensor(*dtypeOfElement(element), Shape(shape.begin(), shape.end()), values);
  return graph::ConstantOp::create(rewriter, location, attributeOf(*rewriter.getContext(), tensor, name));
}

std::optional<double> scalarOf(mlir::Value value) {
  const auto elements = doublesOf(value);
  if (!elements || elements->empty() ||
      std::ranges::count(*elements, elements->front()) != std::ssize(*elements))
    return {};
  return elements->front();
}

bool isExactly(mlir::Value value, double number) {
  auto constant = value ? value.getDefiningOp<graph::ConstantOp>() : graph::ConstantOp();
  if (!constant)
    return false;
  const Tensor tensor = tensorOf(constant.getValue());
  if (const auto reals = doublesIn(tensor))
    return llvm::all_of(*reals, [&](double element) {
      return element == number && std::signbit(element) == std::signbit(number);
    });
  return dispatch(tensor.dtype(), [&]<class T>() {
    if constexpr (std::is_integral_v<T>)
      return llvm::all_of(tensor.as<T>(), [&](T element) { return static_cast<double>(element) == number; });
    else
      return false;
  });
}

bool isNumber(mlir::Value value, double number) {
  const auto scalar = scalarOf(value);
  if (!scalar)
    return false;
  // Exporters compute numbers such as 1 / sqrt(2) either in float or in double, which gives two different
  // values. Both are accepted.
  return *scalar == number || *scalar == static_cast<double>(static_cast<float>(number));
}

} // namespace tilerig::compiler
