#include "compiler/PassCheck/StoredTensors.h"

#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/IR/Types.h"
#include "isa/Base/Tensor/TakenElements.h"

#include <cmath>

namespace tilerig::compiler {

namespace {

using PerTensor = mlir::quant::UniformQuantizedType;

// The integer type in which a quantised tensor is exported; 9-bit integers are exported as 16-bit integers.
DType storageOf(mlir::quant::QuantizedType type) {
  return type.getStorageTypeIntegralWidth() == 16 ? DType::i16 : type.isSigned() ? DType::i8 : DType::u8;
}

// Quantises like ONNX's QuantizeLinear: divides in float32, rounds ties to even. NaN becomes the zero point.
double quantised(double real, PerTensor type) {
  const float quotient = static_cast<float>(real) / static_cast<float>(type.getScale());
  const double integer = std::isnan(quotient) ? 0 : std::nearbyint(static_cast<double>(quotient));
  return std::clamp(integer + static_cast<double>(type.getZeroPoint()),
                    static_cast<double>(type.getStorageTypeMin()),
                    static_cast<double>(type.getStorageTypeMax()));
}

Tensor quantisedTensor(const std::vector<double> &reals, const Shape &shape, PerTensor type) {
  Tensor stored(storageOf(type), shape);
  const auto fill = [&]<class T>(std::span<T> integers) {
    for (size_t i = 0; i < reals.size(); ++i)
      integers[i] = static_cast<T>(quantised(reals[i], type));
  };
  switch (stored.dtype()) {
  case DType::i8:
    fill(stored.mutableAs<int8_t>());
    break;
  case DType::u8:
    fill(stored.mutableAs<uint8_t>());
    break;
  default:
    fill(stored.mutableAs<int16_t>());
  }
  return stored;
}

template <class T>
Tensor dequantisedTensor(std::span<const T> integers, const Shape &shape, PerTensor type) {
  Tensor reals(DType::f32, shape);
  const auto to = reals.mutableAs<float>();
  for (size_t i = 0; i < integers.size(); ++i)
    to[i] = static_cast<float>(integers[i] - type.getZeroPoint()) * static_cast<float>(type.getScale());
  return reals;
}

} // namespace

Result<Tensor> storedTensor(const Tensor &elements, mlir::Type element, bool keepsDoubles) {
  const auto reals = doublesIn(elements);
  if (const auto type = layer::quantisedOf(element)) {
    if (!reals && elements.dtype() == storageOf(type))
      return elements;
    const auto perTensor = llvm::dyn_cast<PerTensor>(type);
    if (!reals || !perTensor)
      return unsupported(
          "the pass check",
          "a tensor cannot be compared if it has several scales, or holds integers before it is quantised");
    return quantisedTensor(*reals, elements.shape(), perTensor);
  }
  DType wanted = *dtypeOfElement(element);
  if (keepsDoubles && wanted == DType::f32)
    wanted = DType::f64;
  return reals && elements.dtype() != wanted ? floatTensor(wanted, elements.shape(), *reals) : elements;
}

Tensor realsOf(const Tensor &stored, mlir::Type element) {
  const auto type = llvm::dyn_cast<PerTensor>(element);
  if (!type)
    return stored;
  switch (stored.dtype()) {
  case DType::i8:
    return dequantisedTensor(stored.as<int8_t>(), stored.shape(), type);
  case DType::u8:
    return dequantisedTensor(stored.as<uint8_t>(), stored.shape(), type);
  case DType::i16:
    return dequantisedTensor(stored.as<int16_t>(), stored.shape(), type);
  default:
    return stored;
  }
}

Tensor seenTensor(const Tensor &stored, const NamedValue &value) {
  if (!value.dequantised)
    return transposed(stored, value.order);
  Tensor reals = realsOf(stored, layer::elementOf(value.value));
  const auto &shape = value.dequantised->shape;
  const auto reshaped = reals.reshaped(Shape(shape.begin(), shape.end()));
  return reshaped ? transposed(*reshaped, value.dequantised->order) : reals;
}

} // namespace tilerig::compiler
