#include "compiler/Layer/Facts/Tensors.h"

#include "compiler/Layer/IR/Types.h"

#include <fmt/core.h>

namespace tilerig::compiler {

std::string elementName(mlir::Type element) {
  if (const auto stored = layer::storedAs(element); stored && layer::quantisedOf(element))
    return *stored == ElementType::i8 ? "int8" : *stored == ElementType::u8 ? "uint8" : "int9";
  if (element.isF16())
    return "float16";
  if (element.isBF16())
    return "bfloat16";
  if (element.isF32())
    return "float";
  if (element.isF64())
    return "double";
  if (element.isInteger(1))
    return "bool";
  if (const auto integer = llvm::dyn_cast<mlir::IntegerType>(element))
    return fmt::format("{}int{}", integer.isUnsigned() ? "u" : "", integer.getWidth());
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return text;
}

std::optional<Scaling> scalingOf(mlir::Type element) {
  if (const auto one = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(element))
    return Scaling{{one.getScale()}, {one.getZeroPoint()}};
  const auto many = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(element);
  if (!many)
    return {};
  return Scaling{many.getScales().vec(), many.getZeroPoints().vec(), many.getQuantizedDimension()};
}

std::string describe(const Scaling &scaling) {
  const auto [low, high] = std::ranges::minmax(scaling.zeroPoints);
  const std::string zero =
      low == high ? fmt::format("zero point {}", low) : fmt::format("zero points from {} to {}", low, high);
  if (scaling.axis < 0)
    return fmt::format("scale {}, {}", scaling.scales.front(), zero);
  const auto [least, most] = std::ranges::minmax(scaling.scales);
  return fmt::format("{} scales from {} to {} along axis {}, {}", scaling.scales.size(), least, most,
                     scaling.axis, zero);
}

} // namespace tilerig::compiler
