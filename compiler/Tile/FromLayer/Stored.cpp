#include "compiler/Tile/FromLayer/Stored.h"

#include "compiler/Graph/IR/TensorAttributes.h"
#include "isa/Numerics/Bf16.h"
#include "isa/Numerics/Fp16.h"
#include "isa/Numerics/Quantise.h"

#include <bit>
#include <cstring>
#include <fmt/core.h>

namespace tilerig::compiler {

std::optional<ElementType> storageOf(mlir::Type element) {
  if (element.isInteger(1))
    return ElementType::u8;
  if (element.isSignlessInteger(64))
    return ElementType::i32;
  return layer::storedAs(element);
}

bool isTruth(mlir::Type element) { return element.isInteger(1) || element.isUnsignedInteger(8); }

Affine affineOf(mlir::Type element) {
  if (isTruth(element))
    return {1, 0};
  const auto type = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(element);
  if (!type)
    return {};
  return {static_cast<float>(type.getScale()), static_cast<int16_t>(type.getZeroPoint())};
}

Finish finishOf(layer::FunctionAttr function, mlir::Type result) {
  Finish finish;
  if (function) {
    finish.function = function.getKind();
    finish.alpha = function.getAlpha().convertToFloat();
    finish.beta = function.getBeta().convertToFloat();
  }
  if (const auto quantised = layer::quantisedOf(result)) {
    finish.output = affineOf(result);
    finish.clampLow = static_cast<int16_t>(quantised.getStorageTypeMin());
    finish.clampHigh = static_cast<int16_t>(quantised.getStorageTypeMax());
  }
  if (isTruth(result)) {
    finish.output = affineOf(result);
    finish.clampHigh = UINT8_MAX;
  }
  return finish;
}

uint32_t bitsOf(double real, mlir::Type element) {
  const auto value = static_cast<float>(real);
  const Affine affine = affineOf(element);
  switch (*storageOf(element)) {
  case ElementType::i8:
    return static_cast<uint8_t>(quantise<int8_t>(value, affine.scale, Landing::of<int8_t>(affine.zeroPoint)));
  case ElementType::u8:
    if (!layer::quantisedOf(element))
      return static_cast<uint8_t>(real);
    return quantise<uint8_t>(value, affine.scale, Landing::of<uint8_t>(affine.zeroPoint));
  case ElementType::i9:
    return static_cast<uint16_t>(
        integerOf(quantise<I9>(value, affine.scale, Landing::of<I9>(affine.zeroPoint))));
  case ElementType::i32:
    return static_cast<uint32_t>(static_cast<int32_t>(real));
  case ElementType::fp16:
    return std::bit_cast<uint16_t>(fp16FromFloat(value));
  case ElementType::bf16:
    return std::bit_cast<uint16_t>(bf16FromFloat(value));
  case ElementType::fp32:
    return std::bit_cast<uint32_t>(value);
  }
  return 0;
}

namespace {

std::string nameOf(layer::ConstantOp constant) {
  std::string text;
  llvm::raw_string_ostream(text) << constant.getLoc();
  return text;
}

Result<std::vector<std::byte>> narrowed(const Tensor &wide, layer::ConstantOp constant) {
  std::vector<std::byte> bytes(wide.as<int64_t>().size() * sizeof(int32_t));
  for (size_t i = 0; i < wide.as<int64_t>().size(); ++i) {
    const int64_t value = wide.as<int64_t>()[i];
    const auto narrow = static_cast<int32_t>(value);
    if (narrow != value)
      return unsupported(nameOf(constant),
                         fmt::format("the constant has the element {}, but integers have only 32 bits on the "
                                     "machine",
                                     value));
    std::memcpy(bytes.data() + i * sizeof narrow, &narrow, sizeof narrow);
  }
  return bytes;
}

std::vector<std::byte> copied(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

} // namespace

Result<ConstantBytes> storedBytesOf(layer::ConstantOp constant) {
  Tensor tensor = tensorOf(constant.getValue());
  if (tensor.dtype() != DType::i64)
    return constantBytes(std::move(tensor));
  TILERIG_TRY(auto bytes, narrowed(tensor, constant));
  return constantBytes(std::move(bytes));
}

Result<std::vector<std::byte>> accumulatorBytesOf(layer::ConstantOp constant) {
  const Tensor tensor = tensorOf(constant.getValue());
  if (tensor.dtype() == DType::i32)
    return copied(tensor.bytes());
  const auto doubles = doublesIn(tensor);
  if (!doubles)
    return unsupported(nameOf(constant), "the element type of this bias is not supported");
  return copied(floatTensor(DType::f32, tensor.shape(), *doubles).bytes());
}

} // namespace tilerig::compiler
