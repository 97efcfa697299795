#include "compiler/Passes/Constants.h"

#include "compiler/Import/Constants.h"

namespace tilerig {

std::optional<Doubles> doublesOf(mlir::Value value) {
  auto constant = value ? value.getDefiningOp<graph::ConstantOp>() : graph::ConstantOp();
  if (!constant)
    return {};
  const Tensor tensor = tensorOf(constant.getValue());
  if (tensor.dtype() == DType::f32)
    return Doubles(tensor.as<float>().begin(), tensor.as<float>().end());
  if (tensor.dtype() == DType::f64)
    return Doubles(tensor.as<double>().begin(), tensor.as<double>().end());
  return {};
}

mlir::Value constantOf(mlir::PatternRewriter &rewriter, mlir::Location location, const Doubles &values,
                       mlir::Type element, llvm::ArrayRef<int64_t> shape, llvm::StringRef name) {
  Tensor tensor(*dtypeOfElement(element), Shape(shape.begin(), shape.end()));
  if (tensor.dtype() == DType::f64)
    std::ranges::copy(values, tensor.mutableAs<double>().begin());
  else
    std::ranges::transform(values, tensor.mutableAs<float>().begin(),
                           [](double x) { return static_cast<float>(x); });
  return graph::ConstantOp::create(rewriter, location, attributeOf(*rewriter.getContext(), tensor, name));
}

std::optional<double> scalarOf(mlir::Value value) {
  const auto elements = doublesOf(value);
  if (!elements || elements->empty() ||
      std::ranges::count(*elements, elements->front()) != std::ssize(*elements))
    return {};
  return elements->front();
}

bool isNumber(mlir::Value value, double number) {
  const auto scalar = scalarOf(value);
  if (!scalar)
    return false;
  // 1 / sqrt(2) is another number in float than in double, and exporters write either.
  return *scalar == number || *scalar == static_cast<double>(static_cast<float>(number));
}

} // namespace tilerig
