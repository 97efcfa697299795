#include "reference/Run/Floats.h"

#include "reference/Run/Interpreter.h"

#include <Eigen/Core>
#include <algorithm>
#include <optional>

namespace tilerig::reference {

// Eigen's 16-bit types have the same bits as those of isa/Base/Tensor; its conversions round half to even.
static_assert(sizeof(Eigen::half) == sizeof(Float16) && sizeof(Eigen::bfloat16) == sizeof(BFloat16));

template <class Half>
static float widenedElement(uint16_t bits) {
  return static_cast<float>(Eigen::numext::bit_cast<Half>(bits));
}
template <class Half>
static uint16_t narrowedBits(float value) {
  return Eigen::numext::bit_cast<uint16_t>(static_cast<Half>(value));
}

template <class Half, class Bits>
static Tensor widenedFrom(const Tensor &tensor) {
  Tensor result(DType::f32, tensor.shape());
  auto from = tensor.as<Bits>();
  auto to = result.mutableAs<float>();
  for (size_t i = 0; i < from.size(); ++i)
    to[i] = widenedElement<Half>(from[i].bits);
  return result;
}

Tensor widened(const Tensor &tensor) {
  return tensor.dtype() == DType::f16 ? widenedFrom<Eigen::half, Float16>(tensor)
                                      : widenedFrom<Eigen::bfloat16, BFloat16>(tensor);
}

template <class Half, class Bits>
static Tensor narrowedTo(const Tensor &tensor) {
  Tensor result(dtypeOf<Bits>, tensor.shape());
  auto to = result.mutableAs<Bits>();
  auto from = tensor.as<float>();
  for (size_t i = 0; i < from.size(); ++i)
    to[i].bits = narrowedBits<Half>(from[i]);
  return result;
}

Tensor narrowed(const Tensor &tensor, DType halfType) {
  return halfType == DType::f16 ? narrowedTo<Eigen::half, Float16>(tensor)
                                : narrowedTo<Eigen::bfloat16, BFloat16>(tensor);
}

bool mixesHalves(const std::vector<RuntimeValue> &inputs, const std::vector<bool> &present) {
  std::optional<DType> first;
  bool halves = false, differ = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const DType type = std::get<Tensor>(inputs[i]).dtype();
    const bool half = isHalf(type);
    if (!present[i] || !(half || type == DType::f32 || type == DType::f64))
      continue;
    halves |= half;
    differ |= first && *first != type;
    first = first.value_or(type);
  }
  return halves && differ;
}

DType widenHalves(std::vector<RuntimeValue> &inputs) {
  DType halfType = DType::f32;
  for (RuntimeValue &value : inputs) {
    auto &input = std::get<Tensor>(value);
    if (!isHalf(input.dtype()))
      continue;
    if (halfType == DType::f32)
      halfType = input.dtype();
    input = widened(input);
  }
  return halfType;
}

Tensor narrowHalves(Tensor tensor, DType halfType) {
  return halfType != DType::f32 && tensor.dtype() == DType::f32 ? narrowed(tensor, halfType) : tensor;
}

Tensor toPrecision(Tensor tensor, Precision precision) {
  if (precision == Precision::fp32 || tensor.dtype() != DType::f32)
    return tensor;
  if (precision == Precision::fp64) {
    Tensor result(DType::f64, tensor.shape());
    auto from = tensor.as<float>();
    std::copy(from.begin(), from.end(), result.mutableAs<double>().begin());
    return result;
  }
  for (float &element : tensor.mutableAs<float>())
    element = precision == Precision::fp16
                  ? widenedElement<Eigen::half>(narrowedBits<Eigen::half>(element))
                  : widenedElement<Eigen::bfloat16>(narrowedBits<Eigen::bfloat16>(element));
  return tensor;
}

} // namespace tilerig::reference
