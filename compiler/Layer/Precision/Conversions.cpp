#include "compiler/Layer/Precision/Conversions.h"

#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/IR/LayerBuilder.h"
#include "compiler/Layer/IR/Types.h"
#include "isa/Base/Support/File.h"
#include "isa/Numerics/Bf16.h"
#include "isa/Numerics/Fp16.h"
#include "isa/Numerics/Quantise.h"

#include <mlir/IR/DialectResourceBlobManager.h>
#include <utility>

namespace tilerig::compiler {

namespace {

std::vector<float> floatsOf(const Tensor &tensor) {
  return dispatch(tensor.dtype(), [&]<class T>() -> std::vector<float> {
    std::vector<float> floats;
    floats.reserve(tensor.elementCount());
    for (const T x : tensor.as<T>())
      if constexpr (std::is_arithmetic_v<T>)
        floats.push_back(static_cast<float>(x));
      else if constexpr (std::is_same_v<T, Float16>)
        floats.push_back(toFloat(Fp16{x.bits}));
      else if constexpr (std::is_same_v<T, BFloat16>)
        floats.push_back(toFloat(Bf16{x.bits}));
    return floats;
  });
}

// The integers of a constant of the model as 32-bit integers; empty if one does not fit.
std::optional<Tensor> storedIntegers(const Tensor &tensor) {
  return dispatch(tensor.dtype(), [&]<class T>() -> std::optional<Tensor> {
    if constexpr (std::is_integral_v<T>) {
      Tensor result(DType::i32, tensor.shape());
      int32_t *to = result.mutableAs<int32_t>().data();
      for (const T x : tensor.as<T>()) {
        if constexpr (!std::is_same_v<T, bool>)
          if (!std::in_range<int32_t>(x))
            return {};
        *to++ = static_cast<int32_t>(x);
      }
      return result;
    }
    return {};
  });
}

template <class To>
Tensor filled(DType type, const Shape &shape, std::span<const float> from, auto convert) {
  Tensor result(type, shape);
  To *to = reinterpret_cast<To *>(result.mutableBytes().data());
  for (const float x : from)
    *to++ = convert(x);
  return result;
}

// A constant's elements converted to the storage type `element`; empty if the constant cannot be stored in
// this type.
std::optional<Tensor> stored(const Tensor &tensor, mlir::Type element) {
  if (element.isInteger(32))
    return storedIntegers(tensor);
  const std::vector<float> floats = floatsOf(tensor);
  if (floats.size() != tensor.elementCount())
    return {};
  if (const auto quantised = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(element)) {
    const auto scale = static_cast<float>(quantised.getScale());
    const auto zeroPoint = static_cast<int32_t>(quantised.getZeroPoint());
    if (quantised.isSigned())
      return filled<int8_t>(DType::i8, tensor.shape(), floats, [&](float x) {
        return quantise<int8_t>(x, scale, Landing::of<int8_t>(zeroPoint));
      });
    return filled<uint8_t>(DType::u8, tensor.shape(), floats, [&](float x) {
      return quantise<uint8_t>(x, scale, Landing::of<uint8_t>(zeroPoint));
    });
  }
  if (element.isF32())
    return filled<float>(DType::f32, tensor.shape(), floats, [](float x) { return x; });
  if (element.isF16())
    return filled<uint16_t>(DType::f16, tensor.shape(), floats,
                            [](float x) { return fp16FromFloat(x).bits; });
  if (element.isBF16())
    return filled<uint16_t>(DType::bf16, tensor.shape(), floats,
                            [](float x) { return bf16FromFloat(x).bits; });
  if (element.isUnsignedInteger(8))
    return filled<uint8_t>(DType::u8, tensor.shape(), floats,
                           [](float x) { return static_cast<uint8_t>(x != 0); });
  return {};
}

mlir::Value convertedConstant(layer::ConstantOp constant, mlir::Type element) {
  const auto tensor = elementsOf(constant.getOutput());
  const auto converted = stored(*tensor, element);
  if (!converted)
    return {};
  releasePages(tensor->bytes()); // rarely read again; if it is, from the file
  mlir::OpBuilder builder(constant);
  const auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(constant.getValue());
  const mlir::ElementsAttr value = attributeOf(*constant.getContext(), *converted,
                                               resource ? resource.getRawHandle().getKey() : "constant");
  return layer::ConstantOp::create(
      builder, constant.getLoc(), mlir::RankedTensorType::get(constant.getType().getShape(), element), value);
}

} // namespace

mlir::Value Conversions::as(mlir::Value value, mlir::Type element) {
  if (layer::elementOf(value) == element)
    return value;
  mlir::Value &result = convertedValues[{value, element}];
  if (result)
    return result;
  if (auto constant = value.getDefiningOp<layer::ConstantOp>())
    if (const mlir::Value converted = convertedConstant(constant, element))
      return result = converted;
  mlir::OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  return result = layer::ActivateOp::create(builder, value.getLoc(),
                                            mlir::RankedTensorType::get(graph::shapeOf(value), element),
                                            value, layer::FunctionAttr());
}

} // namespace tilerig::compiler
