// Element types of host tensors: the types of ONNX and numpy that have a fixed size, that is all but strings.
//
// These are types of files and models. The types that the machine stores in its memories are a smaller set
// (with a 9-bit type, without 64-bit types), defined with the instructions.
#pragma once

#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace tilerig {

static_assert(std::endian::native == std::endian::little,
              "tensors are kept, mapped and written little-endian");

enum class DType : uint8_t { f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, boolean, c64, c128 };
inline constexpr size_t numDTypes = 15;

// The bits of the two 16-bit float formats. Arithmetic on them is defined in isa/Numerics.
struct Float16 {
  uint16_t bits;
  bool operator==(const Float16 &) const = default;
};
struct BFloat16 {
  uint16_t bits;
  bool operator==(const BFloat16 &) const = default;
};

// The name of a type as in numpy ("float16", "bool"); also "bfloat16".
std::string_view nameOf(DType type);
std::optional<DType> dtypeNamed(std::string_view name);

size_t sizeBytes(DType type);
// Size in bytes of the unit of byte order and alignment: half of a complex number, or the whole element for
// all other types.
size_t componentBytes(DType type);

// The type string in an .npy header, such as "<f4". The format has no bfloat16: such data are stored as
// "<u2". A reader that knows the type from the model reinterprets them (Tensor::reinterpreted).
std::string_view npyDescr(DType type);

// The number of the type in onnx.TensorProto.DataType.
int onnxNumber(DType type);
std::optional<DType> dtypeOfOnnx(int64_t number);

// The C++ types of the elements, in the order of DType.
using ElementTypes =
    std::tuple<Float16, BFloat16, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
               uint32_t, uint64_t, bool, std::complex<float>, std::complex<double>>;
static_assert(std::tuple_size_v<ElementTypes> == numDTypes);

// The index of a C++ type in ElementTypes.
template <class T, size_t index = 0>
consteval size_t indexOfElementType() {
  static_assert(index < numDTypes, "the type is no element type of a tensor");
  if constexpr (std::is_same_v<T, std::tuple_element_t<index, ElementTypes>>)
    return index;
  else
    return indexOfElementType<T, index + 1>();
}

// The DType of a C++ type: dtypeOf<float> is DType::f32.
template <class T>
inline constexpr DType dtypeOf = static_cast<DType>(indexOfElementType<T>());

// Calls f.template operator()<T>() with T the C++ type of `type`.
template <size_t index = 0, class F>
decltype(auto) dispatch(DType type, F &&f) {
  if constexpr (index + 1 < numDTypes)
    if (type != static_cast<DType>(index))
      return dispatch<index + 1>(type, f);
  return f.template operator()<std::tuple_element_t<index, ElementTypes>>();
}

} // namespace tilerig
