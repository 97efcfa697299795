#include "emulator/Memory/Stored.h"

#include "isa/Numerics/Bf16.h"
#include "isa/Numerics/Fp16.h"
#include "isa/Numerics/I9.h"
#include "isa/Numerics/Quantise.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace tilerig::emulator {

namespace {

// Calls f with the C++ type in which elements of the type `type` are stored.
template <class F>
decltype(auto) dispatchStored(ElementType type, F f) {
  switch (type) {
  case ElementType::i8:
    return f.template operator()<int8_t>();
  case ElementType::u8:
    return f.template operator()<uint8_t>();
  case ElementType::i9:
    return f.template operator()<I9>();
  case ElementType::i32:
    return f.template operator()<int32_t>();
  case ElementType::fp16:
    return f.template operator()<Fp16>();
  case ElementType::bf16:
    return f.template operator()<Bf16>();
  default:
    return f.template operator()<float>();
  }
}

template <class T>
constexpr bool isStoredFloat = std::is_same_v<T, float> || std::is_same_v<T, Fp16> || std::is_same_v<T, Bf16>;

// The numeric value of an element of a tensor on the host; only for types that a model's activations can
// have.
double realOf(Float16 x) { return toFloat(Fp16{x.bits}); }
double realOf(BFloat16 x) { return toFloat(Bf16{x.bits}); }
template <class T>
requires std::is_arithmetic_v<T>
double realOf(T x) { return static_cast<double>(x); }

// The scale of a tensor's stored elements; 1 for integers without a scale, which represent themselves.
float scaleOf(const proto::Tensor &placement) { return placement.scale() == 0 ? 1 : placement.scale(); }

template <class Stored>
Stored storedReal(double real, const proto::Tensor &placement) {
  if constexpr (std::is_same_v<Stored, float>)
    return static_cast<float>(real);
  else if constexpr (std::is_same_v<Stored, Fp16>)
    return fp16FromDouble(real);
  else if constexpr (std::is_same_v<Stored, Bf16>)
    return bf16FromDouble(real);
  else if constexpr (std::is_same_v<Stored, int32_t>)
    return roundTo<int32_t>(static_cast<float>(real), Rounding::halfEven);
  else
    return quantise<Stored>(static_cast<float>(real), scaleOf(placement),
                            Landing::of<Stored>(placement.zero_point()));
}

template <class Stored>
double realOfStored(Stored stored, const proto::Tensor &placement) {
  if constexpr (std::is_same_v<Stored, float>)
    return stored;
  else if constexpr (std::is_same_v<Stored, Fp16> || std::is_same_v<Stored, Bf16>)
    return toFloat(stored);
  else if constexpr (std::is_same_v<Stored, int32_t>)
    return stored;
  else
    return dequantise(stored, scaleOf(placement), placement.zero_point());
}

int64_t integerOfStored(int32_t x) { return x; }
int64_t integerOfStored(int8_t x) { return x; }
int64_t integerOfStored(uint8_t x) { return x; }
int64_t integerOfStored(I9 x) { return x.value; }

template <class Stored>
bool holds(int64_t x) {
  if constexpr (std::is_same_v<Stored, I9>)
    return x >= I9::lowest && x <= I9::highest;
  else
    return x >= std::numeric_limits<Stored>::min() && x <= std::numeric_limits<Stored>::max();
}

// Converts an element from the model's type (Host) to the stored type; returns false if the element does not
// fit. A float tensor that is stored as integers has a scale; integers of an integer tensor represent
// themselves.
template <class Host, class Stored>
bool store(Host host, Stored &stored, const proto::Tensor &placement) {
  if constexpr (std::is_integral_v<Host> && !isStoredFloat<Stored>) {
    const auto x = static_cast<int64_t>(host);
    if constexpr (std::is_same_v<Host, uint64_t>)
      if (host > static_cast<uint64_t>(INT64_MAX))
        return false;
    if (!holds<Stored>(x))
      return false;
    if constexpr (std::is_same_v<Stored, I9>)
      stored = I9{static_cast<int16_t>(x)};
    else
      stored = static_cast<Stored>(x);
  } else if constexpr (std::is_same_v<Host, Float16> && std::is_same_v<Stored, Fp16>) {
    stored = Fp16{host.bits};
  } else if constexpr (std::is_same_v<Host, BFloat16> && std::is_same_v<Stored, Bf16>) {
    stored = Bf16{host.bits};
  } else {
    stored = storedReal<Stored>(realOf(host), placement);
  }
  return true;
}

template <class Host, class Stored>
bool fetch(Stored stored, Host &host, const proto::Tensor &placement) {
  if constexpr (std::is_integral_v<Host> && !isStoredFloat<Stored>) {
    const int64_t x = integerOfStored(stored);
    if constexpr (std::is_same_v<Host, bool>) {
      host = x != 0;
      return x == 0 || x == 1;
    } else {
      host = static_cast<Host>(x);
      return static_cast<int64_t>(host) == x && (std::is_signed_v<Host> || x >= 0);
    }
  } else if constexpr (std::is_integral_v<Host>) {
    return false;
  } else if constexpr (std::is_same_v<Host, Float16>) {
    if constexpr (std::is_same_v<Stored, Fp16>)
      host.bits = stored.bits;
    else
      host.bits = fp16FromDouble(realOfStored(stored, placement)).bits;
  } else if constexpr (std::is_same_v<Host, BFloat16>) {
    if constexpr (std::is_same_v<Stored, Bf16>)
      host.bits = stored.bits;
    else
      host.bits = bf16FromDouble(realOfStored(stored, placement)).bits;
  } else {
    host = static_cast<Host>(realOfStored(stored, placement));
  }
  return true;
}

template <class T>
constexpr bool isComplex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

Error misfit(const proto::Tensor &placement) {
  return invalidInput(
      fmt::format("tensor '{}'", placement.name()),
      fmt::format("a value cannot be converted between the model's type {} and the stored type {}",
                  placement.dtype(), placement.stored_type()));
}

// Calls f.template operator()<Host, Stored>() with the model's and the stored element type.
template <class F>
Status dispatchBoth(const proto::Tensor &placement, F f) {
  return dispatch(*dtypeNamed(placement.dtype()), [&]<class Host>() -> Status {
    if constexpr (isComplex<Host>)
      return unsupported(fmt::format("tensor '{}'", placement.name()),
                         "complex numbers cannot be stored on the device");
    else
      return dispatchStored(*storedTypeOf(placement),
                            [&]<class Stored>() { return f.template operator()<Host, Stored>(); });
  });
}

// Whether the model's type and the stored type have the same bits. False for i9, whose range is smaller than
// that of the int16 in which it is stored.
bool isSame(const proto::Tensor &placement) {
  return modelDType(placement) == storedDType(placement) && storedTypeOf(placement) != ElementType::i9;
}

} // namespace

Shape shapeOf(const proto::Tensor &placement) { return {placement.shape().begin(), placement.shape().end()}; }
DType modelDType(const proto::Tensor &placement) { return *dtypeNamed(placement.dtype()); }

DType storedDType(const proto::Tensor &placement) {
  if (isRaw(placement))
    return modelDType(placement);
  switch (*storedTypeOf(placement)) {
  case ElementType::i8:
    return DType::i8;
  case ElementType::u8:
    return DType::u8;
  case ElementType::i9:
    return DType::i16;
  case ElementType::i32:
    return DType::i32;
  case ElementType::fp16:
    return DType::f16;
  case ElementType::bf16:
    return DType::bf16;
  case ElementType::fp32:
    break;
  }
  return DType::f32;
}

Result<Tensor> toStored(const proto::Tensor &placement, const Tensor &tensor) {
  if (isSame(placement))
    return tensor;
  TILERIG_TRY(Tensor stored, Tensor::makeUninitialised(storedDType(placement), tensor.shape()));
  TILERIG_CHECK_OK(dispatchBoth(placement, [&]<class Host, class Stored>() -> Status {
    auto *to = reinterpret_cast<Stored *>(stored.mutableBytes().data());
    for (Host element : tensor.as<Host>())
      if (!store(element, *to++, placement))
        return misfit(placement);
    return success();
  }));
  return stored;
}

Result<Tensor> fromStored(const proto::Tensor &placement, const Tensor &stored) {
  if (isSame(placement))
    return stored;
  TILERIG_TRY(Tensor tensor, Tensor::makeUninitialised(modelDType(placement), stored.shape()));
  TILERIG_CHECK_OK(dispatchBoth(placement, [&]<class Host, class Stored>() -> Status {
    const auto *from = reinterpret_cast<const Stored *>(stored.bytes().data());
    for (Host &element : tensor.mutableAs<Host>())
      if (!fetch(*from++, element, placement))
        return misfit(placement);
    return success();
  }));
  return tensor;
}

} // namespace tilerig::emulator
